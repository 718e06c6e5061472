/// Lines on a terminal that are replaced by others in place.
struct LiveText: Hashable, Sendable {
  private var drawnRows = 0

  /// Returns the bytes that replace the lines of the last call.
  ///
  /// - Parameters:
  ///   - lines: the new lines, none wider than the terminal.
  ///   - rows: the height of the terminal. At most `rows - 1` lines are drawn, because the cursor can't return to
  ///     lines that have scrolled away; the last call, with `isFinal`, draws all lines.
  mutating func replace(with lines: [String], rows: Int, isFinal: Bool = false) -> String {
    let back = drawnRows > 0 ? "\u{1B}[\(drawnRows)A" : ""
    let shown = isFinal ? lines[...] : lines.prefix(max(1, rows - 1))
    drawnRows = isFinal ? 0 : shown.count
    return back + "\r\u{1B}[J" + shown.map { $0 + "\n" }.joined()
  }
}
