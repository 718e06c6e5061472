/// Turns pictures into the bytes that make a terminal show them.
///
/// It tracks the cells that the terminal shows and sends only those that have to change. A cell's stored colours are
/// those that were sent, so that differences within the tolerance never add up. It also keeps the last picture, so that
/// overwritten cells can be drawn again at once: see ``repaint()``.
package struct PictureEncoder: Sendable {
  /// The cells that the pictures fill.
  package private(set) var area: CellArea
  /// The way in which pictures become cells. After a change of the blocks or the colours, the next picture is sent
  /// whole.
  package var quality: PictureQuality {
    didSet {
      guard quality != oldValue else { return }
      forgetKeys()
      guard quality.blocks != oldValue.blocks || quality.colors != oldValue.colors else { return }
      forget()
    }
  }
  /// The cells of the terminal that show other content, and aren't drawn.
  package var covers: [CellArea] = [] {
    didSet {
      guard covers != oldValue else { return }
      for cover in oldValue { forget(cover) }
      forgetPlacements()
    }
  }

  /// The drawing over the pictures.
  package var sketch: Sketch {
    get { sketched.sketch }
    set { sketched.sketch = newValue }
  }

  /// The size of the terminal's cells, in pixels.
  package var cell = CellSize.usual
  /// The greatest picture that the terminal shows as sixels.
  package var sixelLimits = SixelLimits()

  /// The colours that each cell shows. For half-blocks the ink is the upper one.
  private var ink: [UInt32] = []
  private var paper: [UInt32] = []
  /// The pixels that have the ink's colour (``Subpixels/TwoColors/mask``).
  private var masks: [UInt8] = []
  /// The picture's colours, if 256 are available: at the precision of the palette's keys, for which each cell's colours
  /// were found to be close enough. Most cells of a film stay within them, and needn't be checked again.
  private var keys: [UInt32] = []
  private var dithering = Dithering()
  private var refinement = Refinement()
  /// A Boolean value that indicates whether the film's picture doesn't change: such a picture is made exact when it is
  /// encoded again.
  package var isStill = false
  /// A Boolean value that indicates whether only forgotten cells are drawn.
  private var isRepainting = false
  private var writer = CellWriter()
  private var kitty: KittyPicture
  private var sixel = SixelPicture()
  private let memory: SharedPictures?
  private var sketched = SketchedPicture()
  /// The last picture, without the sketch.
  private var last = PictureCopy()

  static let unknown = CellWriter.unknown

  /// Creates an encoder for a terminal whose contents aren't known.
  ///
  /// - Parameters:
  ///   - memory: the shared memory for pixels; nil sends them over the terminal's own link.
  ///   - throughTmux: whether kitty is the terminal of tmux.
  package init(
    area: CellArea, quality: PictureQuality, memory: SharedPictures? = nil,
    throughTmux: Bool = false
  ) {
    kitty = KittyPicture(throughTmux: throughTmux)
    self.area = area
    self.quality = quality
    self.memory = memory
    forget()
  }

  /// The required size of pictures, in pixels.
  package var pictureSize: (width: Int, height: Int) {
    switch quality.blocks {
    case .halves: (area.columns, area.rows * 2)
    case .quadrants: (area.columns * 2, area.rows * 2)
    case .octants: (area.columns * 2, area.rows * 4)
    case .sixel: SixelPicture.size(of: area, cell: cell, limit: quality.pixelLimit)
    case .pixels: KittyPicture.size(of: area, cell: cell, limit: quality.pixelLimit)
    }
  }

  /// Returns the bytes that remove the part of the picture that cells don't overwrite.
  package mutating func remove() -> [UInt8] {
    writer.output.clear()
    kitty.remove(to: &writer.output)
    return writer.output.bytes
  }

  /// Moves the picture: the next frame is drawn in full.
  package mutating func move(to area: CellArea) {
    guard area != self.area else { return }
    self.area = area
    forget()
  }

  /// Forgets the terminal's contents: the next frame is drawn in full.
  package mutating func forget() {
    let count = area.columns * area.rows
    ink = [UInt32](repeating: Self.unknown, count: count)
    paper = ink
    masks = [UInt8](repeating: 0, count: count)
    forgetKeys()
    refinement.restart()
    kitty.forget()
    sixel.forget()
  }

  private mutating func forgetPlacements() {
    kitty.forgetPlacements()
    sixel.forget()
  }

  private mutating func forgetKeys() {
    keys = [UInt32](repeating: Self.unknown, count: area.columns * area.rows)
  }

  /// Forgets the contents of some of the terminal's cells, inside or outside the picture.
  package mutating func forget(_ cells: CellArea) {
    let shared = cells.intersection(area)
    guard !shared.isEmpty else { return }
    for row in shared.row - area.row..<shared.row - area.row + shared.rows {
      let first = row * area.columns + shared.column - area.column
      for index in first..<first + shared.columns {
        ink[index] = Self.unknown
        keys[index] = Self.unknown
      }
    }
    forgetPlacements()
  }

  /// Returns the bytes that make the terminal show `picture`; none if it does already.
  ///
  /// They keep the cursor and the colours, take effect at once if the terminal supports that (`DECSET 2026`), and have
  /// to be written in one piece.
  ///
  /// - Parameter picture: has the size ``pictureSize``.
  package mutating func encode(_ picture: PixelBuffer) -> [UInt8] {
    let size = pictureSize
    precondition(picture.width == size.width && picture.height == size.height)
    last.copy(picture)
    return bytes(for: picture)
  }

  /// Returns the bytes that draw the forgotten cells of the last picture again; nil if there was no picture of
  /// ``pictureSize``, so that one has to be encoded.
  package mutating func repaint() -> [UInt8]? {
    let size = pictureSize
    guard last.width == size.width, last.height == size.height, !last.pixels.isEmpty else {
      return nil
    }
    isRepainting = true
    defer { isRepainting = false }
    // Moved out of the encoder meanwhile, so that its memory isn't copied.
    let picture = last
    last = PictureCopy()
    defer { last = picture }
    return picture.withPixels { bytes(for: $0) }
  }

  private mutating func bytes(for picture: PixelBuffer) -> [UInt8] {
    // A repainted picture may be paused: it is exact at once, unless the link is slow.
    writer.begin(
      area: area, colors: quality.colors,
      tolerance: isRepainting && canRefine ? 0 : quality.tolerance)
    // Moved out of the encoder meanwhile, because it lends its pixels.
    var sketched = sketched
    self.sketched = SketchedPicture()
    sketched.draw(into: picture) { picture in
      switch quality.blocks {
      case .halves: encodeHalves(picture, rows: 0..<area.rows)
      case .quadrants: encodeSubpixels(picture, height: 2, rows: 0..<area.rows)
      case .octants: encodeSubpixels(picture, height: 4, rows: 0..<area.rows)
      case .sixel:
        sixel.encode(
          picture, area: area, cell: cell, covers: covers, limits: sixelLimits,
          tolerance: quality.tolerance, to: &writer.output)
      case .pixels:
        kitty.encode(
          picture, area: area, covers: covers,
          memory: quality.medium == .sharedMemory ? memory : nil, to: &writer.output)
      }
      if !isRepainting { refine(picture) }
    }
    self.sketched = sketched
    // Cells don't overwrite it.
    if quality.blocks != .pixels, kitty.isShown {
      if writer.output.bytes.isEmpty { writer.output.text("\u{1B}7\u{1B}[?2026h") }
      kitty.remove(to: &writer.output)
    }
    guard !writer.output.bytes.isEmpty else { return [] }
    writer.output.text("\u{1B}[m\u{1B}[?2026l\u{1B}8")
    return writer.output.bytes
  }

  /// A Boolean value that indicates whether encoding the last picture again would make it more exact.
  package var isUnfinished: Bool { canRefine && refinement.isUnfinished }

  /// A Boolean value that indicates whether pictures may be made exact. A slow link carries only the necessary bytes,
  /// and the palette has no finer colours.
  private var canRefine: Bool {
    !quality.blocks.isPixels && quality.colors == .direct
      && (1...PictureQuality.standardTolerance).contains(quality.tolerance)
  }

  private mutating func refine(_ picture: PixelBuffer) {
    guard canRefine,
      let (first, cells) = refinement.begin(
        picture, cells: area.rows * area.columns, isStill: isStill)
    else { return }
    writer.tolerance = 0
    let end = writer.cells + cells
    var row = first
    while row < area.rows, writer.cells < end {
      switch quality.blocks {
      case .halves: encodeHalves(picture, rows: row..<row + 1)
      case .quadrants: encodeSubpixels(picture, height: 2, rows: row..<row + 1)
      case .octants: encodeSubpixels(picture, height: 4, rows: row..<row + 1)
      case .sixel, .pixels: break
      }
      row += 1
    }
    refinement.end(at: row < area.rows ? row : nil)
  }

  // MARK: - Half-blocks

  private mutating func encodeHalves(_ picture: PixelBuffer, rows: Range<Int>) {
    if quality.colors == .indexed { return encodeIndexedHalves(picture) }
    for row in rows {
      for column in 0..<area.columns {
        let index = row * area.columns + column
        if isRepainting, ink[index] != Self.unknown { continue }
        let upper = picture.color(column, 2 * row)
        let lower = picture.color(column, 2 * row + 1)
        let isShown =
          ink[index] != Self.unknown
          && Self.difference(upper, ink[index]) <= writer.tolerance
          && Self.difference(lower, paper[index]) <= writer.tolerance
        if isShown || isCovered(column, row) { continue }
        writer.goTo(column, row)
        let sent = writer.drawHalves(upper, lower)
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
            if isRepainting, ink[index] != Self.unknown { continue }
            let upper = picture.color(column, 2 * row)
            let lower = picture.color(column, 2 * row + 1)
            let (upperKey, lowerKey) = (XtermPalette.key(upper), XtermPalette.key(lower))
            let key = UInt32(upperKey << 15 | lowerKey)
            if keys[index] == key { continue }
            let bestUpper: UInt32
            let bestLower: UInt32
            let isShown: Bool
            if quality.isDithered {
              if isNear(upper, lower, key: keys[index]) { continue }
              bestUpper = colors[Int(dithering.index(key: upperKey, x: column, y: 2 * row))]
              bestLower = colors[Int(dithering.index(key: lowerKey, x: column, y: 2 * row + 1))]
              isShown = ink[index] == bestUpper && paper[index] == bestLower
            } else {
              bestUpper = colors[Int(nearest[upperKey])]
              bestLower = colors[Int(nearest[lowerKey])]
              isShown =
                ink[index] != Self.unknown && agrees(upper, best: bestUpper, with: ink[index])
                && agrees(lower, best: bestLower, with: paper[index])
            }
            if !isShown, isCovered(column, row) { continue }
            keys[index] = key
            if isShown { continue }
            writer.goTo(column, row)
            let sent = writer.drawHalves(bestUpper, bestLower)
            ink[index] = sent.upper
            paper[index] = sent.lower
          }
        }
      }
    }
  }

  /// Returns whether a cell shows colours that were mixed for nearly the wanted ones.
  @inline(__always)
  private func isNear(_ upper: UInt32, _ lower: UInt32, key: UInt32) -> Bool {
    guard key != Self.unknown else { return false }
    // The colours of a key differ by up to 4 from its middle.
    let limit = quality.tolerance + 4
    return quality.tolerance > 0
      && Self.difference(upper, XtermPalette.center(of: key >> 15)) <= limit
      && Self.difference(lower, XtermPalette.center(of: key & 0x7FFF)) <= limit
  }

  // MARK: - Quadrants and octants

  private mutating func encodeSubpixels(_ picture: PixelBuffer, height: Int, rows: Range<Int>) {
    let isIndexed = quality.colors == .indexed
    for row in rows {
      for column in 0..<area.columns {
        let index = row * area.columns + column
        if isRepainting, ink[index] != Self.unknown { continue }
        if isCovered(column, row) { continue }
        let pixels = Subpixels(picture, column: column, row: row, height: height)
        let shown = Subpixels.TwoColors(
          ink: ink[index], paper: paper[index], mask: masks[index])
        let error = shown.ink == Self.unknown ? Int.max : pixels.error(shown)
        if error <= allowance(isIndexed) { continue }
        let fit = pixels.fit()
        if error != Int.max, error <= pixels.error(fit) + allowance(isIndexed) { continue }
        var sent = fit
        sent.ink = color(fit.ink, isIndexed, x: column, y: row)
        sent.paper = color(fit.paper, isIndexed, x: column + 1, y: row)
        if sent.ink == sent.paper { sent.mask = 0 }
        // The palette may have nothing better.
        if sent == shown { continue }
        writer.goTo(column, row)
        writer.draw(sent)
        (ink[index], paper[index], masks[index]) = (sent.ink, sent.paper, sent.mask)
      }
    }
  }

  /// Returns how much worse than the best fit the current colours may be, as a sum of squares over eight pixels.
  private func allowance(_ isIndexed: Bool) -> Int {
    let channel = writer.tolerance + (isIndexed ? 16 : 0)
    return 8 * channel * channel
  }

  // MARK: - Colours

  /// Returns the colour to send for a colour of the picture, at a position of the dithering's pattern.
  @inline(__always)
  private mutating func color(_ wanted: UInt32, _ isIndexed: Bool, x: Int, y: Int) -> UInt32 {
    guard isIndexed else { return wanted }
    let key = XtermPalette.key(wanted)
    let index =
      quality.isDithered ? dithering.index(key: key, x: x, y: y) : XtermPalette.nearest[key]
    return XtermPalette.colors[Int(index)]
  }

  /// Returns whether the shown colour of the palette is close enough to a colour, of which `best` is the palette's
  /// nearest.
  @inline(__always)
  private func agrees(_ wanted: UInt32, best: UInt32, with shown: UInt32) -> Bool {
    if best == shown { return true }
    // A pixel that flickers between two colours of the palette keeps its current one.
    let slack = 40 * quality.tolerance * quality.tolerance / 4
    return XtermPalette.distance(wanted, shown) <= XtermPalette.distance(wanted, best) + slack
  }

  /// Returns the largest of the channels' differences.
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

}
