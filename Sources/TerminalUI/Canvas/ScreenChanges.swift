/// The cells that may be written when the terminal changes from one canvas to another.
struct ScreenChanges: Hashable, Sendable {
  /// A Boolean value that indicates whether the terminal is cleared first.
  var isComplete = false
  /// The areas, at most one in each row.
  var areas: [Rect] = []

  static let complete = ScreenChanges(isComplete: true)

  func touches(_ area: Rect) -> Bool {
    isComplete || areas.contains { !$0.intersection(area).isEmpty }
  }
}

extension Canvas {
  /// Returns the changes from `shown`, of the same size, to this canvas; nil if there are none.
  ///
  /// A row is written from its first different cell on, and may be written up to its end: ncurses erases the rest of a
  /// row, and writes equal cells again, where that takes fewer bytes.
  func changes(from shown: Canvas) -> ScreenChanges? {
    precondition(size == shown.size)
    guard self != shown else { return nil }
    var changes = ScreenChanges()
    for row in 0..<size.rows {
      guard
        let first = zip(self.row(row), shown.row(row)).enumerated().first(where: { $1.0 != $1.1 })
      else { continue }
      // One column more, for the first half of a wide glyph whose second half alone differs.
      let column = max(0, first.offset - 1)
      changes.areas.append(
        Rect(column: column, row: row, width: size.columns - column, height: 1))
    }
    return changes
  }
}
