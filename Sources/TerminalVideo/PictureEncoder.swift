/// Turns pictures into what a terminal has to be sent to show them: cells in, bytes out.
///
/// It knows what the terminal shows, and sends only what has to change. A cell's stored colours are those that were
/// sent, so that what a tolerance lets pass never adds up.
public struct PictureEncoder: Sendable {
  public private(set) var area: CellArea
  public var quality: PictureQuality {
    didSet {
      guard quality != oldValue else { return }
      forgetKeys()
      guard quality.blocks != oldValue.blocks || quality.colors != oldValue.colors else { return }
      forget()
    }
  }
  /// Cells that show something else, of the whole terminal: nothing is drawn there.
  public var covers: [CellArea] = [] {
    didSet {
      guard covers != oldValue else { return }
      forget(oldValue)
      pixelPicture.forgetPlaces()
    }
  }

  /// What is drawn into the pictures.
  public var sketch: Sketch {
    get { sketched.sketch }
    set { sketched.sketch = newValue }
  }

  /// What each cell shows. For half-blocks the ink is the upper colour.
  private var ink: [UInt32] = []
  private var paper: [UInt32] = []
  /// Which quarters have the ink's colour: upper left 8, upper right 4, lower left 2, lower right 1.
  private var masks: [UInt8] = []
  /// With 256 colours: the picture's colours, as coarsely as the palette is looked up by, for which what each cell
  /// shows was found to do. Most cells of a film stay within them, and needn't be looked at again.
  private var keys: [UInt32] = []
  private var refinement = Refinement()
  /// Whether the film stands: a picture that comes once more is made exact.
  public var stands = false
  /// How far off a channel may be in what is being encoded, and how many cells of it were sent.
  private var tolerance = 0
  private var sentCells = 0
  private var output = ControlBytes()
  private var pixelPicture = PixelPicture()
  private var sketched = SketchedPicture()
  /// The colours that are set, and where the cursor is, within one frame.
  private var pen = Pen()

  private struct Pen: Sendable {
    var ink = PictureEncoder.unknown
    var paper = PictureEncoder.unknown
    var column = -1
    var row = -1
  }

  /// No colour.
  static let unknown = UInt32.max
  /// The low bytes of the block elements by mask: U+2580 + n.
  private static let quarters: [UInt8] = [
    0x20, 0x97, 0x96, 0x84, 0x9D, 0x90, 0x9E, 0x9F, 0x98, 0x9A, 0x8C, 0x99, 0x80, 0x9C, 0x9B, 0x88,
  ]

  public init(area: CellArea, quality: PictureQuality) {
    self.area = area
    self.quality = quality
    forget()
  }

  /// What size the pictures have to have, in pixels.
  public var pictureSize: (width: Int, height: Int) {
    switch quality.blocks {
    case .halves: (area.columns, area.rows * 2)
    case .quadrants: (area.columns * 2, area.rows * 2)
    case .pixels: PixelPicture.size(of: area)
    }
  }

  /// The bytes that take away what cells alone don't cover, before something else has the picture's place.
  public mutating func remove() -> [UInt8] {
    output.clear()
    pixelPicture.remove(to: &output)
    return output.bytes
  }

  /// Another place or size: the next frame is drawn in full.
  public mutating func move(to area: CellArea) {
    guard area != self.area else { return }
    self.area = area
    forget()
  }

  /// What the terminal shows isn't what was sent: the next frame is drawn in full.
  public mutating func forget() {
    let count = area.columns * area.rows
    ink = [UInt32](repeating: Self.unknown, count: count)
    paper = ink
    masks = [UInt8](repeating: 0, count: count)
    forgetKeys()
    refinement.restart()
    pixelPicture.forget()
  }

  private mutating func forgetKeys() {
    keys = [UInt32](repeating: Self.unknown, count: area.columns * area.rows)
  }

  private mutating func forget(_ covers: [CellArea]) {
    for row in 0..<area.rows {
      for column in 0..<area.columns
      where covers.contains(where: {
        $0.contains(column: area.column + column, row: area.row + row)
      }) {
        ink[row * area.columns + column] = Self.unknown
        keys[row * area.columns + column] = Self.unknown
      }
    }
  }

