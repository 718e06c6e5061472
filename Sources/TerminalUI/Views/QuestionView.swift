/// A question in the middle of the screen, with its answers.
struct QuestionView: Hashable, Sendable {
  var question: QuestionModel
  var marked: Int

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let screen = Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
    let textWidth = min(56, screen.width - 6)
    // The choices have their rows for certain; a long text gives way.
    let choices = min(question.choices.count, screen.height - 4)
    var text = question.text.wrapped(to: textWidth)
    let room = max(1, screen.height - choices - 3)
    if text.count > room {
      text = Array(text.prefix(room))
      text[room - 1] =
        text[room - 1].prefix(columns: textWidth - 1) + TerminalText(glyphs: [symbols.ellipsis])
    }
    let isAiry = text.count + choices + 3 <= screen.height - 2
    let box = screen.centered(
      width: textWidth + 4, height: text.count + choices + 2 + (isAiry ? 1 : 0))
    canvas.drawFloatingFrame(box)
    var inside = box.inset(columns: 2, rows: 1)
    for line in text { canvas.draw(line, in: inside.takeTop(1), style: .strong) }
    if isAiry { _ = inside.takeTop(1) }
    for (index, choice) in question.choices.enumerated().prefix(choices) {
      let row = inside.takeTop(1)
      let isMarked = index == marked
      if isMarked { canvas.fill(row, style: .selected) }
      let key = TerminalText(String(choice.key))
      canvas.draw(
        StyledLine(
          TerminalText(glyphs: [isMarked ? symbols.prompt : .space, .space]),
          isMarked ? .selected : .plain
        )
        .adding(key, isMarked ? .selected : .key)
        .adding(
          "  " + choice.title.clipped(to: row.width - 4 - key.width, with: symbols.ellipsis),
          isMarked ? .selected : .plain),
        in: row)
    }
  }
}

extension ScreenState.Confirmation {
  /// How it is asked. "y" is the first choice; the second is marked.
  var question: QuestionModel {
    let (text, yes): (TerminalText, TerminalText) =
      switch self {
      case .leaveParty: ("Leave the party? The others go on without you.", "leave")
      case .endParty: ("End the party for everyone?", "end it for everyone")
      }
    return QuestionModel(
      id: "", text: text,
      choices: [.init(id: "yes", key: "y", title: yes), .init(id: "no", key: "n", title: "stay")])
  }
}
