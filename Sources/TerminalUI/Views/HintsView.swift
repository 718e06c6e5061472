/// The bottom line: the keys that are useful now.
struct HintsView: Hashable, Sendable {
  var model: ScreenModel
  var state: ScreenState
  var keyMap: KeyMap

  func draw(in area: Rect, on canvas: inout Canvas) {
    let isUnicode = canvas.symbols.isUnicode
    var room = area.inset(columns: 1, rows: 0)
    guard state.scrub == nil else {
      let arrows: TerminalText = isUnicode ? "←→" : "arrows"
      let enter: TerminalText = model.party == nil ? " stay here  " : " take everyone there  "
      let line = StyledLine(arrows, .key).adding(" preview  ", .quiet).adding("enter", .key)
        .adding(enter, .quiet).adding("esc", .key).adding(" go back", .quiet)
      canvas.draw(line, in: room)
      return
    }
    // The key to quit and the key to the help always have room.
    let certain = [Command.user(.quit), .showHelp].compactMap { command in
      keyMap.entries.first { $0.bindings.contains { $0.command == command } }
    }
    var last = StyledLine()
    for hint in certain.compactMap({ hint($0, isUnicode) }) {
      if !last.spans.isEmpty { last.add("  ") }
      last.spans += hint.spans
    }
    room.width -= last.width
    var column = room.column
    for entry in relevant where !certain.contains(entry) {
      guard let hint = hint(entry, isUnicode) else { continue }
      guard column + hint.width + 2 <= room.endColumn else { continue }
      column =
        canvas.draw(hint, in: Rect(column: column, row: room.row, width: hint.width, height: 1)) + 2
    }
    canvas.draw(last, in: Rect(column: column, row: room.row, width: last.width, height: 1))
  }

  private func hint(_ entry: KeyMap.Entry, _ isUnicode: Bool) -> StyledLine? {
    guard var hint = entry.hint else { return nil }
    func does(_ command: Command) -> Bool { entry.bindings.contains { $0.command == command } }
    if model.party == nil, does(.showInvite) { hint = "join" }
    if does(.user(.playPause)), model.transport.status == .playing { hint = "pause" }
    var keys = entry.keysLabel(isUnicode: isUnicode, allKeys: false)
    // A key with another effect here isn't named.
    if entry.section != state.section(model), let command = entry.bindings.first?.command,
      entry.bindings.count == 1,
      let label = keyMap.label(
        of: command, in: state.section(model), isUnicode ? .unicode : .ascii)
    {
      keys = label
    }
    // "←→", as the arrows are read as one.
    if isUnicode, keys.width == 3, keys.glyphs[0].text.utf8.count > 1, keys.glyphs[1] == .space {
      keys = TerminalText(glyphs: keys.glyphs.filter { $0 != .space })
    }
    return StyledLine(keys, .key).adding(" " + TerminalText(hint), .quiet)
  }

  /// The entries with a hint whose keys have an effect now; the library's own first while it is shown.
  private var relevant: [KeyMap.Entry] {
    let isInLibrary = state.isLibraryShown(model)
    let hinted = keyMap.entries.filter { entry in
      entry.hint != nil && entry.bindings.contains { isUseful($0.command, isInLibrary) }
    }
    guard let section = state.section(model) else { return hinted }
    let first = hinted.filter { $0.section == section }.sorted { Self.rank($0) < Self.rank($1) }
    // The pen has most of the keys.
    guard section != .drawing else { return first }
    let others = hinted.filter { $0.section != section }
    guard model.party == nil else { return first + others }
    // Without a party, users look for the way to one.
    let parties = others.filter { entry in
      entry.bindings.contains {
        [.openPartyOrPictureInPicture, .showInvite, .user(.rejoin(nil))].contains($0.command)
      }
    }
    let most = first.prefix { Self.rank($0) <= 1 }
    return most + parties + first.dropFirst(most.count) + others.filter { !parties.contains($0) }
  }

  /// The rank of the library's hints: the less obvious keys come first.
  private static func rank(_ entry: KeyMap.Entry) -> Int {
    let order: [Command] = [
      .openSelected, .searchLibrary, .toggleDetails, .enqueueSelected, .addFolder, .closeLibrary,
    ]
    return entry.bindings.compactMap { order.firstIndex(of: $0.command) }.min() ?? order.count
  }

  private var mayControl: Bool { model.party?.mayControl ?? true }

  private func isUseful(_ command: Command, _ isInLibrary: Bool) -> Bool {
    switch command {
    case .select, .openSelected: isInLibrary && !model.library.entries.isEmpty
    case .enqueueSelected: isInLibrary && !model.library.entries.isEmpty && model.item != nil
    case .selectPage, .selectFirst, .selectLast, .leaveFolder: isInLibrary
    case .closeLibrary: isInLibrary && model.item != nil
    case .searchLibrary: isInLibrary
    case .addFolder, .forgetSelected: isInLibrary
    case .user(.rejoin(nil)): model.canRejoin && model.party == nil
    case .toggleDetails, .openSelectedAnew: isInLibrary && state.selectedFilm(model) != nil
    case .prompt(.chat): model.party != nil && !state.offersByEnter(model)
    case .user(.whatHappened): model.party != nil && model.item != nil
    case .showInvite: model.party == nil || model.party?.invite != nil
    case .user(.host), .openPartyOrPictureInPicture: model.party == nil
    case .user(.skip(by:)): model.item != nil && !isInLibrary && mayControl
    case .user(.playPause), .user(.multiplyRate): model.item != nil && mayControl
    case .stepAwayOrRejoin: model.item != nil && !mayControl
    case .toggleLibrary: !isInLibrary
    case .movePen, .togglePen, .leaveDrawing, .user(.drawing(.undo)), .user(.drawing(.reset)):
      state.pen != nil
    case .user, .screen, .sequence, .showPicture, .startAnywayOrPause, .scrub, .prompt,
      .showHelp, .toggleSync, .togglePicture, .toggleCompact, .showPlaylist, .react,
      .leaveParty, .endParty, .redraw, .suspend:
      true
    }
  }
}
