extension TerminalText {
  private func part(_ glyphs: some Sequence<Glyph>) -> TerminalText {
    TerminalText(glyphs: glyphs, direction: direction)
  }

  /// Returns as much of the beginning as fits into `columns`, cut between characters.
  func prefix(columns: Int) -> TerminalText {
    part(glyphs[..<cut(columns, from: 0)])
  }

  /// Returns the text without its first `count` glyphs.
  func dropping(_ count: Int) -> TerminalText { part(glyphs.dropFirst(count)) }

  /// Returns as much of the end as fits into `columns`.
  func suffix(columns: Int) -> TerminalText {
    var start = glyphs.count
    var used = 0
    while start > 0, used + glyphs[start - 1].width <= columns {
      start -= 1
      used += glyphs[start].width
    }
    while start < glyphs.count, glyphs[start].continues { start += 1 }
    return part(glyphs[start...])
  }

  /// Returns the whole text if it fits, else its beginning with a sign that there is more.
  func clipped(to columns: Int, with sign: Glyph) -> TerminalText {
    if width <= columns { return self }
    if columns <= sign.width {
      return columns == sign.width ? TerminalText(glyphs: [sign]) : .empty
    }
    return part(prefix(columns: columns - sign.width).trimmed.glyphs + [sign])
  }

  /// Returns lines of at most `columns`, broken at blanks if there are any, else anywhere between characters. Never
  /// empty: an empty text gives one empty line.
  ///
  /// - Parameters:
  ///   - columns: the columns of a line.
  ///   - first: those of the first line, if it has less room than the others.
  package func wrapped(to columns: Int, first: Int? = nil) -> [TerminalText] {
    guard columns > 0 else { return [] }
    var lines: [TerminalText] = []
    var start = 0
    while start < glyphs.count {
      let room = lines.isEmpty ? first ?? columns : columns
      let end = cut(room, from: start)
      if end == glyphs.count {
        lines.append(part(glyphs[start...]))
        break
      }
      // The blank may be the very glyph that no longer fits.
      let blank = glyphs[start...end].lastIndex(of: .space)
      if let blank, blank > start {
        lines.append(part(glyphs[start..<blank]).trimmed)
        start = blank + 1
      } else if lines.isEmpty, room < columns {
        // A first word that would fit on a whole line isn't split to fill a short one.
        lines.append(.empty)
      } else {
        // A glyph wider than the line is left out.
        if end > start { lines.append(part(glyphs[start..<end])) }
        start = max(end, start + (end > start ? 0 : 1))
      }
      while start < glyphs.count, glyphs[start] == .space { start += 1 }
    }
    return lines.isEmpty ? [.empty] : lines
  }

  /// Returns lines of exactly `columns`, except the last, for text that must stay unchanged when it is copied.
  func chopped(to columns: Int) -> [TerminalText] {
    guard columns > 1 else { return [] }
    var lines: [TerminalText] = []
    var start = 0
    while start < glyphs.count {
      let end = cut(columns, from: start)
      lines.append(part(glyphs[start..<end]))
      start = end
    }
    return lines
  }

  /// The text without blanks at its end.
  var trimmed: TerminalText {
    guard glyphs.last == .space else { return self }
    return part(glyphs.prefix(glyphs.lastIndex { $0 != .space }.map { $0 + 1 } ?? 0))
  }

  /// Returns the end of the longest part from `start` that fits into `columns`. A cluster is only split if not even one
  /// fits.
  private func cut(_ columns: Int, from start: Int) -> Int {
    var end = start
    var used = 0
    while end < glyphs.count, used + glyphs[end].width <= columns {
      used += glyphs[end].width
      end += 1
    }
    guard end < glyphs.count else { return end }
    var whole = end
    while whole > start, glyphs[whole].continues { whole -= 1 }
    return whole > start ? whole : end
  }

  /// Returns the first of `candidates`, longest first, that fits; the last one if none does.
  static func longest(fitting columns: Int, of candidates: [TerminalText]) -> TerminalText {
    candidates.first { $0.width <= columns } ?? candidates.last ?? .empty
  }
}
