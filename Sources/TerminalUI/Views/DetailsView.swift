/// One of the library's films: a picture of it, and the known facts.
struct DetailsView: Hashable, Sendable {
  var entry: LibraryModel.Entry
  /// The known facts; nil until the application has provided them.
  var details: DetailsModel?
  /// The index of the chosen moment.
  var moment: Int?
  /// A Boolean value that indicates whether keys choose moments.
  var isPage: Bool
  var cellRatio: Double

  private static let leastMoments = 3

  private func heading(of count: Int) -> [StyledLine] {
    guard count > 0 else { return [] }
    let keys: TerminalText = isPage ? ": a number shows one, Enter plays it" : ""
    return [
      StyledLine(TerminalText("\(count == 1 ? "1 moment" : "\(count) moments")") + keys, .quiet)
    ]
  }

  func draw(in area: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    var area = area
    let lines = details?.lines ?? []
    let names = lines.map(\.name.width).max() ?? 0
    let moments = (details?.moments ?? []).enumerated().map { index, text in
      StyledLine("\(index + 1) ", .key).adding(
        text.clipped(to: area.width - 2, with: symbols.ellipsis),
        index == moment ? .selected : .plain)
    }
    let facts = lines.flatMap { line -> [StyledLine] in
      let width = max(8, area.width - names - 2)
      return line.value.wrapped(to: width).prefix(2).enumerated().map { index, part in
        let name = index == 0 ? line.name : .empty
        return StyledLine(name + TerminalText.blanks(names - name.width + 2), .quiet)
          .adding(part, .plain)
      }
    }
    let title = (details?.title ?? entry.title).wrapped(to: area.width).prefix(2)
    let heading = heading(of: moments.count)
    // Some moments are worth more than the last facts, and the chosen one is among them.
    let left = max(0, area.height - title.count - 1 - heading.count)
    let known = facts.prefix(max(0, left - min(Self.leastMoments, moments.count)))
    let shown = min(moments.count, left - known.count)
    let first = min(max(0, (moment ?? 0) - shown + 1), moments.count - shown)
    let rows = known + heading + moments[first..<first + shown]
    // The picture has the room that the text leaves, if that is enough for one.
    let words = title.count + 1 + rows.count
    if let still = details?.still, symbols.isUnicode {
      var room = area
      room.height = area.height - words - 1
      if PictureView.fits(room) {
        let view = PictureView(picture: still, cellRatio: cellRatio)
        let pictureArea = view.pictureArea(in: room)
        room.height = min(room.height, pictureArea.height)
        view.draw(in: room, on: &canvas)
        _ = area.takeTop(room.height + 1)
      }
    }
    for line in title where area.height > 0 {
      canvas.draw(line, in: area.takeTop(1), style: .strong)
    }
    if area.height > rows.count { _ = area.takeTop(1) }
    for row in rows where area.height > 0 { canvas.draw(row, in: area.takeTop(1)) }
  }
}
