/// The line being typed, in place of the hints.
struct PromptView: Hashable, Sendable {
  var prompt: Prompt

  func draw(in area: Rect, on canvas: inout Canvas) {
    canvas.fill(area)
    var room = area.inset(columns: 1, rows: 0)
    let symbols = canvas.symbols
    let start = canvas.draw(
      StyledLine(prompt.label, .key).adding(
        TerminalText(glyphs: [.space, symbols.prompt, .space]), .quiet),
      in: room)
    room.width -= start - room.column
    room.column = start

    let tab = StyledLine("tab", .key).adding(" complete  ", .quiet)
    var help = StyledLine("enter", .key).adding(" done  ", .quiet).adding("esc", .key)
      .adding(" cancel", .quiet)
    if prompt.kind == .openURL { help.spans = tab.spans + help.spans }
    let helpRoom = help.width + 2
    if room.width - helpRoom >= 40 {
      canvas.draw(
        help,
        in: Rect(column: room.endColumn - help.width, row: room.row, width: help.width, height: 1))
      room.width -= helpRoom
    }

    if prompt.editor.isEmpty {
      canvas.draw(
        prompt.placeholder.clipped(to: room.width, with: symbols.ellipsis), in: room, style: .quiet)
      canvas.cursor = ScreenPoint(column: room.column, row: room.row)
      return
    }
    // The cursor needs a cell of its own after the last character of the line.
    let before = TerminalText(prompt.editor.before)
    let after = TerminalText(prompt.editor.after)
    let visible = visibleBefore(before, after: after, room: room.width - 1)
    let line = TerminalText(
      glyphs: visible.glyphs + after.prefix(columns: room.width - 1 - visible.width).glyphs,
      direction: (before + after).direction)
    let end = TerminalText(glyphs: line.glyphs + [.space], direction: line.direction)
    canvas.drawEdited(end, cursor: visible.glyphs.count, in: room)
  }

  /// Returns the visible part before the cursor. A line that is too long is scrolled so that the cursor shows, with
  /// some of the text after it.
  private func visibleBefore(_ before: TerminalText, after: TerminalText, room: Int) -> TerminalText
  {
    if before.width + after.width <= room { return before }
    let context = min(after.width, room / 4)
    return before.suffix(columns: room - context)
  }
}
