/// The reactions that rise over the pane, each in a lane of its own.
struct ReactionsView: Hashable, Sendable {
  var floats: [FloatingReactions.Float]
  var colors: PersonColors

  private static let lanes = 5

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard area.height > 1, area.width > 8 else { return }
    for float in floats {
      let symbol = canvas.symbols.isUnicode ? float.entry.sign.symbol : float.entry.sign.word
      let line = StyledLine(symbol).adding(" ").adding(
        float.entry.author.clipped(to: 16, with: canvas.symbols.ellipsis),
        colors.style(float.entry.author))
      let lane = (float.entry.id * 2) % Self.lanes
      let room = max(0, area.width - line.width - 2)
      let row = area.endRow - 1 - Int(float.height * Double(area.height))
      let box = Rect(
        column: area.column + room * lane / (Self.lanes - 1), row: max(area.row, row),
        width: line.width + 2, height: 1)
      canvas.fill(box)
      canvas.draw(line, in: box.inset(columns: 1, rows: 0))
    }
  }
}

/// The available reactions, in place of the hints.
struct ReactionSignsView: Hashable, Sendable {
  var signs: [ReactionSign]

  func draw(in area: Rect, on canvas: inout Canvas) {
    canvas.fill(area)
    var line = StyledLine()
    for (index, sign) in signs.enumerated().prefix(9) {
      line.add("\(index + 1)", .key)
      line.add(" " + (canvas.symbols.isUnicode ? sign.symbol : sign.word) + "  ")
    }
    canvas.draw(
      line.adding("esc", .key).adding(" cancel", .quiet), in: area.inset(columns: 1, rows: 0))
  }
}
