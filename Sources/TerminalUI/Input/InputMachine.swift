import Timekeeping

/// Decides what keys, mouse and pastes do, from what is on the screen when they come.
struct InputMachine: Sendable {
  /// What the shell has to do.
  enum Effect: Hashable, Sendable {
    case intent(Intent)
    case redraw
    case suspend
    case copy(String)
    /// Somebody speaks to the person.
    case notify(TerminalText)
  }

  private(set) var state = ScreenState()
  private let keyMap: KeyMap
  /// Whether the terminal has the keyboard; nil if it doesn't say.
  private var focus: Bool?

  init(keyMap: KeyMap = .standard) { self.keyMap = keyMap }

  /// - Parameters:
  ///   - model: what the screen shows.
  ///   - size: of the screen, which decides what the mouse points at and how far a page is.
  ///   - now: when it came.
  mutating func handle(
    _ event: InputEvent, model: ScreenModel, size: ScreenSize, at now: HostTime
  ) -> [Effect] {
    state.advance(to: now)
    let layout = ScreenLayout(size: size, model: model, state: state)
    defer { state.library.settle(in: model.library, rows: layout.paneRows.height) }
    let wasSyncShown = state.overlay == .sync
    let effects: [Effect]
    switch event {
    case .key(let key):
      effects = press(key, model, layout)
      state.controls.wake(at: now)
    case .paste(let text): effects = paste(text, model)
    case .mouse(let mouse):
      effects = handle(mouse, model, layout, at: now)
      state.controls.wake(at: now)
    case .focus(let isFocused):
      focus = isFocused
      effects = []
    case .status, .directColor: effects = []
    }
    look(at: model, size)
    // However it came or went: the application needn't know how.
    let isSyncShown = state.overlay == .sync
    return isSyncShown == wasSyncShown ? effects : effects + [.intent(.showSync(isSyncShown))]
  }

  /// When the screen has to be drawn again though nothing happens; nil for never.
  var nextChange: HostTime? { state.nextChange }

  mutating func advance(to now: HostTime) { state.advance(to: now) }

  /// - Returns: what the shell has to do.
  mutating func modelChanged(
    from old: ScreenModel, to new: ScreenModel, size: ScreenSize, at now: HostTime
  ) -> [Effect] {
    state.advance(to: now)
    let known = old.chat.last?.id ?? .min
    let fresh = new.chat.reversed().prefix { $0.id > known }
    state.freshChat.add(fresh.prefix(FreshChat.maximumCount).reversed(), at: now)
    if new.party == nil, case .invite = state.overlay { state.overlay = nil }
    look(at: new, size)
    showInvite(after: old, new)
    // Whose terminal says that it is being looked at needs no sign.
    guard focus != true else { return [] }
    return fresh.reversed().compactMap { entry in
      guard case .said(let text, let author, isOwn: false) = entry.content,
        Mention.isFound(of: new.ownName, in: text)
      else { return nil }
      return .notify(author + ": " + text)
    }
  }

  /// What can be seen is read.
  private mutating func look(at model: ScreenModel, _ size: ScreenSize) {
    let layout = ScreenLayout(size: size, model: model, state: state)
    let isChatShown = !layout.chatRows.isEmpty && state.chatScroll == 0 && state.overlay != .sync
    state.unread.update(model.chat, isLooking: focus != false && isChatShown)
  }

  /// Shows the invite once the user has opened a party, since getting it to the others is what comes
  /// next, until the first one is there.
  private mutating func showInvite(after old: ScreenModel, _ new: ScreenModel) {
    // That page was asked for; `I` shows the invite.
    guard state.overlay != .sync else { return }
    if case .invite = state.overlay, old.roster.count == 1, new.roster.count > 1 {
      state.overlay = nil
    }
    guard old.party == nil, let party = new.party, party.isHost, party.invite != nil,
      new.roster.count <= 1
    else { return }
    state.overlay = .invite(isCopied: false)
  }

