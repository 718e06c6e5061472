/// A line of one of the user's files that can't be used.
public struct LineProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  public var line: Int
  /// The mistake, and a correct form of the line.
  public var reason: String

  public var description: String { "line \(line): \(reason)" }
}
