/// The chat, with notes about events, the newest at the bottom.
struct ChatView: Hashable, Sendable {
  /// The number of entries that can be shown; scrolling doesn't reach older ones.
  static let maximumEntries = 1000
  /// The rows from which names have lines of their own.
  private static let groupingRows = 6

  var entries: [ChatEntry]
  /// This participant's own name, which is highlighted in messages.
  var ownName: TerminalText
  var colors: PersonColors
  /// The number of lines below the shown ones.
  var scroll: Int
  /// The entry before the new ones; a rule is drawn after it.
  var unreadMark: ChatEntry.ID?

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard !area.isEmpty else { return }
    guard !entries.isEmpty else {
      return canvas.draw("Chat starts when a friend joins.", wrappedIn: area, style: .quiet)
    }
    // Lines are made from the newest backwards, only as far as they are shown.
    var lines: [StyledLine] = []
    var hasMark = unreadMark == nil
    let paragraphs = ChatParagraph.all(in: entries.suffix(Self.maximumEntries), mark: unreadMark)
    for (index, paragraph) in paragraphs.enumerated().reversed() {
      if !hasMark, let unreadMark, paragraph.lastID <= unreadMark {
        hasMark = true
        if !lines.isEmpty { lines.append(Self.mark(width: area.width, canvas.symbols)) }
      }
      lines += Self.lines(
        index, of: paragraphs, in: area, canvas.symbols, colors, ownName: ownName
      ).reversed()
      if lines.count >= area.height + scroll { break }
    }
    // If the window has grown, a scroll position beyond the beginning shows the oldest lines.
    let hidden = min(scroll, max(0, lines.count - area.height))
    let shown = lines.dropFirst(hidden).prefix(area.height).reversed()
    // The newest message is beside the prompt.
    var whole = area
    var rows = whole.takeBottom(shown.count)
    for line in shown { canvas.draw(line, in: rows.takeTop(1)) }
  }

  private static func mark(width: Int, _ symbols: GlyphSet) -> StyledLine {
    let rule = TerminalText(
      glyphs: Array(repeating: symbols.frame.horizontal, count: max(0, width - 5)))
    return StyledLine(rule, .accent).adding(" new", .key)
  }

  static func maximumScroll(_ entries: [ChatEntry], mark: ChatEntry.ID?, in area: Rect) -> Int {
    let paragraphs = ChatParagraph.all(in: entries.suffix(maximumEntries), mark: mark)
    let count = paragraphs.indices.reduce(0) { count, index in
      count
        + lines(
          index, of: paragraphs, in: area, .unicode, PersonColors([]), ownName: .empty
        ).count
    }
    return max(0, count - area.height)
  }

  /// Returns a paragraph's lines in a column of its own: a message under its author's name, which successive messages
  /// share, with the time when the minute changes.
  private static func lines(
    _ index: Int, of paragraphs: [ChatParagraph], in area: Rect, _ symbols: GlyphSet,
    _ colors: PersonColors, ownName: TerminalText
  ) -> [StyledLine] {
    let paragraph = paragraphs[index]
    let width = area.width
    guard area.height >= groupingRows, width > 1,
      case .said(let text, let author, let isOwn) = paragraph.content
    else { return lines(paragraph, width: width, symbols, colors, ownName: ownName) }
    // Events have no time, so that the next message has it.
    let previous = index > 0 && paragraphs[index - 1].author != nil ? paragraphs[index - 1] : nil
    let isSameMinute =
      previous.map { ($0.hour, $0.minute) == (paragraph.hour, paragraph.minute) } ?? false
    var result: [StyledLine] = []
    if !isSameMinute || previous?.author != author {
      var header = StyledLine()
      if !isSameMinute {
        header.add(
          TimeText.timeOfDay(hour: paragraph.hour, minute: paragraph.minute) + " ", .quiet)
      }
      let name = author.clipped(to: max(1, width - header.width), with: symbols.ellipsis)
      result.append(header.adding(name, colors.style(author, .bold)))
    }
    let style: Style = !isOwn && Mention.isFound(of: ownName, in: text) ? .key : .plain
    return result
      + text.withLinks.wrapped(to: width - 1).map {
        StyledLine(TerminalText.blanks(1)).adding($0, style)
      }
  }

  /// Returns a paragraph's lines: "21:39 Ana: who wants popcorn?" or, for an event, "· Ben joined".
  static func lines(
    _ paragraph: ChatParagraph, width: Int, _ symbols: GlyphSet, _ colors: PersonColors,
    ownName: TerminalText
  ) -> [StyledLine] {
    guard width > 0 else { return [] }
    var first = StyledLine()
    let indent: Int
    let text: TerminalText
    let style: Style
    switch paragraph.content {
    case .said(let said, let author, let isOwn):
      if width >= 20 {
        first.add(TimeText.timeOfDay(hour: paragraph.hour, minute: paragraph.minute) + " ", .quiet)
      }
      indent = first.width
      let name = author.clipped(to: max(4, (width - indent) / 2), with: symbols.ellipsis)
      first.add(name, colors.style(author, .bold))
      first.add(": ", .quiet)
      text = said
      style = !isOwn && Mention.isFound(of: ownName, in: said) ? .key : .plain
    case .happened(let notes):
      return lines(notes.map(\.text.asLeftToRight), width: width, symbols)
    }
    var result: [StyledLine] = []
    for part in text.withLinks.wrapped(to: width - indent, first: width - first.width) {
      var line = first
      if !result.isEmpty { line = StyledLine(TerminalText.blanks(indent)) }
      line.add(part, style)
      result.append(line)
    }
    return result
  }

  /// Packs the notes into lines; a note is never split.
  private static func lines(
    _ notes: [TerminalText], width: Int, _ symbols: GlyphSet
  ) -> [StyledLine] {
    let dot = TerminalText(glyphs: [symbols.separator, .space])
    var rows: [TerminalText] = []
    for note in notes {
      let shared = (rows.last ?? .empty) + " " + dot + note
      if !rows.isEmpty, shared.width <= width {
        rows[rows.count - 1] = shared
        continue
      }
      let parts = note.wrapped(to: max(1, width - dot.width))
      rows += parts.enumerated().map { index, part in
        (index == 0 ? dot : TerminalText.blanks(dot.width)) + part
      }
    }
    return rows.map { StyledLine($0, .quiet) }
  }
}

/// The line under the chat while the user doesn't type in it: the key for writing.
struct ChatInvitationView: Hashable, Sendable {
  var keyMap: KeyMap

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard !area.isEmpty, let key = keyMap.label(of: .prompt(.chat), canvas.symbols) else { return }
    canvas.draw(
      StyledLine(key, .key).adding(" write to everyone", .quiet),
      in: area.inset(columns: 1, rows: 0))
  }
}

extension Canvas {
  /// Draws `text` from the top of `area`, on as many of its rows as necessary.
  mutating func draw(_ text: TerminalText, wrappedIn area: Rect, style: Style) {
    var rows = area
    for line in text.wrapped(to: max(1, area.width)) where !rows.isEmpty {
      draw(line, in: rows.takeTop(1), style: style)
    }
  }
}
