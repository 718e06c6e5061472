/// The chat, with the notes of who did what, the newest at the bottom.
struct ChatView: Hashable, Sendable {
  /// Older ones are not shown, however far one scrolls.
  static let maximumEntries = 1000

  var entries: [ChatEntry]
  var isInParty: Bool
  var colors: PersonColors
  /// Lines below the ones shown.
  var scroll: Int
  /// A rule stands after this entry: what follows is new.
  var unreadMark: ChatEntry.ID?

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard !area.isEmpty else { return }
    if entries.isEmpty {
      let text: TerminalText = isInParty ? "enter: say hello" : "Nobody to talk to yet."
      canvas.draw(
        text.clipped(to: area.width, with: canvas.symbols.ellipsis), in: area, style: .quiet)
      return
    }
    // From the newest backwards, only as far as is shown.
    var lines: [StyledLine] = []
    var hasMark = unreadMark == nil
    for entry in entries.suffix(Self.maximumEntries).reversed() {
      if !hasMark, let unreadMark, entry.id <= unreadMark {
        hasMark = true
        if !lines.isEmpty { lines.append(Self.mark(width: area.width, canvas.symbols)) }
      }
      lines += Self.lines(entry, width: area.width, canvas.symbols, colors).reversed()
      if lines.count >= area.height + scroll { break }
    }
    // A scroll that has become too long, since the window grew, shows the oldest.
    let hidden = min(scroll, max(0, lines.count - area.height))
    let shown = lines.dropFirst(hidden).prefix(area.height).reversed()
    var rows = area
    for line in shown { canvas.draw(line, in: rows.takeTop(1)) }
  }

  private static func mark(width: Int, _ symbols: GlyphSet) -> StyledLine {
    let rule = TerminalText(glyphs: Array(repeating: symbols.horizontal, count: max(0, width - 5)))
    return StyledLine(rule, .accent).adding(" new", .key)
  }

  static func maximumScroll(_ entries: [ChatEntry], in area: Rect) -> Int {
    let count = entries.suffix(maximumEntries)
      .reduce(0) { $0 + lines($1, width: area.width, .unicode, PersonColors([])).count }
    return max(0, count - area.height)
  }

  static func lines(
    _ entry: ChatEntry, width: Int, _ symbols: GlyphSet, _ colors: PersonColors
  ) -> [StyledLine] {
    guard width > 0 else { return [] }
    var first = StyledLine()
    if width >= 20 {
      first.add(TimeText.timeOfDay(hour: entry.hour, minute: entry.minute) + " ", .quiet)
    }
    let indent = first.width
    let text: TerminalText
    let style: Style
    switch entry.content {
    case .said(let said, let author, let isOwn):
      let name = author.clipped(to: max(4, (width - indent) / 2), with: symbols.ellipsis)
      first.add(name, colors.style(author, .bold))
      first.add(": ", .quiet)
      text = said
      style = isOwn ? .quiet : .plain
    case .did(let what, let author):
      let name = author.clipped(to: max(4, (width - indent) / 2), with: symbols.ellipsis)
      first.add(name + " ", colors.style(author))
      text = what
      style = .quiet
    case .note(let note):
      text = note
      style = .quiet
    }
    var result: [StyledLine] = []
    for part in text.wrapped(to: width - indent, first: width - first.width) {
      var line = first
      if !result.isEmpty {
        line = StyledLine(TerminalText(glyphs: Array(repeating: .space, count: indent)))
      }
      line.add(part, style)
      result.append(line)
    }
    return result
  }
}
