/// Cells for a terminal that reverses the letters of each Hebrew or Arabic word, but not the words of a line.
///
/// kitty gives each run of cells of one font to HarfBuzz, which shows it from right to left if its first letter is
/// written so. The run ends at blanks.
enum VisualWords {
  /// Returns the row with the letters of each word reversed, so that the terminal shows them in the order of `row`.
  ///
  /// A sign or digit beside a word may have the word's font, and would be reversed with it. Italic gives it a font of
  /// its own.
  static func turned(_ row: ArraySlice<Canvas.Cell>) -> [Canvas.Cell] {
    var cells = Array(row)
    var start = 0
    while start < cells.count {
      guard cells[start].glyph?.direction == .rightToLeft else {
        start += 1
        continue
      }
      var end = start + 1
      while end < cells.count, cells[end].glyph?.direction == .rightToLeft,
        cells[end].style == cells[start].style
      {
        end += 1
      }
      cells[start..<end].reverse()
      for neighbor in [start - 1, end] where cells.indices.contains(neighbor) {
        guard let glyph = cells[neighbor].glyph, glyph.direction != .rightToLeft, glyph != .space,
          glyph != .picture, glyph.width == 1
        else { continue }
        cells[neighbor].style.attributes.insert(.italic)
      }
      start = end
    }
    return cells
  }
}
