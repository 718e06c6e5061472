/// The film's picture: a place that stays free for it, in its shape, and the subtitles as text.
struct PictureView: Hashable, Sendable {
  /// Below this nothing can be made out.
  static let smallest = ScreenSize(columns: 20, rows: 6)

  var picture: PictureModel
  /// How high a cell is against its width.
  var cellRatio: Double

  static func fits(_ area: Rect) -> Bool {
    area.width >= smallest.columns && area.height >= smallest.rows
  }

  func draw(in area: Rect, on canvas: inout Canvas) {
    canvas.reservePicture(place(in: area))
    let rows = subtitleRows(in: area, ellipsis: canvas.symbols.ellipsis)
    var rest = subtitleArea(in: area, ellipsis: canvas.symbols.ellipsis)
    for text in rows {
      let shown = rest.takeTop(1).centered(width: text.width + 2, height: 1)
      canvas.fill(shown)
      canvas.drawCentered(StyledLine(text, .strong), in: shown)
    }
  }

  /// The rows of `area` that the subtitles cover, over its whole width: under the picture if there is room, else the
  /// lowest ones of the picture.
  func subtitleArea(in area: Rect, ellipsis: Glyph) -> Rect {
    let place = place(in: area)
    let count = subtitleRows(in: area, ellipsis: ellipsis).count
    let below = area.endRow - place.endRow
    let top = below >= count ? place.endRow : place.endRow - count
    return Rect(column: area.column, row: top, width: area.width, height: count)
  }

  /// At most a third of the picture is covered, but always room for two lines.
  private func subtitleRows(in area: Rect, ellipsis: Glyph) -> [TerminalText] {
    let place = place(in: area)
    let below = area.endRow - place.endRow
    let limit = max(2, place.height / 3, below)
    return picture.subtitles.rows(
      columns: max(1, place.width - 4), limit: min(limit, place.height), ellipsis: ellipsis)
  }

  /// As large as may be, in the middle.
  func place(in area: Rect) -> Rect {
    let shape = Double(max(1, picture.width)) / Double(max(1, picture.height)) * cellRatio
    let width = min(area.width, Int((Double(area.height) * shape).rounded()))
    let height = min(area.height, Int((Double(width) / shape).rounded()))
    return area.centered(width: max(1, width), height: max(1, height))
  }
}
