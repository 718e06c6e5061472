/// The top line: the product, the item, and the party.
struct TitleView: Hashable, Sendable {
  var model: ScreenModel
  /// A Boolean value that indicates whether the line names the participants: nothing else does.
  var namesPeople: Bool

  func draw(in area: Rect, on canvas: inout Canvas) {
    let badgeEnd = canvas.draw(
      " matinee ", in: area, style: Style(role: .accent, attributes: [.bold, .reverse]))
    var room = area
    room.column = badgeEnd + 2
    room.width = area.endColumn - badgeEnd - 3
    let party = partyLine(fitting: room.width * 2 / 3, canvas.symbols)
    if !party.spans.isEmpty {
      canvas.draw(
        party,
        in: Rect(column: room.endColumn - party.width, row: area.row, width: party.width, height: 1)
      )
      room.width -= party.width + 2
    }
    let title = model.item?.title ?? .empty
    let end = canvas.draw(
      title.clipped(to: room.width, with: canvas.symbols.ellipsis), in: room, style: .strong)
    room.width = room.endColumn - end
    room.column = end
    let coarser: TerminalText = "  coarser: the terminal is slow"
    if model.isPictureCoarser, model.picture != nil, coarser.width <= room.width {
      canvas.draw(coarser, in: room, style: .quiet)
    } else if let chapter = model.item?.chapter, !chapter.isEmpty, room.width > 8 {
      let separator = TerminalText(glyphs: [.space, canvas.symbols.separator, .space])
      canvas.draw(
        (separator + chapter).clipped(to: room.width, with: canvas.symbols.ellipsis), in: room,
        style: .quiet)
    }
  }

  /// Returns the party's part of the line. The link's state is always shown; the number and the name are left out
  /// first.
  private func partyLine(fitting width: Int, _ symbols: GlyphSet) -> StyledLine {
    guard let party = model.party else { return StyledLine() }
    let separator = TerminalText(glyphs: [.space, symbols.separator, .space])
    let ellipsis = TerminalText(glyphs: [symbols.ellipsis])
    let link =
      switch party.link {
      case .encrypted: StyledLine("encrypted", .good)
      case .partlyEncrypted: StyledLine("not encrypted to Syncplay", .caution)
      case .room(isEncrypted: true): StyledLine("room, TLS", .plain)
      case .room(isEncrypted: false): StyledLine("room, not encrypted", .caution)
      case .reconnecting: StyledLine("reconnecting" + ellipsis, .caution)
      }
    var line = link
    if namesPeople, model.roster.count > 1 {
      line = RosterView(model: model).compactLine(
        model.roster[...], width: width - separator.width - link.width, symbols)
      line.add(separator, .quiet)
      line.spans += link.spans
      return line
    }
    let count = "\(model.roster.count) watching" as TerminalText
    guard model.roster.count > 1, count.width + separator.width + line.width <= width else {
      return line
    }
    line.spans.insert(
      contentsOf: [.init(text: count, style: .plain), .init(text: separator, style: .quiet)], at: 0)
    let room = width - line.width - separator.width
    guard room >= min(8, party.name.width), !party.name.isEmpty else { return line }
    let name = party.name.clipped(to: min(room, 24), with: symbols.ellipsis)
    line.spans.insert(
      contentsOf: [.init(text: name, style: .plain), .init(text: separator, style: .quiet)], at: 0)
    return line
  }
}
