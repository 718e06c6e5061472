/// The screen as a value: a grid of cells, and the position of the cursor if it shows.
///
/// Views draw on it, and only ``TerminalText`` and ``Glyph`` values can be drawn. A glyph that is two columns wide owns
/// both of its cells: it is never drawn by halves, and drawing over one half blanks the other.
struct Canvas: Hashable, Sendable {
  struct Cell: Hashable, Sendable {
    /// The cell's glyph; nil for the second column of a wide one.
    var glyph: Glyph?
    var style: Style

    static let blank = Cell(glyph: .space, style: .plain)
  }

  let size: ScreenSize
  let symbols: GlyphSet
  private(set) var cells: [Cell]
  var cursor: ScreenPoint?
  /// The area that is kept free for a picture, which is drawn by other means.
  private(set) var pictureArea: Rect?

  init(size: ScreenSize, symbols: GlyphSet = .unicode) {
    self.size = size
    self.symbols = symbols
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// Reserves an area for a picture. Anything drawn there afterwards covers the picture.
  ///
  /// The area doesn't count as blank for ncurses, which may erase blanks as the shortest way to a change beside them.
  mutating func reservePicture(_ area: Rect) {
    fill(area, with: .picture)
    pictureArea = area.intersection(bounds)
  }

  /// The areas drawn over the picture, row by row.
  var pictureCovers: [Rect] {
    guard let area = pictureArea else { return [] }
    var covers: [Rect] = []
    for row in area.row..<area.endRow {
      var begin: Int?
      for column in area.column...area.endColumn {
        let isCovered =
          column < area.endColumn && cells[row * size.columns + column].glyph != .picture
        if isCovered, begin == nil { begin = column }
        if !isCovered, let first = begin {
          covers.append(Rect(column: first, row: row, width: column - first, height: 1))
          begin = nil
        }
      }
    }
    return covers
  }

  var bounds: Rect { Rect(column: 0, row: 0, width: size.columns, height: size.rows) }

  func row(_ index: Int) -> ArraySlice<Cell> {
    cells[index * size.columns..<(index + 1) * size.columns]
  }

  /// Draws `text` from the left of `area`'s first row and cuts it at the area's end.
  ///
  /// Right-to-left text is ordered on its own: anything drawn beside it keeps its columns, and so do blanks at either
  /// end, which separate it. The end of a text that is too long is cut off, on whichever side that is.
  ///
  /// - Returns: the column after the last one drawn.
  @discardableResult
  mutating func draw(_ text: TerminalText, in area: Rect, style: Style = .plain) -> Int {
    guard ordersText, text.hasRightToLeft else { return draw(text.glyphs, in: area, style: style) }
    let fitting = text.prefix(columns: area.width)
    let start = fitting.glyphs.prefix { $0 == .space }
    let words = fitting.trimmed.dropping(start.count)
    let end = fitting.glyphs.dropFirst(start.count + words.glyphs.count)
    return draw(start + VisualLine(words).glyphs + end, in: area, style: style)
  }

  /// Draws a line that is being typed, with the cursor before its glyph number `index`. Blanks at its end show where
  /// the next letter will be.
  mutating func drawEdited(_ text: TerminalText, cursor index: Int, in area: Rect) {
    let line = ordersText ? VisualLine(text) : VisualLine(unordered: text)
    draw(line.glyphs, in: area, style: .plain)
    let end = line.indices.firstIndex(of: index) ?? line.indices.endIndex
    let column = line.glyphs[..<end].reduce(area.column) { $0 + $1.width }
    cursor = ScreenPoint(column: column, row: area.row)
  }

  private var ordersText: Bool {
    guard symbols.isUnicode else { return false }
    switch symbols.order {
    case .visual, .visualWords: return true
    case .logical: return false
    }
  }

  @discardableResult
  private mutating func draw(_ glyphs: [Glyph], in area: Rect, style: Style) -> Int {
    var column = area.column
    let visible = area.intersection(bounds)
    for glyph in glyphs {
      let shown =
        symbols.isUnicode || glyph.text.utf8.count == 1
        ? [glyph] : GlyphSet.asciiReplacement(for: glyph)
      for glyph in shown {
        guard column + glyph.width <= area.endColumn else { return column }
        if !visible.isEmpty, column >= visible.column, column + glyph.width <= visible.endColumn {
          put(
            glyph.with(.init()), column: column, row: area.row, style: style.with(glyph.look))
        }
        column += glyph.width
      }
    }
    return column
  }

  /// Draws `text` at the right end of `area`'s first row, shortened with an ellipsis if necessary.
  ///
  /// - Returns: the rest of the area, on the left.
  @discardableResult
  mutating func drawTrailing(_ text: TerminalText, in area: Rect, style: Style = .plain) -> Rect {
    let fitting = text.clipped(to: area.width, with: symbols.ellipsis)
    var target = area
    target.column = area.endColumn - fitting.width
    target.width = fitting.width
    draw(fitting, in: target, style: style)
    var rest = area
    rest.width -= fitting.width
    return rest
  }

  /// Draws `text` in the middle of `area`'s first row, shortened with an ellipsis if necessary.
  mutating func drawCentered(_ text: TerminalText, in area: Rect, style: Style = .plain) {
    let fitting = text.clipped(to: area.width, with: symbols.ellipsis)
    var target = area
    target.column += (area.width - fitting.width) / 2
    target.width = fitting.width
    draw(fitting, in: target, style: style)
  }

  /// Fills `area` with a glyph of one column.
  mutating func fill(_ area: Rect, with glyph: Glyph = .space, style: Style = .plain) {
    let visible = area.intersection(bounds)
    guard !visible.isEmpty else { return }
    let cell = Cell(glyph: glyph, style: style)
    for row in visible.row..<visible.endRow {
      let first = row * size.columns + visible.column
      let end = row * size.columns + visible.endColumn
      // The rest of a wide glyph that reaches out of the area is blanked.
      if cells[first].glyph == nil { cells[first - 1].glyph = .space }
      if visible.endColumn < size.columns, cells[end].glyph == nil { cells[end].glyph = .space }
      for index in first..<end { cells[index] = cell }
    }
  }

  /// Changes the style of all cells except the picture's, which is drawn by other means.
  mutating func restyle(_ area: Rect, _ change: (inout Style) -> Void) {
    let visible = area.intersection(bounds)
    guard !visible.isEmpty else { return }
    for row in visible.row..<visible.endRow {
      for column in visible.column..<visible.endColumn {
        let index = row * size.columns + column
        if cells[index].glyph != .picture { change(&cells[index].style) }
      }
    }
  }

  /// Draws a frame on the outermost cells of `area`, and blanks its inside.
  mutating func drawFrame(_ area: Rect, title: TerminalText = .empty, style: Style = .quiet) {
    guard area.width >= 2, area.height >= 2 else { return }
    fill(area)
    drawRule(
      area.line(0), title: title, left: symbols.frame.topLeft, right: symbols.frame.topRight,
      style: style)
    drawRule(
      area.line(area.height - 1), left: symbols.frame.bottomLeft, right: symbols.frame.bottomRight,
      style: style
    )
    for row in 1..<area.height - 1 {
      let line = area.line(row)
      fill(
        Rect(column: line.column, row: line.row, width: 1, height: 1), with: symbols.frame.vertical,
        style: style)
      fill(
        Rect(column: line.endColumn - 1, row: line.row, width: 1, height: 1),
        with: symbols.frame.vertical,
        style: style)
    }
  }

  /// Draws a frame over other things, with a blank column between it and them.
  mutating func drawFloatingFrame(_ area: Rect, title: TerminalText = .empty) {
    fill(area.inset(columns: -1, rows: 0))
    drawFrame(area, title: title, style: .accent)
  }

  /// Draws a horizontal line with a title near its left end and, if there is room, another near its right.
  mutating func drawRule(
    _ line: Rect, title: TerminalText = .empty, trailing: TerminalText = .empty,
    left: Glyph? = nil, right: Glyph? = nil, style: Style = .quiet
  ) {
    guard line.width >= 2 else { return }
    fill(line, with: symbols.frame.horizontal, style: style)
    if let left { draw(TerminalText(glyphs: [left]), in: line, style: style) }
    if let right { drawTrailing(TerminalText(glyphs: [right]), in: line, style: style) }
    var room = line.inset(columns: 2, rows: 0)
    if !title.isEmpty, room.width >= 5 {
      let shown = title.clipped(to: room.width - 2, with: symbols.ellipsis)
      room.width = shown.width + 2
      draw(" \(shown) ", in: room, style: .strong)
    }
    let used = title.isEmpty ? 0 : min(title.width, line.width - 6) + 2
    if !trailing.isEmpty, line.width - 4 - used >= trailing.width + 4 {
      drawTrailing(" \(trailing) ", in: line.inset(columns: 2, rows: 0), style: style)
    }
  }

  private mutating func put(_ glyph: Glyph, column: Int, row: Int, style: Style) {
    let index = row * size.columns + column
    let rowEnd = (row + 1) * size.columns
    guard index + glyph.width <= rowEnd else { return }
    if cells[index].glyph == nil { cells[index - 1].glyph = .space }
    let next = index + glyph.width
    if next < rowEnd, cells[next].glyph == nil { cells[next].glyph = .space }
    cells[index] = Cell(glyph: glyph, style: style)
    if glyph.width == 2 { cells[index + 1] = Cell(glyph: nil, style: style) }
  }
}
