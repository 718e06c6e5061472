/// Neighbouring cells of one style and one link, which are written once more because ncurses has no links.
///
/// All of them show ASCII characters, so that their columns are beyond doubt.
struct LinkedCells: Hashable, Sendable {
  var column: Int
  var text: String
  var style: Style
  /// The link; nil takes a former one away.
  var link: Link?

  /// Returns the cells that need a link, and those that keep a former one unless they are written again: ncurses doesn't
  /// send a cell that shows the same as before.
  ///
  /// - Parameter shown: the row that the terminal showed before; nil if it was cleared.
  static func all(in row: [Canvas.Cell], after shown: ArraySlice<Canvas.Cell>?) -> [LinkedCells] {
    var result: [LinkedCells] = []
    for (column, cell) in row.enumerated() {
      let former = shown.flatMap { $0[$0.startIndex + column].glyph }
      guard let glyph = cell.glyph,
        glyph.link != nil || (former?.link != nil && former?.text == glyph.text)
      else { continue }
      if let last = result.last, last.column + last.text.utf8.count == column,
        (last.style, last.link) == (cell.style, glyph.link)
      {
        result[result.count - 1].text += glyph.text
      } else {
        result.append(
          LinkedCells(column: column, text: glyph.text, style: cell.style, link: glyph.link))
      }
    }
    return result
  }
}
