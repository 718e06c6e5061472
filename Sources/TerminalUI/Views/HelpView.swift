/// The list of all keys, made from the key map. Typing filters it.
struct HelpView: Hashable, Sendable {
  private static let columnWidth = 58
  private static let keysWidth = 18
  private static let gap = 2

  var keyMap: KeyMap
  /// Problems of the user's settings, listed before the keys.
  var problems: [TerminalText] = []
  var scroll: Int
  /// The typed words that each shown line contains.
  var filter = ""

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let rows = rows(in: layout, isUnicode: symbols.isUnicode)
    // The frame keeps its size while the user types.
    var whole = self
    whole.filter = ""
    let box = Self.box(
      in: layout, rows: max(rows.count, whole.rows(in: layout, isUnicode: symbols.isUnicode).count))
    canvas.drawFloatingFrame(
      box, title: filter.isEmpty ? "Keys" : "Keys: " + TerminalText(filter))
    let visible = box.height - 2
    let first = min(max(0, scroll), max(0, rows.count - visible))
    var inside = box.inset(columns: 2, rows: 1)
    for row in rows.dropFirst(first).prefix(visible) {
      let line = inside.takeTop(1)
      for (column, cell) in row.enumerated() {
        let width = Self.width(in: layout)
        let isWhole = row.count == 1
        canvas.draw(
          cell,
          in: Rect(
            column: line.column + column * (width + Self.gap), row: line.row,
            width: isWhole ? line.width : width, height: 1))
      }
    }
    let more = rows.count - first - visible
    let trailing: TerminalText =
      rows.count <= visible
      ? "type to filter, esc close"
      : more > 0
        ? "type to filter, " + TerminalText(glyphs: [symbols.down]) + " \(more) more"
        : TerminalText(glyphs: [symbols.up]) + " \(first) more"
    canvas.drawRule(
      box.line(box.height - 1), trailing: trailing, left: symbols.frame.bottomLeft,
      right: symbols.frame.bottomRight, style: .accent)
  }

  static func visibleRows(in layout: ScreenLayout) -> Int { layout.size.rows - 4 }

  func maximumScroll(in layout: ScreenLayout) -> Int {
    max(0, rows(in: layout, isUnicode: true).count - Self.visibleRows(in: layout))
  }

  /// Returns the rows over all columns: the problems of the settings, then the keys.
  private func rows(in layout: ScreenLayout, isUnicode: Bool) -> [[StyledLine]] {
    let words = filter.lowercased().split(separator: " ")
    var shown = keyMap
    shown.entries.removeAll { entry in
      let text =
        "\(entry.keysLabel(isUnicode: false, allKeys: true)) \(entry.help)"
        .lowercased()
      return !words.allSatisfy { text.contains($0) }
    }
    guard !shown.entries.isEmpty else {
      return [[StyledLine("No key for “" + TerminalText(filter) + "”", .quiet)]]
    }
    let keys = Self.rows(shown, in: layout, isUnicode: isUnicode)
    guard !problems.isEmpty, words.isEmpty else { return keys }
    let width = Self.columns(in: layout) * (Self.width(in: layout) + Self.gap) - Self.gap
    let lines = problems.flatMap { $0.wrapped(to: width) }
    return [[StyledLine("Problems in your settings", .caution)]]
      + lines.map { [StyledLine($0)] } + [[StyledLine()]] + keys
  }

  private static func box(in layout: ScreenLayout, rows: Int) -> Rect {
    let count = columns(in: layout)
    return Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
      .centered(
        width: count * (width(in: layout) + gap) - gap + 4,
        height: min(rows, visibleRows(in: layout)) + 2)
  }

  private static func columns(in layout: ScreenLayout) -> Int {
    let columns = layout.size.columns
    return max(columns >= 110 ? 2 : 1, (columns - 4 + gap) / (columnWidth + gap))
  }

  private static func width(in layout: ScreenLayout) -> Int {
    min(columnWidth, (layout.size.columns - 4 + gap) / columns(in: layout) - gap)
  }

  /// Returns rows of cells: the sections, spread over as many columns as the screen has room for.
  private static func rows(_ keyMap: KeyMap, in layout: ScreenLayout, isUnicode: Bool)
    -> [[StyledLine]]
  {
    let sections = KeyMap.Section.allCases.filter { section in
      keyMap.entries.contains { $0.section == section }
    }.map { lines($0, keyMap, width: width(in: layout), isUnicode: isUnicode) }
    let total = sections.reduce(0) { $0 + $1.count + 1 }
    let count = columns(in: layout)
    var columns: [[StyledLine]] = [[]]
    for section in sections {
      if let last = columns.last, !last.isEmpty {
        // The next column begins when this one has its share.
        if columns.count < count, last.count + section.count / 2 >= total / count {
          columns.append([])
        } else {
          columns[columns.count - 1].append(StyledLine())
        }
      }
      columns[columns.count - 1] += section
    }
    let height = columns.map(\.count).max() ?? 0
    return (0..<height).map { row in
      columns.map { row < $0.count ? $0[row] : StyledLine() }
    }
  }

  private static func lines(
    _ section: KeyMap.Section, _ keyMap: KeyMap, width: Int, isUnicode: Bool
  ) -> [StyledLine] {
    var lines = [StyledLine(TerminalText(section.rawValue), .strong)]
    let keysWidth = min(Self.keysWidth, width / 2 - 1)
    for entry in keyMap.entries where entry.section == section {
      let keys = entry.keysLabel(isUnicode: isUnicode, allKeys: true)
      var first = StyledLine(TerminalText.blanks(keysWidth - keys.width) + keys, .key)
      let help = TerminalText(entry.help).wrapped(
        to: width - keysWidth - 2, first: width - first.width - 2)
      for (index, part) in help.enumerated() {
        if index > 0 { first = StyledLine(TerminalText.blanks(keysWidth)) }
        lines.append(first.adding("  ").adding(part, .plain))
      }
    }
    return lines
  }
}
