import Concurrency
import Screening
import Timekeeping

/// Decides the effects of keys, mouse and pastes from the contents of the screen at that time.
struct InputMachine: HostedMachine, Sendable {
  /// An effect that the shell carries out.
  enum Effect: Hashable, Sendable {
    case user(UserCommand)
    case screen(ScreenCommand)
    case redraw
    case suspend
    case copy(String)
    /// Notifies the user that a participant mentions them.
    case notify(TerminalText)
  }

  var state = ScreenState()
  let keyMap: KeyMap
  /// The ratio of a cell's height to its width.
  var cellRatio = 2.0
  /// A Boolean value that indicates whether the terminal has the keyboard; nil if the terminal doesn't report it.
  private var focus: Bool?
  /// The number of paths whose completion was requested.
  private var pathRequests = 0
  /// The keys without a command that were pressed, each of which is explained once.
  private var unusedKeys: Set<KeyPress> = []

  init(keyMap: KeyMap = .standard) { self.keyMap = keyMap }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - model: the contents of the screen.
  ///   - size: the screen's size, which decides the target of the mouse and the length of a page.
  ///   - now: the time of the event.
  mutating func handle(
    _ event: InputEvent, model: ScreenModel, size: ScreenSize, at now: HostTime
  ) -> [Effect] {
    state.advance(to: now)
    let layout = ScreenLayout(
      size: size, model: model, state: state, cellRatio: cellRatio)
    defer { state.library.settle(in: state.shownLibrary(model), rows: layout.paneRows.height) }
    let wasSyncShown = state.overlay == .sync
    let details = state.wantedDetails(model)
    let wasBrowsing = state.isBrowsing(model)
    let query = state.search?.query
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
    case .status, .directColor, .lightBackground, .pixels, .octants, .sixel, .sixelColors,
      .sixelSize, .cell, .attributes, .clipboard,
      .acceptsClipboard:
      effects = []
    }
    look(at: model, size)
    // The application needs to know this, however the page was opened or closed.
    let isSyncShown = state.overlay == .sync
    let wanted = state.wantedDetails(model)
    return effects + (isSyncShown == wasSyncShown ? [] : [.screen(.showSync(isSyncShown))])
      + browsing(since: wasBrowsing, model) + showing(wanted, since: details)
      + (state.search?.query.flatMap { $0 == query ? nil : [.screen(.search($0))] } ?? [])
  }

  private func browsing(since wasBrowsing: Bool, _ model: ScreenModel) -> [Effect] {
    let isBrowsing = state.isBrowsing(model)
    return isBrowsing == wasBrowsing ? [] : [.screen(.browse(isBrowsing))]
  }

  /// The time at which the screen has to be drawn again without input; nil for never.
  var nextDeadline: HostTime? { state.nextChange }

  mutating func timerFired(at now: HostTime) -> [Effect] {
    state.advance(to: now)
    return []
  }

  /// Handles a new model.
  ///
  /// - Returns: the effects for the shell to carry out.
  mutating func modelChanged(
    from old: ScreenModel, to new: ScreenModel, size: ScreenSize, at now: HostTime
  ) -> [Effect] {
    state.advance(to: now)
    let known = old.chat.last?.id ?? .min
    let fresh = new.chat.reversed().prefix { $0.id > known }
    let knownReaction = old.reactions.last?.id ?? .min
    state.reactions.add(new.reactions.filter { $0.id > knownReaction }, at: now)
    state.freshChat.add(fresh.prefix(FreshChat.maximumCount).reversed(), at: now)
    drawingChanged(from: old, to: new)
    if let completion = new.completion { state.prompt?.complete(with: completion) }
    if new.party == nil, case .invite = state.overlay { state.overlay = nil }
    showInvite(after: old, new)
    let before = state.wantedDetails(old)
    look(at: new, size)
    let details = state.wantedDetails(new)
    let asked = browsing(since: state.isBrowsing(old), new) + showing(details, since: before)
    // A terminal that has the keyboard needs no notification.
    guard focus != true else { return asked }
    return asked
      + fresh.reversed().compactMap { entry in
        guard case .said(let text, let author, isOwn: false) = entry.content,
          Mention.isFound(of: new.ownName, in: text)
        else { return nil }
        return .notify(author + ": " + text)
      }
  }

  /// The application needs the user's attention, for this reason. A terminal that has the keyboard needs no
  /// notification.
  func attentionNeeded(_ text: TerminalText) -> [Effect] { focus == true ? [] : [.notify(text)] }

  /// The screen has another size.
  mutating func resized(to size: ScreenSize, _ model: ScreenModel) -> [Effect] {
    let before = state.wantedDetails(model)
    look(at: model, size)
    return showing(state.wantedDetails(model), since: before)
  }

  private func showing(
    _ wanted: ScreenCommand.WantedDetails?, since before: ScreenCommand.WantedDetails?
  ) -> [Effect] { wanted == before ? [] : [.screen(.showDetails(wanted))] }

  /// Marks visible chat as read, and the visible advice about the invite.
  mutating func look(at model: ScreenModel, _ size: ScreenSize) {
    let layout = ScreenLayout(
      size: size, model: model, state: state, cellRatio: cellRatio)
    state.isPreviewing = !layout.preview.isEmpty
    let isChatShown = !layout.chatRows.isEmpty && state.chatScroll == 0 && state.overlay != .sync
    state.unread.update(model.chat, isLooking: focus != false && isChatShown)
    let advice = model.party?.advice
    if case .invite = state.overlay { state.seenAdvice = advice }
    if advice == nil { state.seenAdvice = nil }
  }

  /// Shows the invite after the user has opened a party, because sending it to the others is the next step, and hides
  /// it when the first of them has joined.
  mutating func showInvite(after old: ScreenModel, _ new: ScreenModel) {
    // The user asked for that page; `I` shows the invite.
    guard state.overlay != .sync else { return }
    if case .invite = state.overlay, old.roster.count == 1, new.roster.count > 1 {
      state.overlay = nil
    }
    guard old.party == nil, let party = new.party, party.isHost, party.invite != nil,
      new.roster.count <= 1
    else { return }
    state.overlay = .invite(isCopied: false)
  }

  mutating func press(_ key: KeyPress, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    var key = key
    if state.prompt == nil, keyMap.command(for: key, in: state.section(model)) == nil,
      let latin = key.onLatinKeyboard
    {
      key = latin
    }
    // These work whatever is open.
    if key.modifiers == .control, let command = keyMap.command(for: key) {
      // The question about it has to be visible.
      if command == .user(.quit), model.party != nil {
        state.overlay = nil
        state.prompt = nil
      }
      if [.user(.quit), .redraw, .suspend].contains(command) {
        return perform(command, model, layout)
      }
    }
    if state.isReacting { return react(key, model) }
    if state.scrub != nil { return scrub(key, model) }
    if state.prompt != nil { return type(key, model, layout) }
    if let overlay = state.overlay { return press(key, in: overlay, model, layout) }
    if let question = state.question(model) { return answer(key, question) }
    if key.key == .enter, let position = state.offeredPosition(model) {
      return [.user(.seek(to: position))]
    }
    if let moment = moment(key, model) {
      state.chosenMoment = moment
      return []
    }
    guard let command = keyMap.command(for: key, in: state.section(model)) else {
      if case .character(let letter) = key.key, letter.isLetter, !letter.isASCII {
        return explain("No key is called \(TerminalText(String(letter))). Switch to Latin letters.")
      }
      if key.key == .escape { return model.isPartyEndShown ? [.user(.leave)] : [] }
      if case .mouse = key.key { return [] }
      guard unusedKeys.insert(key).inserted, let help = keyMap.label(of: .showHelp) else {
        return []
      }
      return explain(
        key.label(isUnicode: false) + " isn't used here. \(help) shows all keys")
    }
    if key.key == .enter, command == .prompt(.chat), state.offersSequel(model) {
      return [.user(.advance(by: 1))]
    }
    if key.key == .enter, command == .prompt(.chat), model.party == nil {
      return explain(
        TerminalText(
          ErrorAdvice.text(
            of: PartyOnly.chat, hosting: ErrorAdvice.hostingInTerminal(key: keyMap.hostKey))))
    }
    return perform(command, model, layout)
  }

  /// Begins to complete the path in the prompt; nil if it takes none.
  mutating func requestPath() -> PathCompletion.Request? {
    pathRequests += 1
    return state.prompt?.requestPath(number: pathRequests)
  }

  private func explain(_ text: TerminalText) -> [Effect] { [.screen(.explain(text))] }

  mutating func perform(_ command: Command, _ model: ScreenModel, _ layout: ScreenLayout)
    -> [Effect]
  {
    switch command {
    case .user(let command): return [.user(command)]
    case .screen(let command): return [.screen(command)]
    case .sequence(let commands): return commands.flatMap { perform($0, model, layout) }
    case .showPicture(let isFull):
      if isFull != (state.arrangement == .picture) { arrange(.picture, model) }
    case .openPartyOrPictureInPicture:
      return [.user(model.party == nil ? .host : .togglePictureInPicture)]
    case .startAnywayOrPause:
      return [.user(model.waiting == nil ? .playPause : .play(immediately: true))]
    case .scrub:
      guard model.item != nil else { return explain("No film is open. Open one first.") }
      guard model.transport.duration != nil else {
        return explain("Length unknown. Previewing isn't possible.")
      }
      // The picture shows where the preview is.
      state.isLibraryWanted = nil
      state.scrub = model.transport.itemTime
      state.isKeyScrub = true
      return follow()
    case .stepAwayOrRejoin:
      return [.user(model.isSteppedAway ? .resume : .suspend(.steppedAway))]
    case .prompt(let kind):
      state.prompt = Prompt(kind, text: kind == .name ? model.ownName.description : "")
    case .showHelp: state.overlay = .help(scroll: 0)
    case .toggleSync: state.overlay = .sync
    case .showPlaylist:
      state.overlay = .playlist(selected: model.playlist.firstIndex(where: \.isCurrent) ?? 0)
    case .react:
      guard model.party != nil else { return explain("Reactions work in a party only.") }
      state.isReacting = !model.reactionSigns.isEmpty
    case .searchLibrary: state.prompt = Prompt(.search)
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
      guard state.isLibraryWanted == true, let folder = model.library.filmFolder else { return [] }
      state.library.forgetSelection(in: folder)
      return [.screen(.showFilmFolder(folder))]
    case .leaveParty:
      guard let party = model.party else {
        return model.isPartyEndShown ? [.user(.leave)] : explain("You're not in a party.")
      }
      state.overlay = .confirmation(.leaveParty(closingFor: party.othersLosingParty))
    case .endParty:
      guard let party = model.party else { return explain("You're not in a party.") }
      guard party.isHost else {
        let key = keyMap.label(of: .leaveParty).map { " To leave it, press \($0)." } ?? ""
        return explain(TerminalText("Only the host can end the party." + key))
      }
      state.overlay = .confirmation(.endParty)
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .select(let step): select(model, by: step)
    case .selectPage(let step): select(model, by: step * max(1, layout.paneRows.height - 1))
    case .selectFirst: state.library.select(0, in: state.shownLibrary(model))
    case .selectLast: state.library.select(.max, in: state.shownLibrary(model))
    case .openSelected: return openSelected(model)
    case .enqueueSelected:
      let library = state.shownLibrary(model)
      guard let index = state.library.index(in: library) else { return [] }
      let entry = library.entries[index]
      guard entry.kind.isFilm || entry.kind == .folder else {
        return explain("Only films and folders can be added to the playlist.")
      }
      return [.user(.enqueue(entry.id))]
    case .addFolder:
      let library = state.shownLibrary(model)
      let selected = state.library.index(in: library).map { library.entries[$0] }
      let folder = selected.flatMap { $0.kind == .folder ? $0.id : nil } ?? model.library.location
      return folder.isEmpty ? [] : [.user(.library(.addFolder(folder)))]
    case .forgetSelected:
      let library = state.shownLibrary(model)
      guard let index = state.library.index(in: library) else { return [] }
      let entry = library.entries[index]
      guard entry.kind == .party else { return [.screen(.forget(entry.id))] }
      state.overlay = .confirmation(.forgetParty(id: entry.id, title: entry.title))
    case .leaveFolder, .closeLibrary:
      if state.areDetailsShown {
        state.areDetailsShown = false
      } else if command == .leaveFolder {
        guard model.library.hasParent else { return [] }
        state.library.left(model.library.location)
        return [.screen(.leaveFolder)]
      } else if model.item != nil {
        state.isLibraryWanted = false
      }
    case .toggleDetails:
      if !state.areDetailsShown, state.selectedFilm(model) == nil {
        let library = state.shownLibrary(model)
        // Without an entry, the application says that there are no details.
        return state.library.index(in: library)
          .map { [.screen(.showDetails(.init(id: library.entries[$0].id)))] } ?? []
      }
      state.areDetailsShown.toggle()
    case .openSelectedAnew:
      guard let entry = state.selectedFilm(model) else { return [] }
      return openSelected(model, with: .chooseAnew(entry.id))
    case .movePen, .togglePen, .leaveDrawing: return performDrawing(command, model, layout)
    }
    return []
  }

  mutating func arrange(_ arrangement: ScreenState.Arrangement, _ model: ScreenModel) {
    state.arrangement = state.arrangement == arrangement ? .standard : arrangement
    if state.arrangement != .standard, model.item != nil { state.isLibraryWanted = nil }
  }

  /// Sends the reaction whose number was pressed, if any.
  private mutating func react(_ key: KeyPress, _ model: ScreenModel) -> [Effect] {
    state.isReacting = false
    guard case .character(let character) = key.key, let number = character.wholeNumberValue,
      model.reactionSigns.indices.contains(number - 1),
      Reaction.allCases.indices.contains(number - 1)
    else { return [] }
    return [.user(.react(Reaction.allCases[number - 1]))]
  }

  /// Returns the moment whose number was pressed on a film's page, if any.
  private func moment(_ key: KeyPress, _ model: ScreenModel) -> ScreenState.ChosenMoment? {
    guard state.areDetailsShown, let film = state.detailedFilm(model)?.id,
      let details = model.details, details.id == film, key.modifiers.isEmpty,
      case .character(let character) = key.key, let number = character.wholeNumberValue,
      details.moments.indices.contains(number - 1)
    else { return nil }
    return .init(film: film, index: number - 1)
  }

  mutating func select(_ model: ScreenModel, by step: Int) {
    let library = state.shownLibrary(model)
    guard let index = state.library.index(in: library) else { return }
    state.library.select(index + step, in: library)
  }

  /// Opens the selected entry.
  ///
  /// - Parameter command: nil for the usual one.
  mutating func openSelected(
    _ model: ScreenModel, with command: ScreenCommand? = nil
  ) -> [Effect] {
    let library = state.shownLibrary(model)
    guard let index = state.library.index(in: library) else { return [] }
    let entry = library.entries[index]
    guard entry.kind != .fact else { return [] }
    // The entry stays selected even if it was only the default.
    state.library.select(id: entry.id, in: model.library)
    state.search = nil
    let moment = state.moment(of: entry.id)
    state.areDetailsShown = false
    // A film fills the pane as soon as it is open; a folder shows its entries.
    switch entry.kind {
    case .film, .audio: state.isLibraryWanted = model.item == nil ? nil : false
    case .folder, .recent, .party, .fact: break
    }
    let usual = moment.map { ScreenCommand.chooseMoment(entry.id, $0) } ?? .choose(entry.id)
    return [.screen(command ?? usual)]
  }
}
