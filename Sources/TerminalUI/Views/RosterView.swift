/// The list of the party's participants.
struct RosterView: Hashable, Sendable {
  let model: ScreenModel
  private let colors: PersonColors

  init(model: ScreenModel) {
    self.model = model
    colors = PersonColors(model.roster)
  }

  /// The columns of a name if several share a row.
  private static let compactName = 12

  /// Returns the number of rows that would show all participants.
  static func wantedRows(_ model: ScreenModel) -> Int {
    max(1, model.roster.count)
  }

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard let party = model.party, !area.isEmpty else { return }
    guard !model.roster.isEmpty else {
      let text: TerminalText =
        party.link != .reconnecting
        ? "Only you so far" : "Connecting" + TerminalText(glyphs: [canvas.symbols.ellipsis])
      canvas.draw(text, in: area, style: .quiet)
      return
    }
    if area.height == 1, model.roster.count > 1 {
      canvas.draw(
        compactLine(model.roster[...], width: area.width, canvas.symbols), in: area)
      return
    }
    var rows = area
    let fits = model.roster.count <= area.height
    let shown = fits ? model.roster.count : area.height - 1
    for entry in model.roster.prefix(shown) { drawEntry(entry, in: rows.takeTop(1), on: &canvas) }
    guard !fits else { return }
    let rest = model.roster.dropFirst(shown)
    let names = rest.reduce(0) { $0 + min($1.name.width, Self.compactName) + 4 } - 2
    if names <= area.width {
      canvas.draw(
        compactLine(rest, width: area.width, canvas.symbols), in: rows.takeTop(1))
    } else {
      drawRest(rest, in: rows.takeTop(1), on: &canvas)
    }
  }

  private static func sign(_ state: RosterEntry.State, _ symbols: GlyphSet) -> (Glyph, Style) {
    switch state {
    case .ready: (symbols.ready, .good)
    case .preparing: (symbols.preparing, .caution)
    case .away: (symbols.away, .quiet)
    }
  }

  private func drawEntry(_ entry: RosterEntry, in row: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let (sign, signStyle) = Self.sign(entry.state, symbols)
    canvas.draw(TerminalText(glyphs: [sign]), in: row, style: signStyle)
    var room = row
    room.column += 2
    room.width -= 2

    var badges = StyledLine()
    if entry.isSelf { badges.add(" (you)", .quiet) }
    switch entry.role {
    case .host: badges.add(" host", .quiet)
    case .coHost: badges.add(" co-host", .quiet)
    case .guest: break
    }

    // A number is never cut; a reason is shortened for a name of reasonable length.
    let (notes, style) = Self.notes(entry, symbols)
    let note = TerminalText.longest(
      fitting: room.width - entry.name.width - badges.width - 1, of: notes)
    if !note.isEmpty {
      let nameRoom = min(entry.name.width + badges.width, max(10, room.width / 2))
      let fitting = note.clipped(to: room.width - nameRoom - 1, with: symbols.ellipsis)
      room = canvas.drawTrailing(fitting, in: room, style: style)
      room.width -= 1
    }
    // "host" is left out before a name is cut.
    while entry.name.width + badges.width > room.width, let last = badges.spans.last,
      entry.name.width + badges.width - last.text.width >= min(room.width, 6) || room.width < 12
    {
      badges.spans.removeLast()
    }
    let name = entry.name.clipped(to: room.width - badges.width, with: symbols.ellipsis)
    let nameStyle = colors.style(entry.name, entry.isSelf ? .bold : [])
    canvas.draw(StyledLine(name, nameStyle).with(badges), in: room)
  }

  /// Returns the note at the right, in shorter and shorter forms. A participant with a mark that is in sync has no distance.
  private static func notes(
    _ entry: RosterEntry, _ symbols: GlyphSet
  ) -> ([TerminalText], Style) {
    let (notes, style) = notes(entry.note, entry.state, symbols)
    guard let first = entry.marks.first else { return (notes, style) }
    let separator = TerminalText(glyphs: [.space, symbols.separator, .space])
    let mark = entry.marks.dropFirst().reduce(first) { $0 + separator + $1 }
    if case .syncError(let error) = entry.note, TimeText.isInSync(error) {
      return ([mark, first], style)
    }
    guard let note = notes.first else { return ([mark, first], style) }
    return ([note + separator + mark] + notes, style)
  }

  private static func notes(
    _ note: RosterEntry.Note, _ state: RosterEntry.State, _ symbols: GlyphSet
  ) -> ([TerminalText], Style) {
    switch note {
    case .none: ([], .quiet)
    case .syncError(let error):
      (
        TimeText.apartness(error, symbols),
        TimeText.isInSync(error) ? .quiet : .caution
      )
    case .text(let text): ([text], state == .preparing ? .caution : .quiet)
    }
  }

  /// Draws "and 12 more, 2 loading".
  private func drawRest(_ rest: ArraySlice<RosterEntry>, in row: Rect, on canvas: inout Canvas) {
    let preparing = rest.count { $0.state == .preparing }
    let away = rest.count { $0.state == .away }
    let more: TerminalText = "  and \(rest.count) more"
    let text = TerminalText.longest(
      fitting: row.width,
      of: [
        preparing > 0 ? more + ", \(preparing) loading" : more,
        away > 0 && preparing == 0 ? more + ", \(away) away" : more, more,
      ])
    canvas.draw(text, in: row, style: .quiet)
  }

  /// Returns all participants in one row: signs and names, as many as fit.
  func compactLine(
    _ entries: ArraySlice<RosterEntry>, width: Int, _ symbols: GlyphSet
  ) -> StyledLine {
    var line = StyledLine()
    for (index, entry) in entries.enumerated() {
      let left = entries.count - index
      let (sign, style) = Self.sign(entry.state, symbols)
      let name = entry.name.clipped(to: Self.compactName, with: symbols.ellipsis)
      let more: TerminalText = "+\(left)"
      if index > 0 { line.add("  ") }
      let needed = 2 + name.width + (left > 1 ? 2 + more.width : 0)
      guard line.width + needed <= width else { return line.adding(more, .quiet) }
      line.add(TerminalText(glyphs: [sign, .space]), style)
      line.add(name, colors.style(entry.name))
    }
    return line
  }
}

extension StyledLine {
  fileprivate func with(_ other: StyledLine) -> StyledLine {
    var line = self
    line.spans += other.spans
    return line
  }
}
