/// What was said or done just now, over the picture.
struct FreshChatView: Hashable, Sendable {
  var entries: [ChatEntry]
  var colors: PersonColors

  func draw(in area: Rect, on canvas: inout Canvas) {
    var area = area
    let lines = entries.flatMap {
      ChatView.lines($0, width: max(1, area.width - 2), canvas.symbols, colors)
    }
    for line in lines.suffix(area.height).reversed() {
      var row = area.takeBottom(1)
      row.width = min(row.width, line.width + 2)
      canvas.fill(row)
      canvas.draw(line, in: row.inset(columns: 1, rows: 0))
    }
  }
}
