/// Cells for a terminal that turns the letters of each Hebrew or Arabic word round, but not the words of a line.
///
/// kitty gives each stretch of cells of one font to HarfBuzz, which shows it from right to left if its first letter is
/// written so. The stretch ends at blanks.
enum VisualWords {
  /// The row with the letters of each word turned round, so that they are seen in the order that `row` has.
  ///
  /// A sign or digit beside a word may or may not have the word's font, and would be turned with it; oblique it has a
  /// font of its own.
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