  /// The bytes that make the terminal show `picture`; none if it does already.
  ///
  /// They leave the cursor and the colours as they were, are shown at once where the terminal can
  /// (`DECSET 2026`), and are to be written in one piece.
  ///
  /// - Parameter picture: of ``pictureSize``.
  public mutating func encode(_ picture: PixelBuffer) -> [UInt8] {
    let size = pictureSize
    precondition(picture.width == size.width && picture.height == size.height)
    output.clear()
    pen = Pen()
    tolerance = quality.tolerance
    sentCells = 0
    // Out of it for the time: it lends its pixels.
    var sketched = sketched
    self.sketched = SketchedPicture()
    sketched.draw(into: picture) { picture in
      switch quality.blocks {
      case .halves: encodeHalves(picture, rows: 0..<area.rows)
      case .quadrants: encodeQuadrants(picture, rows: 0..<area.rows)
      case .pixels: pixelPicture.encode(picture, area: area, covers: covers, to: &output)
      }
      refine(picture)
    }
    self.sketched = sketched
    // Cells don't cover it.
    if quality.blocks != .pixels, pixelPicture.isShown {
      if output.bytes.isEmpty { output.text("\u{1B}7") }
      pixelPicture.remove(to: &output)
    }
    guard !output.bytes.isEmpty else { return [] }
    output.text("\u{1B}[m\u{1B}[?2026l\u{1B}8")
    return output.bytes
  }

  /// Whether the picture that was encoded last would be made more exact if it came once more.
  public var isUnfinished: Bool { canRefine && refinement.isUnfinished }

  /// On a link that is slow already nothing more is sent than has to be; and the palette has no finer colours.
  private var canRefine: Bool {
    quality.blocks != .pixels && quality.colors == .direct
      && (1...PictureQuality.standardTolerance).contains(quality.tolerance)
  }

  private mutating func refine(_ picture: PixelBuffer) {
    guard canRefine,
      let (first, cells) = refinement.begin(
        picture, cells: area.rows * area.columns, stands: stands)
    else { return }
    tolerance = 0
    let end = sentCells + cells
    var row = first
    while row < area.rows, sentCells < end {
      switch quality.blocks {
      case .halves: encodeHalves(picture, rows: row..<row + 1)
      case .quadrants: encodeQuadrants(picture, rows: row..<row + 1)
      case .pixels: break
      }
      row += 1
    }
    refinement.end(at: row < area.rows ? row : nil)
  }

  /// Asks whether the terminal shows pixels; an answer that begins with ``pixelAnswer`` says yes.
  public static let pixelQuestion = PixelPicture.question
  public static let pixelAnswer = PixelPicture.answer

  // MARK: - Half-blocks

  private mutating func encodeHalves(_ picture: PixelBuffer, rows: Range<Int>) {
    if quality.colors == .indexed { return encodeIndexedHalves(picture) }
    for row in rows {
      for column in 0..<area.columns {
        let index = row * area.columns + column
        let upper = picture.color(column, 2 * row)
        let lower = picture.color(column, 2 * row + 1)
        let isShown =
          ink[index] != Self.unknown
          && Self.difference(upper, ink[index]) <= tolerance
          && Self.difference(lower, paper[index]) <= tolerance
        if isShown || isCovered(column, row) { continue }
        goTo(column, row)
        let sent = drawHalves(upper, lower)
        ink[index] = sent.upper
        paper[index] = sent.lower
      }
    }
  }

  private mutating func encodeIndexedHalves(_ picture: PixelBuffer) {
    XtermPalette.nearest.withUnsafeBufferPointer { nearest in
      XtermPalette.colors.withUnsafeBufferPointer { colors in
        for row in 0..<area.rows {
          for column in 0..<area.columns {
            let index = row * area.columns + column
            let upper = picture.color(column, 2 * row)
            let lower = picture.color(column, 2 * row + 1)
            let (upperKey, lowerKey) = (XtermPalette.key(upper), XtermPalette.key(lower))
            let key = UInt32(upperKey << 15 | lowerKey)
            if keys[index] == key { continue }
            let bestUpper = colors[Int(nearest[upperKey])]
            let bestLower = colors[Int(nearest[lowerKey])]
            let isShown =
              ink[index] != Self.unknown && agrees(upper, best: bestUpper, with: ink[index])
              && agrees(lower, best: bestLower, with: paper[index])
            if !isShown, isCovered(column, row) { continue }
            keys[index] = key
            if isShown { continue }
            goTo(column, row)
            let sent = drawHalves(bestUpper, bestLower)
            ink[index] = sent.upper
            paper[index] = sent.lower
          }
        }
      }
    }
  }

