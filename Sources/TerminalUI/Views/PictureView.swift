/// The film's picture: a reserved area of its shape, on black, and the subtitles as text.
struct PictureView: Hashable, Sendable {
  /// The smallest size at which a picture is recognizable.
  static let smallest = ScreenSize(columns: 20, rows: 6)

  var picture: PictureModel
  /// The ratio of a cell's height to its width.
  var cellRatio: Double

  static func fits(_ area: Rect) -> Bool {
    area.width >= smallest.columns && area.height >= smallest.rows
  }

  /// Draws the area and the subtitles.
  ///
  /// - Parameter free: the part of `area` that nothing will cover, for the subtitles; nil for all of it.
  func draw(in area: Rect, free: Rect? = nil, on canvas: inout Canvas) {
    canvas.fill(area, style: .letterbox)
    canvas.reservePicture(pictureArea(in: area))
    let ellipsis = canvas.symbols.ellipsis
    var rest = subtitleArea(in: area, free: free, ellipsis: ellipsis)
    for text in subtitleRows(in: area, free: free, ellipsis: ellipsis) {
      let shown = rest.takeTop(1).centered(width: text.width + 2, height: 1)
      canvas.fill(shown, style: .letterbox)
      canvas.drawCentered(
        StyledLine(text, Style(role: .letterbox, attributes: .bold)), in: shown)
    }
  }

  /// Returns the rows of `area` that the subtitles cover, over its whole width: under the picture if there is room,
  /// otherwise its lowest ones.
  func subtitleArea(in area: Rect, free: Rect? = nil, ellipsis: Glyph) -> Rect {
    let shown = pictureArea(in: area)
    let end = Self.end(area, free)
    let count = subtitleRows(in: area, free: free, ellipsis: ellipsis).count
    let top = end - shown.endRow >= count ? shown.endRow : min(end, shown.endRow) - count
    return Rect(column: area.column, row: top, width: area.width, height: count)
  }

  private static func end(_ area: Rect, _ free: Rect?) -> Int {
    min(area.endRow, free?.endRow ?? area.endRow)
  }

  /// Returns the subtitles' rows. They cover at most a third of the picture, but there is always room for two lines.
  private func subtitleRows(in area: Rect, free: Rect?, ellipsis: Glyph) -> [TerminalText] {
    let shown = pictureArea(in: area)
    let below = Self.end(area, free) - shown.endRow
    let limit = max(2, shown.height / 3, below)
    return picture.subtitles.rows(
      columns: max(1, shown.width - 4), limit: min(limit, shown.height), ellipsis: ellipsis)
  }

  /// Returns the picture's area: as large as possible, in the middle.
  func pictureArea(in area: Rect) -> Rect {
    let shape = Double(max(1, picture.width)) / Double(max(1, picture.height)) * cellRatio
    let width = min(area.width, Int((Double(area.height) * shape).rounded()))
    let height = min(area.height, Int((Double(width) / shape).rounded()))
    return area.centered(width: max(1, width), height: max(1, height))
  }
}
