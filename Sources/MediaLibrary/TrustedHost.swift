import Foundation

/// A server from which the films of parties are opened without asking.
public struct TrustedHost: Hashable, Sendable {
  /// The host's name in lower case.
  public var name: String
  public var allowedAt: Date

  public init(name: String, allowedAt: Date) {
    self.name = name
    self.allowedAt = allowedAt
  }
}