  private mutating func press(_ key: KeyPress, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    // These work whatever is open.
    if key.modifiers == .control, let command = keyMap.command(for: key, isInLibrary: false) {
      switch command {
      case .intent(.quit), .redraw, .suspend: return perform(command, model, layout)
      default: break
      }
    }
    if state.scrub != nil { return scrub(key, model) }
    if state.prompt != nil { return type(key, model, layout) }
    if let overlay = state.overlay { return press(key, in: overlay, model, layout) }
    if let question = state.question(model) { return answer(key, question) }
    let isInLibrary = state.isLibraryShown(model)
    guard let command = keyMap.command(for: key, isInLibrary: isInLibrary) else { return [] }
    return perform(command, model, layout)
  }

  private mutating func perform(_ command: Command, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    switch command {
    case .intent(let intent): return [.intent(intent)]
    case .startAnywayOrPause: return [.intent(model.waiting == nil ? .playPause : .startAnyway)]
    case .chapterOrLongSeek(let step):
      return [
        .intent(
          model.transport.chapters.isEmpty
            ? .skip(by: .seconds(600 * step)) : .seekChapter(by: step))
      ]
    case .scrub:
      guard model.item != nil, model.transport.duration != nil else { return [] }
      state.scrub = model.transport.itemTime
      state.isKeyScrub = true
      return follow()
    case .stepAwayOrRejoin: return [.intent(model.isSteppedAway ? .rejoin : .stepAway)]
    case .prompt(let kind):
      state.prompt = Prompt(kind, text: kind == .name ? model.ownName.description : "")
    case .showHelp: state.overlay = .help(scroll: 0)
    case .toggleSync: state.overlay = .sync
    case .showInvite:
      if model.party == nil {
        state.prompt = Prompt(.join)
      } else {
        state.overlay = .invite(isCopied: false)
      }
    case .togglePicture: arrange(.picture, model)
    case .toggleCompact: arrange(.compact, model)
    case .toggleLibrary:
      state.isLibraryWanted = !state.isLibraryShown(model)
      state.arrangement = .standard
    case .leaveParty: if model.party != nil { state.overlay = .confirmation(.leaveParty) }
    case .endParty: if model.party?.isHost == true { state.overlay = .confirmation(.endParty) }
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .select(let step): select(model, by: step)
    case .selectPage(let step): select(model, by: step * max(1, layout.paneRows.height - 1))
    case .selectFirst: state.library.select(0, in: model.library)
    case .selectLast: state.library.select(.max, in: model.library)
    case .openSelected: return openSelected(model)
    case .enqueueSelected:
      guard let index = state.library.index(in: model.library) else { return [] }
      let entry = model.library.entries[index]
      return entry.kind == .folder ? [] : [.intent(.enqueue(entry.id))]
    case .leaveFolder: return model.library.hasParent ? [.intent(.leaveFolder)] : []
    case .closeLibrary: if model.item != nil { state.isLibraryWanted = false }
    }
    return []
  }

  private mutating func arrange(_ arrangement: ScreenState.Arrangement, _ model: ScreenModel) {
    state.arrangement = state.arrangement == arrangement ? .standard : arrangement
    if state.arrangement != .standard, model.item != nil { state.isLibraryWanted = nil }
  }

  private mutating func select(_ model: ScreenModel, by step: Int) {
    guard let index = state.library.index(in: model.library) else { return }
    state.library.select(index + step, in: model.library)
  }

  private mutating func openSelected(_ model: ScreenModel) -> [Effect] {
    guard let index = state.library.index(in: model.library) else { return [] }
    let entry = model.library.entries[index]
    // The selection stays even where it was only the default.
    state.library.select(index, in: model.library)
    // A film takes the pane as soon as it is open; a folder is gone on with.
    switch entry.kind {
    case .film, .audio: state.isLibraryWanted = model.item == nil ? nil : false
    case .folder: break
    }
    return [.intent(.choose(entry.id))]
  }
}

// What is typed at prompts.
extension InputMachine {
  private mutating func type(_ key: KeyPress, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    guard var prompt = state.prompt else { return [] }
    switch (key.key, key.modifiers) {
    case (.escape, _):
      state.prompt = nil
      return []
    case (.enter, _): return submit(prompt, model)
    case (.backspace, []) where prompt.editor.isEmpty:
      state.prompt = nil
      return []
    case (.pageUp, _), (.pageDown, _):
      scrollChat(
        key.key == .pageUp ? max(1, layout.chatRows.height - 1) : 1 - layout.chatRows.height,
        layout, model)
      return []
    case (.tab, []) where prompt.kind == .chat: complete(&prompt, model)
    case (.up, _) where prompt.kind == .chat:
      if let line = state.history.older(than: prompt.editor.text) {
        prompt.editor.replace(with: line)
      }
    case (.down, _) where prompt.kind == .chat:
      if let line = state.history.newer() { prompt.editor.replace(with: line) }
    default:
      guard prompt.editor.handle(key) else { return [] }
    }
    prompt.complaint = nil
    state.prompt = prompt
    return []
  }

