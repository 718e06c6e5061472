/// A line of one of the user's files that can't be used.
package struct LineProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  package var line: Int
  /// The mistake, and a correct form of the line.
  package var reason: String

  package var description: String { "line \(line): \(reason)" }
}
