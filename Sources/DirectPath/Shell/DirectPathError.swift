/// A failed system call on a socket of direct paths.
public struct DirectPathError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno`.
  public let code: CInt
  /// The operation that failed, as text for a user.
  public let operation: String

  public var description: String { "\(operation): \(Self.text(of: code))" }
}
