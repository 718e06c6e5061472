/// The compact screen of up to three lines: the film's position, the news, and the keys.
struct CompactView: Hashable, Sendable {
  var model: ScreenModel
  var state: ScreenState
  var keyMap: KeyMap

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let news = news(width: layout.size.columns - 2, canvas.symbols)
    let hasNewsRow = !layout.notice.isEmpty
    if !hasNewsRow, layout.hints.isEmpty, let news, isUrgent || isApart {
      // There is one line: the more important content has it for a while.
      draw(news, in: layout.prompt, on: &canvas)
    } else {
      let title = model.item?.title ?? .empty
      canvas.draw(
        title.clipped(to: layout.title.width, with: canvas.symbols.ellipsis), in: layout.title,
        style: .strong)
      TransportView(transport: model.transport, scrub: state.scrub)
        .draw(in: layout.transport, on: &canvas)
      if hasNewsRow, let news { draw(news, in: layout.notice, on: &canvas) }
    }
    if !layout.hints.isEmpty {
      HintsView(model: model, state: state, keyMap: keyMap).draw(in: layout.hints, on: &canvas)
    }
    drawQuestion(in: layout, on: &canvas)
  }

  private enum News {
    case notice
    case state(StateLine)
    case line(StyledLine)
  }

  private var isApart: Bool { NoticeView.hasStateLine(model, state) }

  private var isUrgent: Bool {
    model.waiting != nil || model.message != nil || state.prompt?.complaint != nil
  }

  private func news(width: Int, _ symbols: GlyphSet) -> News? {
    if isUrgent { return .notice }
    if let line = NoticeView.stateLine(model, state, keyMap, symbols) { return .state(line) }
    let colors = PersonColors(model.roster)
    if let entry = model.chat.last {
      return ChatView.lines(
        ChatParagraph(entry), width: max(width, 1), symbols, colors, ownName: model.ownName
      ).first.map { .line($0) }
    }
    return nil
  }

  private func draw(_ news: News, in area: Rect, on canvas: inout Canvas) {
    switch news {
    case .notice:
      var plain = model
      // It has a row of its own, or is replaced for a moment.
      plain.participantState = nil
      plain.party?.limit = nil
      var unscrubbed = state
      unscrubbed.scrub = nil
      NoticeView(model: plain, state: unscrubbed, keyMap: keyMap).draw(in: area, on: &canvas)
    case .state(let line):
      let room = area.inset(columns: 1, rows: 0)
      canvas.draw(line.line(width: room.width), in: room)
    case .line(let line):
      var room = area.inset(columns: 1, rows: 0)
      let unread = state.unread.count(in: model.chat)
      if unread > 0 {
        let text: TerminalText = "\(unread) new"
        canvas.drawTrailing(text, in: room, style: .key)
        room.width -= text.width + 2
      }
      canvas.draw(line, in: room)
    }
  }

  /// Draws the question in the prompt's line if pages have no room. Other pages only say there which size they need.
  private func drawQuestion(in layout: ScreenLayout, on canvas: inout Canvas) {
    guard !layout.hasRoomForPages else { return }
    let line: StyledLine
    switch state.overlay {
    case nil:
      guard let question = state.question(model) else { return }
      line = Self.line(question)
    case .confirmation(let confirmation): line = Self.line(confirmation.question)
    case .invite:
      line = StyledLine("c", .key).adding(" copy the invite  ").adding("esc", .key)
        .adding(" back")
    case .help, .sync, .playlist:
      let needed = ScreenSize.smallest
      line = StyledLine("Needs \(needed.columns) columns and \(needed.rows) rows  ", .caution)
        .adding("esc", .key).adding(" back")
    }
    canvas.fill(layout.prompt)
    canvas.draw(line, in: layout.prompt.inset(columns: 1, rows: 0))
  }

  /// Returns the choices with the keys first, because the keys must not be cut off.
  private static func line(_ question: QuestionModel) -> StyledLine {
    question.choices.reduce(into: StyledLine()) { line, choice in
      line.add(TerminalText(String(choice.key)), .key)
      line.add(" " + choice.title + "  ")
    }.adding(question.text, .strong)
  }
}
