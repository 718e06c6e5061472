/// A clock that can be read from across the room: digits drawn with blocks.
struct BigText: Hashable, Sendable {
  enum Scale: Hashable, Sendable {
    /// Two pixels above each other in a cell, one column wide.
    case small
    /// A pixel two columns wide and a row high.
    case large
    /// A number sign for each pixel.
    case ascii
  }

  private static let pixelRows = 5

  let scale: Scale
  /// The pixels, row by row.
  private let pixels: [[Bool]]

  /// Creates a clock.
  ///
  /// - Parameter text: digits, colons and minus; all other characters are left out.
  init(_ text: TerminalText, scale: Scale) {
    self.scale = scale
    var rows = Array(repeating: [Bool](), count: Self.pixelRows)
    for glyph in text.glyphs {
      guard let shape = glyph.text.first.flatMap({ Self.shapes[$0] }) else { continue }
      for row in rows.indices {
        if !rows[row].isEmpty { rows[row].append(false) }
        rows[row] += shape[row].map { $0 == "#" }
      }
    }
    pixels = rows
  }

  var width: Int { pixels[0].count * (scale == .large ? 2 : 1) }
  var height: Int { scale == .small ? (Self.pixelRows + 1) / 2 : Self.pixelRows }

  func draw(centeredIn area: Rect, style: Style, on canvas: inout Canvas) {
    for row in 0..<min(height, area.height) {
      canvas.drawCentered(line(row), in: area.line(row), style: style)
    }
  }

  private func line(_ row: Int) -> TerminalText {
    switch scale {
    case .small:
      let upper = pixels[2 * row]
      let lower = 2 * row + 1 < pixels.count ? pixels[2 * row + 1] : upper.map { _ in false }
      return TerminalText(
        glyphs: zip(upper, lower).map { pair -> Glyph in
          switch pair {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): .space
          }
        })
    case .large:
      return TerminalText(
        glyphs: pixels[row].flatMap { Array(repeating: $0 ? "█" : .space, count: 2) })
    case .ascii: return TerminalText(glyphs: pixels[row].map { $0 ? "#" : .space })
    }
  }

  private static let shapes: [Character: [String]] = [
    "0": ["###", "#.#", "#.#", "#.#", "###"],
    "1": [".#.", "##.", ".#.", ".#.", "###"],
    "2": ["###", "..#", "###", "#..", "###"],
    "3": ["###", "..#", "###", "..#", "###"],
    "4": ["#.#", "#.#", "###", "..#", "..#"],
    "5": ["###", "#..", "###", "..#", "###"],
    "6": ["###", "#..", "###", "#.#", "###"],
    "7": ["###", "..#", "..#", "..#", "..#"],
    "8": ["###", "#.#", "###", "#.#", "###"],
    "9": ["###", "#.#", "###", "..#", "###"],
    ":": [".", "#", ".", "#", "."],
    "-": ["..", "..", "##", "..", ".."],
  ]
}
