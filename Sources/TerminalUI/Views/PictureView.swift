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
    let place = place(in: area)
    canvas.reservePicture(place)
    let lines = picture.subtitles.flatMap { $0.wrapped(to: max(1, place.width - 4)) }.suffix(3)
    guard !lines.isEmpty else { return }
    // Under the picture if there is room, else on its lowest rows.
    let below = area.endRow - place.endRow
    let top = below >= lines.count ? place.endRow : place.endRow - lines.count
    for (offset, line) in lines.enumerated() {
      let row = Rect(column: area.column, row: top + offset, width: area.width, height: 1)
      let shown = row.centered(width: line.width + 2, height: 1)
      canvas.fill(shown)
      canvas.drawCentered(StyledLine(line, .strong), in: shown)
    }
  }

  /// As large as may be, in the middle.
  func place(in area: Rect) -> Rect {
    let shape = Double(max(1, picture.width)) / Double(max(1, picture.height)) * cellRatio
    let width = min(area.width, Int((Double(area.height) * shape).rounded()))
    let height = min(area.height, Int((Double(width) / shape).rounded()))
    return area.centered(width: max(1, width), height: max(1, height))
  }
}
