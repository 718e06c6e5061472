import Foundation

/// A server from which the films of parties are opened without asking.
package struct TrustedHost: Hashable, Sendable {
  /// The host's name in lower case.
  package var name: String
  /// The time at which the user agreed.
  package var allowedAt: Date
}
