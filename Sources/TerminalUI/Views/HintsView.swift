/// The bottom line: the keys that are worth knowing now.
struct HintsView: Hashable, Sendable {
  var model: ScreenModel
  var state: ScreenState
  var keyMap: KeyMap

  func draw(in area: Rect, on canvas: inout Canvas) {
    let isUnicode = canvas.symbols.isUnicode
    var room = area.inset(columns: 1, rows: 0)
    guard state.scrub == nil else {
      let arrows: TerminalText = isUnicode ? "←→" : "arrows"
      let line = StyledLine(arrows, .key).adding(" look around  ", .quiet).adding("enter", .key)
        .adding(" everybody goes there  ", .quiet).adding("esc", .key).adding(" back", .quiet)
      canvas.draw(line, in: room)
      return
    }
    // The way to all the others has its place for certain.
    let help = keyMap.entries.first { $0.bindings.contains { $0.command == .showHelp } }
    let last = help.flatMap { hint($0, isUnicode) } ?? StyledLine()
    room.width -= last.width
    var column = room.column
    for entry in relevant where entry != help {
      guard let hint = hint(entry, isUnicode) else { continue }
      guard column + hint.width + 2 <= room.endColumn else { continue }
      column =
        canvas.draw(hint, in: Rect(column: column, row: room.row, width: hint.width, height: 1)) + 2
    }
    canvas.draw(last, in: Rect(column: column, row: room.row, width: last.width, height: 1))
  }

  private func hint(_ entry: KeyMap.Entry, _ isUnicode: Bool) -> StyledLine? {
    guard var hint = entry.hint else { return nil }
    if model.party == nil, entry.bindings.contains(where: { $0.command == .showInvite }) {
      hint = "join one"
    }
    var keys = entry.keysLabel(isUnicode: isUnicode, allKeys: false)
    // "←→", as the arrows are read as one.
    if isUnicode, keys.width == 3, keys.glyphs[0].text.utf8.count > 1, keys.glyphs[1] == .space {
      keys = TerminalText(glyphs: keys.glyphs.filter { $0 != .space })
    }
    return StyledLine(keys, .key).adding(" " + TerminalText(hint), .quiet)
  }

  /// Those with a hint whose keys do something now; the library's own first while it is shown.
  private var relevant: [KeyMap.Entry] {
    let isInLibrary = state.isLibraryShown(model)
    let hinted = keyMap.entries.filter { entry in
      entry.hint != nil && entry.bindings.contains { isUseful($0.command, isInLibrary) }
    }
    guard let section = state.section(model) else { return hinted }
    let first = hinted.filter { $0.section == section }
    // The pen has most of the keys.
    return section == .drawing ? first : first + hinted.filter { $0.section != section }
  }

  private func isUseful(_ command: Command, _ isInLibrary: Bool) -> Bool {
    switch command {
    case .select, .openSelected: isInLibrary && !model.library.entries.isEmpty
    case .enqueueSelected: isInLibrary && !model.library.entries.isEmpty && model.item != nil
    case .selectPage, .selectFirst, .selectLast, .leaveFolder, .closeLibrary: isInLibrary
    case .searchLibrary: isInLibrary
    case .addFolder, .forgetSelected: isInLibrary
    case .intent(.rejoinLast): model.canRejoin && model.party == nil
    case .toggleDetails, .openSelectedAnew: isInLibrary && state.selectedFilm(model) != nil
    case .prompt(.chat), .intent(.whatHappened):
      model.party != nil && (model.item != nil || command == .prompt(.chat))
    case .showInvite: model.party == nil || model.party?.invite != nil
    case .intent(.openParty), .openPartyOrPictureInPicture: model.party == nil
    case .intent(.skip(by:)): model.item != nil && !isInLibrary
    case .intent(.playPause), .intent(.multiplyRate): model.item != nil
    case .toggleLibrary: !isInLibrary
    case .movePen, .togglePen, .leaveDrawing, .intent(.undoStroke), .intent(.resetDrawing):
      state.pen != nil
    case .intent, .sequence, .setPaused, .addRate, .cycleRates, .seekPercent, .showPicture,
      .startAnywayOrPause, .chapterOrLongSeek, .stepAwayOrRejoin, .scrub, .prompt,
      .showHelp, .toggleSync, .togglePicture, .toggleCompact, .showPlaylist, .react,
      .leaveParty, .endParty, .redraw, .suspend:
      true
    }
  }
}
