/// Keys for the overlays of the screen.
extension InputMachine {
  mutating func press(
    _ key: KeyPress, in overlay: ScreenState.Overlay, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect] {
    switch overlay {
    case .help(let scroll, var filter):
      let page = max(1, HelpView.visibleRows(in: layout) - 1)
      switch key.key {
      case .down: scrollHelp(to: scroll + 1, filter, model, layout)
      case .up: scrollHelp(to: scroll - 1, filter, model, layout)
      case .pageDown: scrollHelp(to: scroll + page, filter, model, layout)
      case .pageUp: scrollHelp(to: scroll - page, filter, model, layout)
      case .home: scrollHelp(to: 0, filter, model, layout)
      case .end: scrollHelp(to: .max / 2, filter, model, layout)
      case .character(" ") where filter.isEmpty:
        scrollHelp(to: scroll + page, filter, model, layout)
      case _ where filter.isEmpty && keyMap.command(for: key) == .showHelp: state.overlay = nil
      // A slash begins a search elsewhere.
      case .character("/") where filter.isEmpty: break
      case .character(let character):
        if key.modifiers.isEmpty { filter.append(character) }
        scrollHelp(to: 0, String(filter.prefix(Self.filterLimit)), model, layout)
      case .backspace where !filter.isEmpty:
        scrollHelp(to: 0, String(filter.dropLast()), model, layout)
      case .escape where !filter.isEmpty: scrollHelp(to: 0, "", model, layout)
      case .left, .right, .insert, .delete, .backspace, .enter, .tab, .escape, .function, .mouse:
        state.overlay = nil
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
        return [.copy(invite), .screen(.copiedInvite)]
      case .character("s"), .character("p"):
        guard model.party?.invite != nil else { return [] }
        state.overlay = .invite(isCopied: true)
        return [.screen(key.key == .character("s") ? .saveInvite : .savePage)]
      case .escape, .character("q"):
        state.overlay = nil
        return []
      case _ where keyMap.command(for: key) == .showInvite:
        state.overlay = nil
        return []
      case .character, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .insert,
        .delete, .backspace, .tab, .function, .mouse:
        // This overlay appears without a request, so other keys close it and keep their effect.
        state.overlay = nil
        return press(key, model, layout)
      }
    case .sync:
      guard let command = keyMap.command(for: key) else {
        if key.key == .escape { state.overlay = nil }
        return []
      }
      switch command {
      case .toggleSync, .user(.quit): state.overlay = nil
      // The effect of these commands on playback is of interest, so the page stays open.
      case .user, .screen, .startAnywayOrPause, .stepAwayOrRejoin, .openPartyOrPictureInPicture:
        return perform(command, model, layout)
      case .sequence, .showPicture, .movePen, .togglePen, .leaveDrawing, .scrub, .prompt, .showHelp,
        .showInvite,
        .togglePicture, .toggleCompact, .toggleLibrary,
        .showPlaylist, .searchLibrary, .react,
        .leaveParty, .endParty, .redraw,
        .suspend, .select, .selectPage, .selectFirst, .selectLast, .openSelected, .enqueueSelected,
        .leaveFolder, .closeLibrary, .toggleDetails, .openSelectedAnew, .addFolder, .forgetSelected:
        state.overlay = nil
        return perform(command, model, layout)
      }
      return []
    case .playlist(let selected): return press(key, inPlaylistAt: selected, model)
    case .confirmation(let confirmation):
      return decide(key.key == .character("y"), confirmation, model)
    }
  }

  mutating func press(
    _ key: KeyPress, inPlaylistAt selected: Int, _ model: ScreenModel
  ) -> [Effect] {
    let last = model.playlist.count - 1
    let index = min(selected, max(0, last))
    switch key.key {
    case .up where key.modifiers.isEmpty, .character("k"): selectEntry(index - 1, of: model)
    case .down where key.modifiers.isEmpty, .character("j"): selectEntry(index + 1, of: model)
    case .home: selectEntry(0, of: model)
    case .end: selectEntry(last, of: model)
    case .character("J"), .down, .character("K"), .up:
      let target = index + (key.key == .character("J") || key.key == .down ? 1 : -1)
      guard last >= 0, (0...last).contains(target) else { return [] }
      selectEntry(target, of: model)
      return [.user(.moveEntry(from: index, to: target))]
    case .delete, .character("x"), .character("d"):
      return last >= 0 ? [.user(.dropEntry(index))] : []
    case .enter, .right:
      return last >= 0 ? watch(entry: index) : []
    case .escape, .character("q"): state.overlay = nil
    case _ where keyMap.command(for: key) == .showPlaylist: state.overlay = nil
    case .character, .left, .pageUp, .pageDown, .insert, .backspace, .tab, .function, .mouse: break
    }
    return []
  }

  mutating func selectEntry(_ index: Int, of model: ScreenModel) {
    state.overlay = .playlist(selected: min(max(0, index), max(0, model.playlist.count - 1)))
  }

  mutating func watch(entry index: Int) -> [Effect] {
    state.overlay = nil
    return [.user(.watch(entry: index))]
  }

  private static let filterLimit = 40

  mutating func scrollHelp(
    to scroll: Int, _ filter: String, _ model: ScreenModel, _ layout: ScreenLayout
  ) {
    let view = HelpView(
      keyMap: keyMap, problems: model.settingsProblems, scroll: scroll, filter: filter)
    state.overlay = .help(
      scroll: min(max(0, scroll), view.maximumScroll(in: layout)), filter: filter)
  }

  mutating func answer(_ key: KeyPress, _ question: QuestionModel) -> [Effect] {
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
    case .home, .end, .pageUp, .pageDown, .insert, .delete, .backspace, .function, .mouse: break
    }
    guard let chosen else { return [] }
    return choiceMade(chosen, of: question)
  }

  mutating func choiceMade(_ index: Int, of question: QuestionModel) -> [Effect] {
    state.markedChoice = nil
    return [.screen(.answer(question: question.id, choice: question.choices[index].id))]
  }

  mutating func decide(
    _ isConfirmed: Bool, _ confirmation: ScreenState.Confirmation, _ model: ScreenModel
  ) -> [Effect] {
    state.overlay = nil
    guard isConfirmed else { return [] }
    switch confirmation {
    // The party may have ended meanwhile.
    case .leaveParty(closingFor: _): return model.party == nil ? [] : [.user(.leave)]
    case .endParty: return model.party == nil ? [] : [.user(.endParty)]
    case .forgetParty(let id, _): return [.screen(.forget(id))]
    }
  }
}
