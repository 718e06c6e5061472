/// The subtitles that are due now, with the line breaks of their author.
///
/// Two subtitles at the same time, and the two speakers of a dialogue, are separate lines.
package struct Subtitles: Hashable, Sendable {
  /// The part of the picture in which a line is.
  enum Place: Hashable, Sendable, CaseIterable { case top, middle, bottom }

  struct Line: Hashable, Sendable {
    var text: TerminalText
    var place = Place.bottom
  }

  /// The lines from top to bottom, without empty ones.
  private(set) var lines: [Line] = []
  /// The height of the lowest row in the picture, in per cent; 100 is the bottom.
  package var position = 100.0
  /// The size, as a multiple of the usual one, in which mpv draws them into the picture; nil if they are text.
  package var drawnScale: Double?

  /// The greatest number of lines. More can't be read at once; a file that has them is broken or malicious.
  static let maximumLines = 32
  /// The greatest number of characters in a line. Titles and notes of translators are long; a whole book is not a
  /// subtitle.
  static let maximumLineLength = 500
  /// The height of mpv's subtitles, as a part of the picture's.
  private static let usualSize = 55.0 / 720
  /// The margin of mpv's subtitles, as a part of the picture's height.
  private static let drawnMargin = 22.0 / 720
  /// The fewest pixels in which letters can be read.
  private static let readableSize = 16.0

  package init() {}

  /// Creates subtitles from mpv's text.
  ///
  /// - Parameter markup: the value of mpv's property `sub-text-ass`: events of Advanced SubStation Alpha, with a line feed
  ///   between two.
  package init(markup: String) { lines = SubtitleMarkup(markup).lines }

  /// Returns whether mpv draws the subtitles into the picture: those with styles of their own and those of another size than
  /// usual, where they can be read. Otherwise they are text, which is sharper, in the terminal's only size.
  ///
  /// - Parameters:
  ///   - scale: mpv's `sub-scale`.
  ///   - areStyled: whether their format gives them a look of their own.
  ///   - height: the picture's pixels from top to bottom.
  package static func areDrawn(scale: Double, areStyled: Bool, height: Int) -> Bool {
    (scale != 1 || areStyled) && Double(height) * usualSize * scale >= readableSize
  }

  /// Returns the rows at the bottom that drawn subtitles cover.
  ///
  /// - Parameter height: the picture's rows.
  func drawnRows(of height: Int) -> Int {
    let count = lines.count { $0.place == .bottom }
    guard let drawnScale, count > 0 else { return 0 }
    let part = Self.drawnMargin + Double(count) * 1.2 * Self.usualSize * drawnScale
    return min(height, Int((Double(height) * part).rounded(.up)))
  }

  /// Returns the rows to show. Lines that are too long are wrapped into rows of similar length; the others stay whole.
  ///
  /// - Parameters:
  ///   - place: the place of the lines.
  ///   - columns: the width of the longest row, without that ellipsis.
  ///   - limit: the number of rows. If there are more, the first lines are left out, because the last ones are spoken
  ///     now. An ellipsis shows the omission.
  func rows(
    at place: Place = .bottom, columns: Int, limit: Int, ellipsis: Glyph
  ) -> [TerminalText] {
    guard columns > 0, limit > 0 else { return [] }
    let lines = lines.filter { $0.place == place }
    var shown: [[TerminalText]] = []
    var count = 0
    for line in lines.reversed() {
      let rows = line.text.balanced(to: columns)
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