  private func complete(_ prompt: inout Prompt, _ model: ScreenModel) {
    if var completion = prompt.completion, completion.text == prompt.editor.before {
      completion.next()
      prompt.completion = completion
    } else {
      prompt.completion = Completion(
        of: prompt.editor.before,
        names: model.roster.filter { !$0.isSelf }.map(\.name.description),
        commands: model.slashCommands)
    }
    if let completion = prompt.completion { prompt.editor.replaceBefore(with: completion.text) }
  }

  private mutating func submit(_ prompt: Prompt, _ model: ScreenModel) -> [Effect] {
    let text = prompt.editor.text
    let trimmed = String(
      text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard !trimmed.isEmpty else {
      state.prompt = nil
      return []
    }
    switch prompt.kind {
    case .chat:
      state.history.add(trimmed)
      state.chatScroll = 0
      state.unread.clearMark()
      return close(with: .say(trimmed))
    case .name:
      guard !TerminalText(trimmed).isEmpty else {
        return complain("A name needs something that shows.")
      }
      return close(with: .setName(trimmed))
    case .openURL:
      return close(with: Self.isInvite(trimmed) ? Self.join(trimmed) : .openURL(trimmed))
    case .join:
      guard Self.isInvite(trimmed) else {
        return complain("That isn't an invite: it begins with matinee://")
      }
      return close(with: Self.join(trimmed))
    case .goTo: return goTo(trimmed, model)
    }
  }

  private mutating func goTo(_ text: String, _ model: ScreenModel) -> [Effect] {
    switch TimeEntry(text) {
    case nil: return complain("Not a time. Examples: 12:30, 1:02:03, +90, -10, 50%")
    case .absolute(let time): return close(with: .seek(to: time))
    case .relative(let distance): return close(with: .skip(by: distance))
    case .fraction(let fraction):
      guard let duration = model.transport.duration else {
        return complain("How long this is isn't known: give a time instead.")
      }
      return close(with: .seek(to: MediaTime(seconds: duration.seconds * fraction)))
    }
  }

  private mutating func close(with intent: Intent) -> [Effect] {
    state.prompt = nil
    return [.intent(intent)]
  }

  private mutating func complain(_ complaint: TerminalText) -> [Effect] {
    state.prompt?.complaint = complaint
    return []
  }

  /// Text in the clipboard is never taken for keys: outside a prompt it opens the one that it fits.
  private mutating func paste(_ text: String, _ model: ScreenModel) -> [Effect] {
    if state.prompt != nil {
      state.prompt?.editor.insert(text)
      state.prompt?.complaint = nil
      return []
    }
    guard state.overlay == nil, state.question(model) == nil else { return [] }
    let start = text.drop(while: \.isWhitespace)
    if Self.isInvite(start) {
      state.prompt = Prompt(.join, text: String(start))
    } else if start.prefix(8).lowercased().hasPrefix("http://")
      || start.prefix(8).lowercased() == "https://"
    {
      state.prompt = Prompt(.openURL, text: String(start))
    }
    return []
  }

  private static func isInvite(_ text: some StringProtocol) -> Bool {
    text.prefix(10).lowercased() == "matinee://"
  }

  /// An invite that was copied from a screen may have been cut into lines.
  private static func join(_ text: String) -> Intent {
    .join(invite: text.filter { !$0.isWhitespace })
  }
}

// What lies over the screen.
extension InputMachine {
  private mutating func press(
    _ key: KeyPress, in overlay: ScreenState.Overlay, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect] {
    switch overlay {
    case .help(let scroll):
      let page = max(1, HelpView.visibleRows(in: layout) - 1)
      switch key.key {
      case .down, .character("j"): scrollHelp(to: scroll + 1, layout)
      case .up, .character("k"): scrollHelp(to: scroll - 1, layout)
      case .pageDown, .character(" "): scrollHelp(to: scroll + page, layout)
      case .pageUp: scrollHelp(to: scroll - page, layout)
      case .home: scrollHelp(to: 0, layout)
      case .end: scrollHelp(to: .max / 2, layout)
      default: state.overlay = nil
      }
      return []
    case .invite:
      switch key.key {
      case .character("c"), .character("y"), .enter:
        guard let invite = model.party?.invite else {
          state.overlay = nil
          return []
        }
        state.overlay = .invite(isCopied: true)
        return [.copy(invite), .intent(.copiedInvite)]
      case .escape, .character("I"), .character("q"):
        state.overlay = nil
        return []
      default:
        // Nobody asked for the one that shows by itself: it is in no key's way.
        state.overlay = nil
        return press(key, model, layout)
      }
    case .sync:
      guard let command = keyMap.command(for: key, isInLibrary: false) else {
        if key.key == .escape { state.overlay = nil }
        return []
      }
      switch command {
      case .toggleSync, .intent(.quit): state.overlay = nil
      // Whoever plays, seeks or changes the speed wants to see what becomes of it.
      case .intent, .startAnywayOrPause, .chapterOrLongSeek, .stepAwayOrRejoin:
        return perform(command, model, layout)
      case .scrub, .prompt, .showHelp, .showInvite, .togglePicture, .toggleCompact, .toggleLibrary,
        .leaveParty, .endParty, .redraw,
        .suspend, .select, .selectPage, .selectFirst, .selectLast, .openSelected, .enqueueSelected,
        .leaveFolder, .closeLibrary:
        state.overlay = nil
        return perform(command, model, layout)
      }
      return []
    case .confirmation(let confirmation):
      state.overlay = nil
      guard key.key == .character("y"), model.party != nil else { return [] }
      switch confirmation {
      case .leaveParty: return [.intent(.leaveParty)]
      case .endParty: return [.intent(.endParty)]
      }
    }
  }

