/// The whole screen: a pure function from the model and the state to cells.
struct ScreenView: Hashable, Sendable {
  var model: ScreenModel
  var state: ScreenState
  var keyMap: KeyMap = .standard
  /// The ratio of a cell's height to its width.
  var cellRatio = 2.0

  func canvas(size: ScreenSize, symbols: GlyphSet) -> Canvas {
    var canvas = Canvas(size: size, symbols: symbols)
    let layout = ScreenLayout(size: size, model: model, state: state, cellRatio: cellRatio)
    guard !layout.isTooSmall else {
      TooSmallView.draw(on: &canvas)
      return canvas
    }
    if state.overlay == .sync, layout.hasRoomForPages {
      // The page covers the whole screen.
      SyncView(sync: model.sync, message: model.message).draw(in: layout, on: &canvas)
      return canvas
    }
    switch layout.form {
    case .whole, .beside, .below:
      drawPane(layout, on: &canvas)
      drawSide(layout, on: &canvas)
      drawFreshChat(layout, on: &canvas)
      drawControls(layout, on: &canvas)
    case .picture: drawPicture(layout, on: &canvas)
    case .compact:
      if !layout.pane.isEmpty { drawPane(layout, on: &canvas) }
      CompactView(model: model, state: state, keyMap: keyMap).draw(in: layout, on: &canvas)
    }
    drawCountdown(layout, on: &canvas)
    if layout.hasRoomForPages { drawOverlay(layout, on: &canvas) }
    if state.isReacting {
      ReactionSignsView(signs: model.reactionSigns).draw(in: layout.prompt, on: &canvas)
    }
    if let prompt = state.prompt {
      PromptView(prompt: prompt).draw(in: layout.prompt, on: &canvas)
      SlashCommandsView(prompt, in: model.slashHelp)?
        .draw(above: layout.prompt, in: layout, on: &canvas)
    }
    return canvas
  }

  private func drawCountdown(_ layout: ScreenLayout, on canvas: inout Canvas) {
    guard let countdown = model.message?.countdown, !state.isLibraryShown(model) else { return }
    let scale: BigText.Scale =
      !canvas.symbols.isUnicode ? .ascii : layout.pane.height < 10 ? .small : .large
    let digits = BigText(TerminalText("\(countdown)"), scale: scale)
    let area = layout.pane.centered(width: digits.width + 4, height: digits.height + 2)
    canvas.fill(area)
    digits.draw(centeredIn: area.inset(columns: 0, rows: 1), style: .accent, on: &canvas)
  }

  private func drawControls(_ layout: ScreenLayout, on canvas: inout Canvas) {
    for row in [layout.title, layout.transport, layout.notice, layout.hints] { canvas.fill(row) }
    TitleView(model: model, namesPeople: layout.rosterRows.isEmpty)
      .draw(in: layout.title, on: &canvas)
    TransportView(transport: model.transport, scrub: state.scrub)
      .draw(in: layout.transport, on: &canvas)
    NoticeView(model: model, state: state, keyMap: keyMap).draw(in: layout.notice, on: &canvas)
    HintsView(model: model, state: state, keyMap: keyMap).draw(in: layout.hints, on: &canvas)
  }

  private func drawPicture(_ layout: ScreenLayout, on canvas: inout Canvas) {
    drawPane(layout, on: &canvas)
    drawSide(layout, on: &canvas)
    drawFreshChat(layout, on: &canvas)
    guard state.areControlsShown(model) else {
      // A state stays visible without the controls.
      if !layout.notice.isEmpty {
        canvas.fill(layout.notice)
        NoticeView(model: model, state: state, keyMap: keyMap).draw(in: layout.notice, on: &canvas)
      }
      return
    }
    drawControls(layout, on: &canvas)
    if state.controls.phase == .fading {
      for row in [layout.title, layout.transport, layout.hints] {
        canvas.restyle(row) { $0 = .quiet }
      }
    }
  }

  /// Draws the latest chat over the film, if the chat has no area of its own.
  private func drawFreshChat(_ layout: ScreenLayout, on canvas: inout Canvas) {
    guard !layout.freshChat.isEmpty else { return }
    FreshChatView(
      entries: state.freshChat.entries(of: model.chat), ownName: model.ownName,
      colors: PersonColors(model.roster)
    ).draw(in: layout.freshChat, on: &canvas)
  }

  /// Returns the film in the pane; nil if the pane shows something else.
  private func picture(_ layout: ScreenLayout) -> PictureView? {
    guard let picture = model.picture, PictureView.fits(layout.paneRows) else { return nil }
    return PictureView(picture: picture, cellRatio: cellRatio)
  }

