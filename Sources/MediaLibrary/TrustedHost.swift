import Foundation

/// A server from which the films of parties are opened without asking.
public struct TrustedHost: Hashable, Sendable {
  /// The host's name in lower case.
  public var name: String
  /// The time at which the user agreed.
  public var allowedAt: Date

  /// Creates a record of a host.
  ///
  /// - Parameter name: the host's name in lower case.
  public init(name: String, allowedAt: Date) {
    self.name = name
    self.allowedAt = allowedAt
  }
}