  private mutating func scrollHelp(to scroll: Int, _ layout: ScreenLayout) {
    state.overlay = .help(scroll: min(max(0, scroll), HelpView.maximumScroll(in: layout)))
  }

  private mutating func answer(_ key: KeyPress, _ question: QuestionModel) -> [Effect] {
    let count = question.choices.count
    let marked = state.choiceIndex(question)
    var chosen: Int?
    switch key.key {
    case .escape: chosen = count - 1
    case .enter: chosen = marked
    case .up, .left: state.markedChoice = (question.id, (marked + count - 1) % count)
    case .down, .right: state.markedChoice = (question.id, (marked + 1) % count)
    case .tab:
      let step = key.modifiers.contains(.shift) ? count - 1 : 1
      state.markedChoice = (question.id, (marked + step) % count)
    case .character(let character):
      guard key.modifiers.isEmpty else { break }
      chosen = question.choices.firstIndex { $0.key == character }
    case .home, .end, .pageUp, .pageDown, .insert, .delete, .backspace, .function: break
    }
    guard let chosen else { return [] }
    state.markedChoice = nil
    return [.intent(.answer(question: question.id, choice: question.choices[chosen].id))]
  }
}

// The mouse.
extension InputMachine {
  /// Two clicks at one place within this time are one.
  private static let doubleClick = Duration.milliseconds(400)

  private mutating func handle(
    _ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout, at now: HostTime
  ) -> [Effect] {
    // A drag that began on the bar goes on wherever the pointer is.
    if state.scrub != nil { return scrub(mouse, model, layout) }
    if case .help(let scroll) = state.overlay {
      switch mouse.action {
      case .wheelUp: scrollHelp(to: scroll - 3, layout)
      case .wheelDown: scrollHelp(to: scroll + 3, layout)
      case .press, .drag, .release, .secondaryPress: break
      }
      return []
    }
    guard state.overlay == nil, state.question(model) == nil else { return [] }
    let isInLibrary = state.isLibraryShown(model)
    switch mouse.action {
    case .wheelUp, .wheelDown:
      let step = mouse.action == .wheelUp ? 1 : -1
      if layout.chatRows.contains(mouse.point) {
        scrollChat(3 * step, layout, model)
      } else if layout.pane.contains(mouse.point) {
        // mpv's wheel is the volume.
        if !isInLibrary { return [.intent(.changeVolume(by: Double(2 * step)))] }
        select(model, by: -step)
      }
    case .press:
      let bar = TransportView.barArea(in: layout.transport, model.transport)
      if bar.contains(mouse.point), model.transport.duration != nil {
        return scrub(mouse, model, layout)
      }
      if layout.transport.contains(mouse.point), mouse.point.column < bar.column {
        return [.intent(.playPause)]
      }
      if isInLibrary, layout.paneRows.contains(mouse.point) {
        return clickLibrary(mouse.point, model, layout)
      }
      if layout.pane.contains(mouse.point) { clickPane(mouse.point, model, at: now) }
    case .secondaryPress:
      if !isInLibrary, layout.pane.contains(mouse.point) { return [.intent(.playPause)] }
    case .drag, .release: break
    }
    return []
  }

