import CNCurses
import Glibc
import TerminalVideo

/// Shows canvases on the terminal through ncurses. All calls of ncurses are in this type, in ``TerminalEnvironment``
/// and in ``Palette``, and one actor makes them on one thread.
///
/// ncurses doesn't read input: ``InputThread`` does.
struct CursesDisplay {
  private let screen: OpaquePointer
  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>
  private var palette: Palette
  private let theme: Theme
  private let hasLinks: Bool
  let symbols: GlyphSet
  /// The canvas that the terminal shows; nil if that isn't known.
  private var shown: Canvas?

  /// Begins the display.
  ///
  /// - Parameter terminal: a descriptor of the terminal, which is copied.
  init(environment: TerminalEnvironment, theme: Theme, terminal: CInt) throws(TerminalError) {
    guard let output = Self.open(terminal, "w"), let input = Self.open(terminal, "r") else {
      throw .system(operation: "fdopen", code: errno)
    }
    // The terminal knows its size; LINES and COLUMNS may belong to another one, or be nonsense.
    use_tioctl(true)
    guard let screen = newterm(environment.type, output, input) else {
      fclose(output)
      fclose(input)
      throw .unknownTerminal(environment.type)
    }
    self.screen = screen
    self.input = input
    self.output = output
    var symbols = environment.isUnicode ? GlyphSet.unicode : .ascii
    symbols.order = environment.textOrder
    self.symbols = symbols
    self.theme = theme
    hasLinks = environment.hasLinks
    set_term(screen)
    // Matinee reads the keys as bytes: no key causes a signal, is echoed or is changed.
    raw()
    noecho()
    nonl()
    // Otherwise ncurses would look for waiting keys while it draws, and stop drawing for them.
    typeahead(-1)
    let window = cncurses_stdscr()
    leaveok(window, true)
    scrollok(window, false)
    idlok(window, false)
    idcok(window, false)
    if environment.hasColor, has_colors(), start_color() == OK {
      palette = Palette(colors: cncurses_colors(), theme: theme)
    } else {
      palette = Palette(theme: theme)
    }
    curs_set(0)
  }

  private static func open(_ terminal: CInt, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(terminal, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return nil }
    guard let file = fdopen(copy, mode) else {
      Glibc.close(copy)
      return nil
    }
    return file
  }

  /// The descriptor through which ncurses writes to the terminal.
  var descriptor: CInt { fileno(output) }

  /// A Boolean value that indicates whether the colours are the terminal's own, which may not suit its background; or
  /// whether there are none.
  var hasFewColors: Bool { !palette.hasColors || cncurses_colors() < 256 }

  /// Chooses colours that are readable on a light background.
  mutating func backgroundIsLight() {
    palette =
      palette.hasColors
      ? Palette(colors: cncurses_colors(), theme: theme, onLight: true)
      : Palette(theme: theme, onLight: true)
    invalidate()
  }

  var size: ScreenSize {
    let window = cncurses_stdscr()
    return ScreenSize(columns: Int(getmaxx(window)), rows: Int(getmaxy(window)))
  }

  /// Adopts the window's size, which may have changed.
  mutating func resize() {
    var columns: CInt = 0
    var rows: CInt = 0
    guard cncurses_window_size(fileno(output), &columns, &rows) else { return }
    guard ScreenSize(columns: Int(columns), rows: Int(rows)) != size else { return }
    // A failure keeps the old size, which is drawn as before.
    _ = resizeterm(rows, columns)
    invalidate()
  }

  /// Makes ``show(_:)`` draw the next canvas in full, because the terminal's contents aren't known.
  mutating func invalidate() {
    shown = nil
    clearok(cncurses_stdscr(), true)
  }

  /// Returns the cells that ``show(_:)`` may write; nil if it has nothing to do.
  func changes(to canvas: Canvas) -> ScreenChanges? {
    guard let shown, shown.size == canvas.size else { return .complete }
    return canvas.changes(from: shown)
  }

