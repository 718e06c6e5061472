/// The lines typed before, and the one that is shown.
struct LineHistory: Hashable, Sendable {
  static let maximumCount = 100

  private var lines: [String] = []
  /// The index of the shown line in `lines`; nil while the new line is shown.
  private var position: Int?
  /// The new line, kept while older ones are shown.
  private var draft = ""

  /// Adds a line that was sent.
  mutating func add(_ line: String) {
    position = nil
    draft = ""
    guard !line.isEmpty, lines.last != line else { return }
    lines.append(line)
    if lines.count > Self.maximumCount { lines.removeFirst() }
  }

  /// Returns the line before the shown one; nil if there is none.
  mutating func older(than shown: String) -> String? {
    let next = (position ?? lines.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = shown }
    position = next
    return lines[next]
  }

  /// Returns the line after the shown one, or after the last the new one; nil if the new line is shown.
  mutating func newer() -> String? {
    guard let position else { return nil }
    if position + 1 < lines.count {
      self.position = position + 1
      return lines[position + 1]
    }
    self.position = nil
    return draft
  }
}