  /// - Returns: the colours that the cell has now: a colour that is set already, and hardly another, does too.
  private mutating func drawHalves(
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

  // MARK: - Quadrants

  private mutating func encodeQuadrants(_ picture: PixelBuffer, rows: Range<Int>) {
    let isIndexed = quality.colors == .indexed
    for row in rows {
      for column in 0..<area.columns {
        let index = row * area.columns + column
        let pixels = Quarters(
          picture.color(2 * column, 2 * row), picture.color(2 * column + 1, 2 * row),
          picture.color(2 * column, 2 * row + 1), picture.color(2 * column + 1, 2 * row + 1))
        if isCovered(column, row) { continue }
        let fit = pixels.fit()
        if ink[index] != Self.unknown {
          let shown = pixels.error(ink: ink[index], paper: paper[index], mask: masks[index])
          let best = pixels.error(ink: fit.ink, paper: fit.paper, mask: fit.mask)
          if shown <= best + allowance(isIndexed) { continue }
        }
        goTo(column, row)
        let (ink, paper) = (color(fit.ink, isIndexed), color(fit.paper, isIndexed))
        let mask = ink == paper ? 0 : fit.mask
        drawQuarters(ink, paper, mask)
        (self.ink[index], self.paper[index], masks[index]) = (ink, paper, mask)
      }
    }
  }

  private mutating func drawQuarters(_ ink: UInt32, _ paper: UInt32, _ mask: UInt8) {
    if mask == 0 {
      set(ink: nil, paper: paper == pen.paper ? nil : paper)
      output.byte(0x20)
      return
    }
    let upright = (pen.ink == ink ? 0 : 1) + (pen.paper == paper ? 0 : 1)
    let inverted = (pen.ink == paper ? 0 : 1) + (pen.paper == ink ? 0 : 1)
    let (front, back, shape) =
      upright <= inverted ? (ink, paper, mask) : (paper, ink, 15 - mask)
    set(ink: front == pen.ink ? nil : front, paper: back == pen.paper ? nil : back)
    output.block(Self.quarters[Int(shape)])
  }

  /// How much worse than the best fit what is shown may be, as a sum of squares over four pixels.
  private func allowance(_ isIndexed: Bool) -> Int {
    let channel = tolerance + (isIndexed ? 16 : 0)
    return 4 * channel * channel
  }

  // MARK: - Colours

  /// The colour that is sent for one of the picture.
  @inline(__always)
  private func color(_ wanted: UInt32, _ isIndexed: Bool) -> UInt32 {
    isIndexed ? XtermPalette.colors[Int(XtermPalette.nearest[XtermPalette.key(wanted)])] : wanted
  }

  /// Whether what is shown of the palette does for a colour, of which `best` is the palette's nearest.
  @inline(__always)
  private func agrees(_ wanted: UInt32, best: UInt32, with shown: UInt32) -> Bool {
    if best == shown { return true }
    // What flickers between two colours of the palette stays with the one it has.
    let slack = 40 * quality.tolerance * quality.tolerance / 4
    return XtermPalette.distance(wanted, shown) <= XtermPalette.distance(wanted, best) + slack
  }

  /// Whether a colour that is set does for one that is wanted.
  @inline(__always)
  private func isNear(_ set: UInt32, _ wanted: UInt32) -> Bool {
    if set == wanted { return true }
    guard quality.colors == .direct, set != Self.unknown else { return false }
    return Self.difference(set, wanted) <= tolerance / 2
  }

  /// The largest of the channels' differences.
  @inline(__always)
  static func difference(_ a: UInt32, _ b: UInt32) -> Int {
    let red = abs(Int(a >> 16 & 255) - Int(b >> 16 & 255))
    let green = abs(Int(a >> 8 & 255) - Int(b >> 8 & 255))
    let blue = abs(Int(a & 255) - Int(b & 255))
    return max(red, green, blue)
  }

  // MARK: - The terminal

  @inline(__always)
  private func isCovered(_ column: Int, _ row: Int) -> Bool {
    !covers.isEmpty
      && covers.contains { $0.contains(column: area.column + column, row: area.row + row) }
  }

  /// Puts the cursor on a cell of the area; it is past it when the cell is drawn.
  private mutating func goTo(_ column: Int, _ row: Int) {
    sentCells += 1
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

  /// - Parameters: nil for what is to stay.
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

  /// What follows on the 3 or 4: `8;2;r;g;b`, or `8;5;n`.
  private mutating func write(_ color: UInt32) {
    if quality.colors == .indexed {
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
