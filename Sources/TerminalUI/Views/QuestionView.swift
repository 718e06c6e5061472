/// A question in the middle of the screen, with its answers.
struct QuestionView: Hashable, Sendable {
  var question: QuestionModel
  var marked: Int

  /// The areas of the parts.
  private struct Parts {
    var box: Rect
    var text: [TerminalText]
    /// The choices that have room, one per row.
    var choices: Rect
  }

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let parts = parts(in: layout, symbols)
    canvas.drawFloatingFrame(parts.box)
    var inside = parts.box.inset(columns: 2, rows: 1)
    for line in parts.text { canvas.draw(line, in: inside.takeTop(1), style: .strong) }
    for (index, choice) in question.choices.prefix(parts.choices.height).enumerated() {
      let row = parts.choices.line(index)
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

  /// Returns the choice at a point of the screen, for the mouse.
  func choice(at point: ScreenPoint, in layout: ScreenLayout) -> Int? {
    let rows = parts(in: layout, .unicode).choices
    return rows.contains(point) ? point.row - rows.row : nil
  }

  private func parts(in layout: ScreenLayout, _ symbols: GlyphSet) -> Parts {
    let screen = Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
    let textWidth = min(56, screen.width - 6)
    // The choices always have their rows; a long text is cut.
    let choices = min(question.choices.count, screen.height - 4)
    var text = question.text.asLeftToRight.withLinks.wrapped(to: textWidth)
    let room = max(1, screen.height - choices - 3)
    if text.count > room {
      text = Array(text.prefix(room))
      text[room - 1] =
        text[room - 1].prefix(columns: textWidth - 1) + TerminalText(glyphs: [symbols.ellipsis])
    }
    let isAiry = text.count + choices + 3 <= screen.height - 2
    let box = screen.centered(
      width: textWidth + 4, height: text.count + choices + 2 + (isAiry ? 1 : 0))
    var inside = box.inset(columns: 2, rows: 1)
    _ = inside.takeTop(text.count + (isAiry ? 1 : 0))
    inside.height = min(inside.height, choices)
    return Parts(box: box, text: text, choices: inside)
  }
}

extension QuestionModel {
  /// Returns "1 other", "3 others".
  static func count(others: Int) -> TerminalText {
    others == 1 ? "1 other" : TerminalText("\(others) others")
  }
}

extension ScreenState.Confirmation {
  /// The question that asks for the confirmation. "y" is the first choice; the second is marked.
  var question: QuestionModel {
    let (text, yes, no): (TerminalText, TerminalText, TerminalText) =
      switch self {
      case .leaveParty(closingFor: 0):
        ("Leave the party? Everyone else keeps watching.", "leave", "stay")
      case .leaveParty(closingFor: let others):
        (
          "Leave and close the party for " + QuestionModel.count(others: others) + "?",
          "leave and close", "stay"
        )
      case .endParty:
        ("End the party for everyone? The film pauses for all.", "end the party", "stay")
      case .forgetParty(_, let title):
        (
          "Forget " + title + "? You need a new invite to come back.", "forget it",
          "keep it"
        )
      }
    return QuestionModel(
      id: "", text: text,
      choices: [.init(id: "yes", key: "y", title: yes), .init(id: "no", key: "n", title: no)])
  }
}
