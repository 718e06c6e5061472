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
    for place in Subtitles.Place.allCases where picture.subtitles.drawnScale == nil {
      let rows = subtitleRows(at: place, in: area, free: free, ellipsis: ellipsis)
      var rest = subtitleArea(rows.count, at: place, in: area, free: free)
      for text in rows {
        let shown = rest.takeTop(1).centered(width: text.width + 2, height: 1)
        canvas.fill(shown, style: .letterbox)
        canvas.drawCentered(
          StyledLine(text, Style(role: .letterbox, attributes: .bold)), in: shown)
      }
    }
  }

  /// Returns the rows of `area` that the subtitles at the bottom cover, over its whole width.
  func subtitleArea(in area: Rect, free: Rect? = nil, ellipsis: Glyph) -> Rect {
    if picture.subtitles.drawnScale != nil {
      var shown = pictureArea(in: area)
      return shown.takeBottom(picture.subtitles.drawnRows(of: shown.height))
    }
    let rows = subtitleRows(at: .bottom, in: area, free: free, ellipsis: ellipsis)
    return subtitleArea(rows.count, at: .bottom, in: area, free: free)
  }

  /// At the bottom they are under the picture if there is room, otherwise on its lowest rows.
  private func subtitleArea(
    _ count: Int, at place: Subtitles.Place, in area: Rect, free: Rect?
  ) -> Rect {
    let shown = pictureArea(in: area)
    let end = Self.end(area, free)
    let lowest = min(end, shown.endRow) - count
    let top =
      switch place {
      case .top: shown.row
      case .middle: shown.row + (shown.height - count) / 2
      case .bottom:
        if picture.subtitles.position < 100 {
          shown.row + Int(Double(shown.height) * picture.subtitles.position / 100) - count
        } else {
          end - shown.endRow >= count ? shown.endRow : lowest
        }
      }
    let isBelow = place == .bottom && top == shown.endRow
    return Rect(
      column: area.column, row: isBelow ? top : max(shown.row, min(top, lowest)),
      width: area.width, height: count)
  }

  private static func end(_ area: Rect, _ free: Rect?) -> Int {
    min(area.endRow, free?.endRow ?? area.endRow)
  }

  /// Returns the subtitles' rows. They cover at most a third of the picture, but there is always room for two lines.
  private func subtitleRows(
    at place: Subtitles.Place, in area: Rect, free: Rect?, ellipsis: Glyph
  ) -> [TerminalText] {
    let shown = pictureArea(in: area)
    let below = place == .bottom ? Self.end(area, free) - shown.endRow : 0
    let limit = max(2, shown.height / 3, below)
    return picture.subtitles.rows(
      at: place, columns: max(1, shown.width - 4), limit: min(limit, shown.height),
      ellipsis: ellipsis)
  }

  /// Returns the picture's area: as large as possible, in the middle.
  func pictureArea(in area: Rect) -> Rect {
    let shape = Double(max(1, picture.width)) / Double(max(1, picture.height)) * cellRatio
    let width = min(area.width, Int((Double(area.height) * shape).rounded()))
    let height = min(area.height, Int((Double(width) / shape).rounded()))
    return area.centered(width: max(1, width), height: max(1, height))
  }
}
