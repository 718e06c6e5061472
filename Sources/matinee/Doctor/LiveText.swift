/// Lines on a terminal that are replaced by others in place.
struct LiveText: Hashable, Sendable {
  private var drawnRows = 0

  /// Returns the bytes that replace the lines of the last call.
  ///
  /// - Parameters:
  ///   - lines: none wider than the terminal.
  ///   - rows: the height of the terminal. Only so many lines are drawn as stay within reach; a last call with
  ///     `isFinal` draws all of them.
  mutating func replace(with lines: [String], rows: Int, isFinal: Bool = false) -> String {
    let back = drawnRows > 0 ? "\u{1B}[\(drawnRows)A" : ""
    let shown = isFinal ? lines[...] : lines.prefix(max(1, rows - 1))
    drawnRows = isFinal ? 0 : shown.count
    return back + "\r\u{1B}[J" + shown.map { $0 + "\n" }.joined()
  }
}