  /// As in mpv: a double click is the full picture, or ends it.
  private mutating func clickPane(_ point: ScreenPoint, _ model: ScreenModel, at now: HostTime) {
    if let last = state.lastClick, last.point == point, now - last.time <= Self.doubleClick {
      state.lastClick = nil
      arrange(.picture, model)
    } else {
      state.lastClick = (point, now)
    }
  }

  private mutating func scrub(_ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    let bar = TransportView.barArea(in: layout.transport, model.transport)
    guard let duration = model.transport.duration, bar.width > 1 else { return giveUpScrub() }
    switch mouse.action {
    case .press, .drag:
      let place = Double(min(max(0, mouse.point.column - bar.column), bar.width - 1))
      let scrub = MediaTime(seconds: duration.seconds * place / Double(bar.width - 1))
      guard scrub != state.scrub else { return [] }
      state.scrub = scrub
      return mouse.action == .drag ? follow() : []
    case .release where !state.isKeyScrub: return letGo()
    case .release, .secondaryPress, .wheelUp, .wheelDown: return []
    }
  }

  private mutating func scrub(_ key: KeyPress, _ model: ScreenModel) -> [Effect] {
    guard let duration = model.transport.duration, let place = state.scrub else {
      return giveUpScrub()
    }
    if key.key == .escape { return giveUpScrub() }
    if key.key == .enter { return letGo() }
    switch keyMap.command(for: key, isInLibrary: false) {
    case .intent(.skip(by: let step)):
      state.scrub = min(max(.zero, place + step), duration)
    case .intent(.frameStep(by: let frames)):
      state.scrub = min(max(.zero, place + .milliseconds(40 * frames)), duration)
    case .intent(.quit): return giveUpScrub() + [.intent(.quit)]
    default: return []
    }
    return follow()
  }

  /// The player shows what is being dragged to.
  private mutating func follow() -> [Effect] {
    guard let scrub = state.scrub else { return [] }
    state.isScrubTold = true
    return [.intent(.scrub(to: scrub))]
  }

  private mutating func letGo() -> [Effect] {
    guard let scrub = state.scrub else { return [] }
    let isTold = state.isScrubTold
    endScrub()
    return [.intent(isTold ? .endScrub(at: scrub) : .seek(to: scrub))]
  }

  private mutating func giveUpScrub() -> [Effect] {
    let isTold = state.isScrubTold
    endScrub()
    return isTold ? [.intent(.endScrub(at: nil))] : []
  }

  private mutating func endScrub() {
    state.scrub = nil
    state.isKeyScrub = false
    state.isScrubTold = false
  }

  private mutating func clickLibrary(
    _ point: ScreenPoint, _ model: ScreenModel, _ layout: ScreenLayout
  )
    -> [Effect]
  {
    let rows = layout.paneRows
    guard let selected = state.library.index(in: model.library) else { return [] }
    let index =
      state.library.firstVisible(in: model.library, rows: rows.height) + point.row - rows.row
    guard model.library.entries.indices.contains(index) else { return [] }
    if index == selected { return openSelected(model) }
    state.library.select(index, in: model.library)
    return []
  }

  private mutating func scrollChat(_ lines: Int, _ layout: ScreenLayout, _ model: ScreenModel) {
    let maximum = ChatView.maximumScroll(model.chat, in: layout.chatRows)
    state.chatScroll = min(max(0, state.chatScroll + lines), maximum)
  }
}
