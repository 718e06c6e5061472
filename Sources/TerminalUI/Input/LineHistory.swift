/// Lines typed before, and which of them is being looked at.
struct LineHistory: Hashable, Sendable {
  static let maximumCount = 100

  private var lines: [String] = []
  /// Index into `lines`; nil while the new line is shown.
  private var position: Int?
  /// The new line, kept while older ones are looked at.
  private var draft = ""

  /// A line was sent.
  mutating func add(_ line: String) {
    position = nil
    draft = ""
    guard !line.isEmpty, lines.last != line else { return }
    lines.append(line)
    if lines.count > Self.maximumCount { lines.removeFirst() }
  }

  /// The line before the one shown; nil if there is none.
  mutating func older(than shown: String) -> String? {
    let next = (position ?? lines.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = shown }
    position = next
    return lines[next]
  }

  /// The line after the one shown, at the end the one that was begun; nil if that is shown.
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
