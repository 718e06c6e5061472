/// The invite, over the full width and without borders at its sides, so that the mouse can select it and nothing else.
struct InviteView: Hashable, Sendable {
  var party: PartyModel?
  /// The result of copying or saving the invite; nil shows the keys.
  var notice: MessageModel?

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let screen = Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
    guard let party else { return }
    guard let invite = party.invite else {
      var words: TerminalText = "Only the host has the invite."
      if case .room = party.link { words = "Friends come into the room. /host opens a party." }
      return drawBox([StyledLine(words)], title: "Invite", in: screen, on: &canvas)
    }
    let text = TerminalText(invite)
    let lines = text.width + 2 <= screen.width ? [text] : text.chopped(to: screen.width)
    let footer = footer(width: screen.width - 4)
    let isAiry = lines.count + footer.count + 7 <= screen.height
    let least = lines.count + footer.count + (isAiry ? 7 : 3)
    let remarks = remarks(
      on: party, width: screen.width - 4, limit: screen.height - least - 1, canvas.symbols)
    let withoutCode = min(screen.height, least + (remarks.isEmpty ? 0 : remarks.count + 1))
    let code = code(
      of: invite, columns: screen.width - 4, rows: screen.height - withoutCode - 1, canvas.symbols)
    let height = withoutCode + (code.isEmpty ? 0 : code.count + 1)
    let box = Rect(
      column: 0, row: max(0, (screen.height - height) / 2), width: screen.width, height: height)
    canvas.fill(box)
    canvas.drawRule(box.line(0), title: "Invite", style: .accent)
    canvas.drawRule(box.line(box.height - 1), style: .accent)
    var inside = box.inset(columns: 0, rows: isAiry ? 2 : 1)
    let heading = inside.takeTop(1)
    drawIndented(
      heading.width >= 60
        ? StyledLine("Anyone with this link can join. Send it to your friends:")
        : StyledLine("Anyone with this link can join:"), in: heading, on: &canvas)
    if isAiry { _ = inside.takeTop(1) }
    for line in lines {
      var row = inside.takeTop(1)
      if lines.count == 1 {
        row.column += 2
        row.width -= 2
      }
      canvas.draw(line, in: row, style: .accent)
    }
    if !remarks.isEmpty {
      _ = inside.takeTop(1)
      for remark in remarks { drawIndented(remark, in: inside.takeTop(1), on: &canvas) }
    }
    if !code.isEmpty {
      _ = inside.takeTop(1)
      for line in code { drawIndented(StyledLine(line, .code), in: inside.takeTop(1), on: &canvas) }
    }
    if isAiry { _ = inside.takeTop(1) }
    for line in footer { drawIndented(line, in: inside.takeTop(1), on: &canvas) }
  }

  /// Returns the result of copying or saving, else the keys.
  private func footer(width: Int) -> [StyledLine] {
    guard let notice else {
      let keys = StyledLine("c", .key).adding(" copy   ", .quiet).adding("s", .key)
        .adding(" save to a file   ", .quiet).adding("p", .key).adding(" for a browser   ", .quiet)
        .adding("esc", .key).adding(" close   ", .quiet)
        .adding("shift+drag", .key).adding(" select", .quiet)
      guard keys.width > width else { return [keys] }
      return [
        StyledLine("c", .key).adding(" copy   ", .quiet).adding("s", .key)
          .adding(" save   ", .quiet).adding("p", .key).adding(" browser   ", .quiet)
          .adding("esc", .key).adding(" close", .quiet)
      ]
    }
    let style: Style =
      switch notice.severity {
      case .information: .good
      case .warning: .caution
      case .error: .trouble
      }
    return notice.text.wrapped(to: width).prefix(4).map { StyledLine($0, style) }
  }

  /// Returns the addresses, and then the advice. If both don't fit, the addresses are left out: they are in the invite
  /// anyway.
  private func remarks(
    on party: PartyModel, width: Int, limit: Int, _ symbols: GlyphSet
  ) -> [StyledLine] {
    let column = (party.places.map(\.kind.width).max() ?? 0) + 3
    let advice = party.advice.map { $0.wrapped(to: width - 2) } ?? []
    let places = party.places.map { place in
      let (mark, style): (TerminalText, Style) =
        place.address == nil
        ? (symbols.isUnicode ? "… " : ". ", .quiet) : (symbols.isUnicode ? "✓ " : "+ ", .good)
      return StyledLine(mark, style).adding(place.kind, .quiet)
        .adding(TerminalText(String(repeating: " ", count: column - place.kind.width)))
        .adding(place.address ?? "asking your router" + TerminalText(glyphs: [symbols.ellipsis]))
    }
    let cross: TerminalText = symbols.isUnicode ? "✗ " : "x "
    let warnings = advice.enumerated().map { index, line in
      StyledLine((index == 0 ? cross : "  ") + line, .caution)
    }
    // Half an advice is useless.
    guard warnings.count <= limit else { return [] }
    return places.prefix(max(0, limit - warnings.count)) + warnings
  }

  /// Returns the invite as a code for cameras if it has room as a whole; else nothing.
  private func code(
    of invite: String, columns: Int, rows: Int, _ symbols: GlyphSet
  ) -> [TerminalText] {
    guard symbols.isUnicode, let code = QRCode(invite) else { return [] }
    let lines = code.lines
    return code.size <= columns && lines.count <= rows ? lines : []
  }

  private func drawIndented(_ line: StyledLine, in row: Rect, on canvas: inout Canvas) {
    canvas.draw(line, in: row.inset(columns: 2, rows: 0))
  }

  private func drawBox(
    _ lines: [StyledLine], title: TerminalText, in screen: Rect, on canvas: inout Canvas
  ) {
    let width = (lines.map(\.width).max() ?? 0) + 6
    let box = screen.centered(width: width, height: lines.count + 2)
    canvas.drawFloatingFrame(box, title: title)
    var inside = box.inset(columns: 3, rows: 1)
    for line in lines {
      let row = inside.takeTop(1)
      canvas.draw(line, in: row)
    }
  }
}
