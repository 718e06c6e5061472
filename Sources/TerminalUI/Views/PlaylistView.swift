/// The films to watch one after another, with one entry selected.
struct PlaylistView: Hashable, Sendable {
  var entries: [PlaylistLine]
  var selected: Int

  func draw(in layout: ScreenLayout, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let box = Self.box(entries.count, in: layout)
    canvas.drawFloatingFrame(box, title: "Playlist")
    let rows = box.inset(columns: 2, rows: 1)
    if entries.isEmpty {
      canvas.drawCentered(
        "Empty. Press e in the library to add a film.", in: rows.line(0), style: .quiet)
    }
    let first = Self.firstVisible(selected, of: entries.count, rows: rows.height)
    let numbers = "\(entries.count)".count
    for (row, index) in (first..<entries.count).prefix(rows.height).enumerated() {
      let entry = entries[index]
      let isSelected = index == selected
      var room = rows.line(row)
      if isSelected { canvas.fill(room, style: .selected) }
      let style = isSelected ? Style.selected : .plain
      let sign = entry.isCurrent ? symbols.playing : isSelected ? symbols.selection : .space
      canvas.draw(TerminalText(glyphs: [sign]), in: room, style: isSelected ? style : .accent)
      room.column += 2
      room.width -= 3
      let number = "\(index + 1)"
      let title =
        TerminalText(
          String(repeating: " ", count: numbers - number.count) + number + "  ") + entry.title
      canvas.draw(
        title.clipped(to: room.width, with: symbols.ellipsis), in: room,
        style: entry.isCurrent && !isSelected ? .strong : style)
    }
    let keys: TerminalText = "enter watch  J K move  x remove  esc close"
    canvas.drawRule(
      box.line(box.height - 1), trailing: keys, left: symbols.frame.bottomLeft,
      right: symbols.frame.bottomRight, style: .accent)
  }

  /// Returns the entry at a point of the screen, for the mouse.
  static func index(at point: ScreenPoint, selected: Int, of count: Int, in layout: ScreenLayout)
    -> Int?
  {
    let rows = box(count, in: layout).inset(columns: 2, rows: 1)
    guard rows.contains(point) else { return nil }
    let index = firstVisible(selected, of: count, rows: rows.height) + point.row - rows.row
    return index < count ? index : nil
  }

  private static func box(_ count: Int, in layout: ScreenLayout) -> Rect {
    Rect(column: 0, row: 0, width: layout.size.columns, height: layout.size.rows)
      .centered(
        width: min(72, layout.size.columns - 4),
        height: min(max(count, 1), layout.size.rows - 4) + 2)
  }

  private static func firstVisible(_ selected: Int, of count: Int, rows: Int) -> Int {
    min(max(0, selected - rows / 2), max(0, count - rows))
  }
}
