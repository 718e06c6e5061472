/// The films of a folder, one of them selected.
struct LibraryView: Hashable, Sendable {
  var library: LibraryModel
  var selection: LibrarySelection
  /// The text that is searched for; nil while a folder is shown.
  var query: String?
  /// The words for a new user; nil for none.
  var welcome: WelcomeView?

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    if layout.isPaneFramed {
      let title: TerminalText = library.title.isEmpty ? "Library" : "Library: " + library.title
      canvas.drawFrame(layout.pane, title: title)
      drawFooter(in: layout.pane.line(layout.pane.height - 1), on: &canvas)
    }
    let area = layout.paneRows
    let greets =
      welcome?.draw(in: area, below: max(library.entries.count, 1), on: &canvas) ?? false
    guard let selected = selection.index(in: library) else {
      return drawEmpty(in: greets ? area.line(0) : area, on: &canvas)
    }
    let first = selection.firstVisible(in: library, rows: area.height)
    for (row, index) in (first..<library.entries.count).prefix(area.height).enumerated() {
      drawEntry(
        library.entries[index], isSelected: index == selected, in: area.line(row), symbols,
        on: &canvas)
    }
  }

  private func drawEmpty(in area: Rect, on canvas: inout Canvas) {
    let middle = max(0, area.height / 2 - 1)
    let text: TerminalText =
      query.map { "No match for “" + TerminalText($0) + "”" } ?? library.notice
      ?? "No films in this folder"
    canvas.drawCentered(text, in: area.line(middle), style: .quiet)
    guard area.height > 1 else { return }
    let hint = StyledLine("u", .key).adding(" open a URL or file", .quiet)
    canvas.drawCentered(hint, in: area.line(middle + 1))
  }

  private func drawEntry(
    _ entry: LibraryModel.Entry, isSelected: Bool, in row: Rect, _ symbols: GlyphSet,
    on canvas: inout Canvas
  ) {
    let style = isSelected ? Style.selected : .plain
    if isSelected {
      canvas.fill(row, style: style)
      // The sign shows the selection without colour and in text, too.
      canvas.draw(TerminalText(glyphs: [symbols.selection]), in: row, style: style)
    }
    var room = row
    room.column += 2
    room.width -= 3
    let sign: Glyph =
      switch entry.kind {
      case .folder, .recent: symbols.folder
      case .film, .audio, .party, .fact: entry.isCurrent ? symbols.playing : .space
      }
    canvas.draw(TerminalText(glyphs: [sign]), in: room, style: isSelected ? style : .accent)
    room.column += 2
    room.width -= 2
    if !entry.note.isEmpty {
      let note = entry.note.clipped(to: room.width / 2, with: symbols.ellipsis)
      room = canvas.drawTrailing(note, in: room, style: isSelected ? style : .quiet)
      room.width -= 2
    }
    let title = entry.title.clipped(to: room.width, with: symbols.ellipsis)
    var titleStyle = style
    if entry.kind.isPlace || entry.isCurrent { titleStyle.attributes.insert(.bold) }
    canvas.draw(title, in: room, style: titleStyle)
  }

  private func drawFooter(in row: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let films = library.entries.count { $0.kind.isFilm }
    let folders = library.entries.count { $0.kind == .folder }
    var parts: [TerminalText] = []
    if folders > 0 { parts.append(folders == 1 ? "1 folder" : "\(folders) folders") }
    if films > 0 { parts.append(films == 1 ? "1 title" : "\(films) titles") }
    guard let first = parts.first else { return }
    let count = parts.dropFirst().reduce(first) { $0 + ", " + $1 }
    let isLong = library.entries.count > row.row - 2
    canvas.drawRule(
      row, title: isLong ? "/ search" : .empty, trailing: count, left: symbols.frame.bottomLeft,
      right: symbols.frame.bottomRight)
  }
}
