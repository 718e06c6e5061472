/// Writes cells of a picture as control sequences, with as few of them as possible.
///
/// It tracks the position of the cursor and the current colours within one frame.
struct CellWriter: Sendable {
  /// The number of cells written since ``begin(area:colors:tolerance:)``.
  private(set) var cells = 0
  var output = ControlBytes()
  /// The largest difference of a channel, of 255, for which the current colour is kept.
  var tolerance = 0

  private var area = CellArea(column: 0, row: 0, columns: 0, rows: 0)
  private var colors = PictureQuality.Colors.direct
  private var pen = Pen()

  private struct Pen: Sendable {
    var ink = CellWriter.unknown
    var paper = CellWriter.unknown
    var column = -1
    var row = -1
  }

  /// The value for an unknown colour.
  static let unknown = UInt32.max

  /// Begins a frame: the cursor's position and the colours are unknown.
  mutating func begin(area: CellArea, colors: PictureQuality.Colors, tolerance: Int) {
    output.clear()
    (self.area, self.colors, self.tolerance) = (area, colors, tolerance)
    pen = Pen()
    cells = 0
  }

  /// Moves the cursor to a cell of the area. The cell has to be drawn next, which moves the cursor past it.
  mutating func goTo(_ column: Int, _ row: Int) {
    cells += 1
    defer {
      pen.column = column + 1
      pen.row = row
    }
    if pen.row < 0 { output.text("\u{1B}7\u{1B}[?2026h") }
    if pen.row == row {
      let gap = column - pen.column
      if gap == 0 { return }
      output.text("\u{1B}[")
      if gap > 1 { output.decimal(gap) }
      return output.byte(0x43)
    }
    output.text("\u{1B}[")
    output.decimal(area.row + row + 1)
    output.byte(0x3B)
    output.decimal(area.column + column + 1)
    output.byte(0x48)
  }

  /// Draws two pixels, one above the other.
  ///
  /// - Returns: the colours that the cell has now, which may be the former ones if the difference is small.
  mutating func drawHalves(
    _ upper: UInt32, _ lower: UInt32
  ) -> (upper: UInt32, lower: UInt32) {
    if upper == lower {
      if isNear(pen.paper, upper) {
        output.byte(0x20)
        return (pen.paper, pen.paper)
      }
      if isNear(pen.ink, upper) {
        output.block(0x88)
        return (pen.ink, pen.ink)
      }
      set(ink: nil, paper: upper)
      output.byte(0x20)
      return (upper, upper)
    }
    let upright = (isNear(pen.ink, upper) ? 0 : 1) + (isNear(pen.paper, lower) ? 0 : 1)
    let inverted = (isNear(pen.ink, lower) ? 0 : 1) + (isNear(pen.paper, upper) ? 0 : 1)
    if upright <= inverted {
      set(ink: isNear(pen.ink, upper) ? nil : upper, paper: isNear(pen.paper, lower) ? nil : lower)
      output.block(0x80)
      return (pen.ink, pen.paper)
    }
    set(ink: isNear(pen.ink, lower) ? nil : lower, paper: isNear(pen.paper, upper) ? nil : upper)
    output.block(0x84)
    return (pen.paper, pen.ink)
  }

  /// Draws the pixels of a cell in two colours.
  mutating func draw(_ cell: Subpixels.TwoColors) {
    let (ink, paper) = (cell.ink, cell.paper)
    if cell.mask == 0 {
      set(ink: nil, paper: paper == pen.paper ? nil : paper)
      output.byte(0x20)
      return
    }
    let upright = (pen.ink == ink ? 0 : 1) + (pen.paper == paper ? 0 : 1)
    let inverted = (pen.ink == paper ? 0 : 1) + (pen.paper == ink ? 0 : 1)
    let (part, rest) = (BlockGlyphs.all[Int(cell.mask)], BlockGlyphs.all[Int(~cell.mask)])
    if let part, upright <= inverted || rest == nil {
      set(ink: ink == pen.ink ? nil : ink, paper: paper == pen.paper ? nil : paper)
      output.character(part)
    } else if let rest {
      set(ink: paper == pen.ink ? nil : paper, paper: ink == pen.paper ? nil : ink)
      output.character(rest)
    }
  }

  /// Returns whether the current colour is close enough to the wanted one.
  @inline(__always)
  private func isNear(_ set: UInt32, _ wanted: UInt32) -> Bool {
    if set == wanted { return true }
    guard colors == .direct, set != Self.unknown else { return false }
    return PictureEncoder.difference(set, wanted) <= tolerance / 2
  }

  /// Sets colours; nil keeps the current one.
  private mutating func set(ink: UInt32?, paper: UInt32?) {
    guard ink != nil || paper != nil else { return }
    output.text("\u{1B}[")
    if let ink {
      output.byte(0x33)
      write(ink)
      pen.ink = ink
    }
    if let paper {
      if ink != nil { output.byte(0x3B) }
      output.byte(0x34)
      write(paper)
      pen.paper = paper
    }
    output.byte(0x6D)
  }

  /// Writes the rest of a colour's parameters, after the 3 or 4: `8;2;r;g;b`, or `8;5;n`.
  private mutating func write(_ color: UInt32) {
    if colors == .indexed {
      output.text("8;5;")
      return output.decimal(Int(XtermPalette.nearest[XtermPalette.key(color)]))
    }
    output.text("8;2;")
    output.decimal(Int(color >> 16 & 255))
    output.byte(0x3B)
    output.decimal(Int(color >> 8 & 255))
    output.byte(0x3B)
    output.decimal(Int(color & 255))
  }
}