  private func drawPane(_ layout: ScreenLayout, on canvas: inout Canvas) {
    let reactions = ReactionsView(
      floats: state.reactions.floats, colors: PersonColors(model.roster))
    if state.areDetailsShown, let details = details {
      if layout.isPaneFramed { canvas.drawFrame(layout.pane, title: "Library: details") }
      details.draw(in: layout.paneInside, on: &canvas)
      return reactions.draw(in: layout.paneRows, on: &canvas)
    }
    if state.isLibraryShown(model) {
      drawBesideLibrary(layout, on: &canvas)
      LibraryView(
        library: state.shownLibrary(model), selection: state.library, query: state.search?.query,
        welcome: state.greets(model) ? WelcomeView(keyMap: keyMap) : nil
      )
      .draw(in: layout, on: &canvas)
      return reactions.draw(in: layout.paneRows, on: &canvas)
    }
    if let picture = picture(layout), canvas.symbols.isUnicode {
      picture.draw(in: layout.paneRows, free: layout.free, on: &canvas)
      return reactions.draw(in: layout.paneRows, on: &canvas)
    }
    if layout.isPaneFramed { canvas.drawFrame(layout.pane) }
    // The text of the card lies over the reactions.
    reactions.draw(in: layout.paneRows, on: &canvas)
    NowPlayingView(model: model, scrub: state.scrub).draw(in: layout.paneInside, on: &canvas)
    if let sketch = model.sketch, let area = layout.sketchArea(model, cellRatio: cellRatio) {
      SketchView(sketch: sketch, pen: state.pen, colors: PersonColors(model.roster))
        .draw(in: area, on: &canvas)
    }
  }

  private var details: DetailsView? {
    state.detailedFilm(model).map { entry in
      DetailsView(
        entry: entry, details: model.details?.id == entry.id ? model.details : nil,
        moment: state.moment(of: entry.id), isPage: state.areDetailsShown, cellRatio: cellRatio)
    }
  }

  /// Draws what is beside the library's list: the film, which goes on, and the facts about the selected one.
  private func drawBesideLibrary(_ layout: ScreenLayout, on canvas: inout Canvas) {
    guard !layout.preview.isEmpty else { return }
    canvas.drawFrame(layout.preview, title: "Details")
    details?.draw(in: layout.preview.inset(columns: 2, rows: 1), on: &canvas)
    guard let picture = model.picture, !layout.corner.isEmpty, canvas.symbols.isUnicode else {
      return
    }
    canvas.drawFrame(layout.corner, title: model.item?.title ?? .empty)
    PictureView(picture: picture, cellRatio: cellRatio)
      .draw(in: layout.corner.inset(columns: 1, rows: 1), on: &canvas)
  }

  private func drawSide(_ layout: ScreenLayout, on canvas: inout Canvas) {
    guard model.party != nil else { return }
    let symbols = canvas.symbols
    canvas.drawRule(layout.rosterRule, title: "People")
    RosterView(model: model).draw(in: layout.rosterRows, on: &canvas)

    let below = state.chatScroll
    let more: TerminalText =
      below > 0 ? TerminalText(glyphs: [symbols.down]) + " \(below)" : .empty
    canvas.drawRule(layout.chatRule, title: "Chat", trailing: more)
    canvas.fill(layout.chatRows)
    ChatView(
      entries: model.chat, ownName: model.ownName, colors: PersonColors(model.roster),
      scroll: state.chatScroll, unreadMark: state.unread.mark
    )
    .draw(in: layout.chatRows, on: &canvas)
    // In the library Enter opens the selected entry, and it may accept an offer.
    if !state.isLibraryShown(model), state.prompt == nil, !state.offersByEnter(model) {
      ChatInvitationView(keyMap: keyMap).draw(in: layout.chatPrompt, on: &canvas)
    }
  }

  private func drawOverlay(_ layout: ScreenLayout, on canvas: inout Canvas) {
    if state.overlay != nil || state.question(model) != nil {
      // The rest of the screen becomes less prominent.
      canvas.restyle(canvas.bounds) { if !$0.isLetterbox { $0 = .quiet } }
    }
    switch state.overlay {
    case .help(let scroll, let filter):
      HelpView(keyMap: keyMap, problems: model.settingsProblems, scroll: scroll, filter: filter)
        .draw(in: layout, on: &canvas)
    case .invite(let isCopied):
      InviteView(party: model.party, notice: isCopied ? model.inviteNotice : nil)
        .draw(in: layout, on: &canvas)
    case .confirmation(let confirmation):
      QuestionView(question: confirmation.question, marked: 1).draw(in: layout, on: &canvas)
    case .playlist(let selected):
      PlaylistView(entries: model.playlist, selected: selected).draw(in: layout, on: &canvas)
    case .sync, nil:
      if let question = state.question(model) {
        QuestionView(question: question, marked: state.choiceIndex(question))
          .draw(in: layout, on: &canvas)
      }
    }
  }
}
