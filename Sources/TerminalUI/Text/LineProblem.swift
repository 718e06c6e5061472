/// A line of a file of the user's that can't be understood.
public struct LineProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  public var line: Int
  /// What is wrong, and what would be right.
  public var reason: String

  public var description: String { "line \(line): \(reason)" }
}
