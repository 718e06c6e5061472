/// The messages and events of the last seconds, over the picture.
struct FreshChatView: Hashable, Sendable {
  var entries: [ChatEntry]
  var ownName: TerminalText
  var colors: PersonColors

  func draw(in area: Rect, on canvas: inout Canvas) {
    var area = area
    let lines = ChatParagraph.all(in: entries, mark: nil).flatMap {
      ChatView.lines(
        $0, width: max(1, area.width - 2), canvas.symbols, colors, ownName: ownName)
    }
    for line in lines.suffix(area.height).reversed() {
      var row = area.takeBottom(1)
      row.width = min(row.width, line.width + 2)
      canvas.fill(row)
      canvas.draw(line, in: row.inset(columns: 1, rows: 0))
    }
  }
}
