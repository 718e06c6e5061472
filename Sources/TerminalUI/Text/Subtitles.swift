/// The subtitles that are due now, with the line breaks of their author.
///
/// Two subtitles at the same time, and the two speakers of a dialogue, are separate lines.
package struct Subtitles: Hashable, Sendable {
  /// The lines from top to bottom, without empty ones.
  package private(set) var lines: [TerminalText] = []

  /// The greatest number of lines. More can't be read at once; a file that has them is broken or malicious.
  static let maximumLines = 32
  /// The greatest number of characters in a line. Titles and notes of translators are long; a whole book is not a
  /// subtitle.
  static let maximumLineLength = 500

  package init(_ lines: [TerminalText] = []) { self.lines = lines }

  /// Creates subtitles from mpv's text.
  ///
  /// - Parameter text: the value of mpv's property `sub-text`: without tags, and with a line feed between two lines,
  ///   also for the `\N` of Advanced SubStation Alpha.
  package init(text: String) {
    for line in text.split(whereSeparator: \.isNewline).prefix(Self.maximumLines) {
      let text = TerminalText(String(line), maximumLength: Self.maximumLineLength).trimmed
      let indent = text.glyphs.prefix { $0 == .space }.count
      if !text.isEmpty { lines.append(text.dropping(indent)) }
    }
  }

  /// Returns the rows to show. Lines that are too long are wrapped into rows of similar length; the others stay whole.
  ///
  /// - Parameters:
  ///   - columns: the width of the longest row, without that ellipsis.
  ///   - limit: the number of rows. If there are more, the first lines are left out, because the last ones are spoken
  ///     now. An ellipsis shows the omission.
  func rows(columns: Int, limit: Int, ellipsis: Glyph) -> [TerminalText] {
    guard columns > 0, limit > 0 else { return [] }
    var shown: [[TerminalText]] = []
    var count = 0
    for line in lines.reversed() {
      let rows = line.balanced(to: columns)
      // A single line that is longer than the whole room is shown in part.
      guard count + rows.count <= limit || shown.isEmpty else { break }
      shown.append(rows)
      count += rows.count
    }
    var rows = shown.reversed().flatMap { $0 }
    let isComplete = shown.count == lines.count && rows.count <= limit
    rows = rows.suffix(limit)
    if !isComplete, let first = rows.first { rows[0] = TerminalText(glyphs: [ellipsis]) + first }
    return rows
  }
}

extension TerminalText {
  /// Returns as few lines of at most `columns` as possible, of similar lengths.
  func balanced(to columns: Int) -> [TerminalText] {
    let lines = wrapped(to: columns)
    guard lines.count > 1 else { return lines }
    // The narrowest width that needs no more lines.
    var low = (width + lines.count - 1) / lines.count
    var high = columns
    while low < high {
      let middle = (low + high) / 2
      if wrapped(to: middle).count <= lines.count { high = middle } else { low = middle + 1 }
    }
    return wrapped(to: high)
  }
}