  /// Shows `canvas`, sending only the changes.
  ///
  /// No part of the screen is shifted, since that would also shift the film's picture, which ncurses doesn't know.
  mutating func show(_ canvas: Canvas) {
    guard let changes = changes(to: canvas) else { return }
    let window = cncurses_stdscr()
    leaveok(window, true)
    if changes.isComplete {
      for row in 0..<min(canvas.size.rows, size.rows) { put(canvas, row: row) }
      wnoutrefresh(window)
      doupdate()
    } else {
      for area in changes.areas where area.row < size.rows {
        put(canvas, row: area.row)
        // If several rows change at once, ncurses (6.4) looks for rows that have moved and scrolls them with the
        // hardware, in spite of idlok(false). A single row can't have moved.
        wnoutrefresh(window)
        doupdate()
      }
    }
    if hasLinks {
      putLinks(
        canvas, rows: changes.isComplete ? Array(0..<canvas.size.rows) : changes.areas.map(\.row))
    }
    showCursor(canvas.cursor)
    shown = canvas
  }

  private func put(_ canvas: Canvas, row: Int) {
    var cells = visual(canvas, row: row).flatMap(complex)
    mvwadd_wchnstr(cncurses_stdscr(), CInt(row), 0, &cells, CInt(cells.count))
  }

  private func visual(_ canvas: Canvas, row: Int) -> [Canvas.Cell] {
    symbols.order == .visualWords ? VisualWords.turned(canvas.row(row)) : Array(canvas.row(row))
  }

  /// Writes the cells of links again, as links, without moving the cursor and without changing anything else: ncurses
  /// needn't know.
  private func putLinks(_ canvas: Canvas, rows: [Int]) {
    var bytes: [UInt8] = []
    for row in rows where row < size.rows {
      for cells in LinkedCells.all(in: visual(canvas, row: row), after: shown?.row(row)) {
        bytes +=
          Array("\u{1B}[\(row + 1);\(cells.column + 1)H".utf8) + palette.sequence(cells.style)
        bytes += TerminalModes.link(cells.link) + Array(cells.text.utf8) + TerminalModes.link(nil)
      }
    }
    guard !bytes.isEmpty else { return }
    // The cursor and the style are ncurses's.
    PictureSurface.write(Array("\u{1B}7".utf8) + bytes + Array("\u{1B}8".utf8), to: descriptor)
  }

  private func showCursor(_ cursor: ScreenPoint?) {
    let window = cncurses_stdscr()
    if let cursor {
      leaveok(window, false)
      wmove(window, CInt(cursor.row), CInt(cursor.column))
      if shown?.cursor == nil { curs_set(1) }
      wnoutrefresh(window)
      doupdate()
    } else if shown == nil || shown?.cursor != nil {
      curs_set(0)
    }
  }

  /// The size of a cell; nil if the terminal doesn't report it (`TIOCGWINSZ`).
  var cell: CellSize? {
    var window = winsize()
    guard ioctl(fileno(output), UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    return CellSize(
      columns: Int(window.ws_col), rows: Int(window.ws_row),
      pixels: (Int(window.ws_xpixel), Int(window.ws_ypixel)))
  }

  /// Returns a cell in ncurses's form. If the C library measures another width for a glyph, ncurses would lose track of
  /// the columns, so question marks replace the glyph.
  private func complex(_ cell: Canvas.Cell) -> [cchar_t] {
    guard let glyph = cell.glyph else { return [] }
    var characters = glyph.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    let isAgreed =
      cncurses_width(characters[0]) == CInt(glyph.width)
      && characters.dropFirst().allSatisfy { cncurses_width($0) == 0 }
    if !isAgreed, characters.count > 1, cncurses_width(characters[0]) == CInt(glyph.width) {
      // The character without its marks is better than none.
      characters = [characters[0]]
    } else if !isAgreed {
      return Array(repeating: complex([0x3F], cell.style), count: glyph.width)
    }
    return [complex(characters, cell.style)]
  }

  private func complex(_ characters: [wchar_t], _ style: Style) -> cchar_t {
    var result = cchar_t()
    let text = characters + [0]
    let status = setcchar(&result, text, palette.attributes(style), palette.pair(style), nil)
    precondition(status == OK, "setcchar refuses \(characters)")
    return result
  }

  /// Restores the terminal: its settings, its screen, its cursor.
  func leave() { endwin() }

  /// Takes the terminal again after ``leave()``.
  mutating func enter() {
    reset_prog_mode()
    resize()
    invalidate()
    curs_set(0)
    wrefresh(cncurses_stdscr())
  }

  /// Frees the screen after a final ``leave()``.
  func free() {
    delscreen(screen)
    fclose(output)
    fclose(input)
  }
}
