import Testing

@testable import TerminalVideo

/// Decoding the sent bytes gives the picture.
@Suite("The picture's encoder")
struct PictureEncoderTests {
  private let area = CellArea(column: 4, row: 2, columns: 17, rows: 9)

  private func difference(_ terminal: PictureTerminal, _ picture: Picture) -> Int {
    var worst = 0
    let width = picture.width / area.columns
    let height = picture.height / area.rows
    for row in 0..<area.rows {
      for column in 0..<area.columns {
        for pixel in 0..<8 {
          let x = column * width + (width == 2 ? pixel % 2 : 0)
          let y = row * height + pixel / 2 * height / 4
          let wanted = picture.pixels[y * picture.width + x]
          guard
            let shown = terminal.color(
              column: area.column + column, row: area.row + row, pixel: pixel)
          else { return .max }
          worst = max(worst, PictureEncoder.difference(wanted, shown))
        }
      }
    }
    return worst
  }

  @Test(
    "shows every frame of a film, with every channel within the tolerance",
    arguments: [0, 6, 12], UInt64(0)..<4)
  func halves(tolerance: Int, seed: UInt64) {
    var random = Dice(seed: seed)
    var encoder = PictureEncoder(area: area, quality: PictureQuality(tolerance: tolerance))
    var terminal = PictureTerminal(columns: 30, rows: 14)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    for _ in 0..<30 {
      terminal.feed(picture.encoded(by: &encoder))
      #expect(difference(terminal, picture) <= tolerance)
      picture = picture.changed(by: 4, using: &random)
    }
    #expect(terminal.surprises.isEmpty, "\(terminal.surprises.prefix(3))")
  }

  @Test(
    "makes a still picture exact, a part with each repetition, and then sends nothing",
    arguments: [PictureQuality.Blocks.halves], [true, false])
  func still(blocks: PictureQuality.Blocks, isKnownToBeStill: Bool) {
    var random = Dice(seed: 7)
    var encoder = PictureEncoder(area: area, quality: PictureQuality(blocks: blocks))
    encoder.isStill = isKnownToBeStill
    var terminal = PictureTerminal(columns: 30, rows: 14)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    for _ in 0..<10 {
      terminal.feed(picture.encoded(by: &encoder))
      picture = picture.changed(by: 3, using: &random)
    }
    terminal.feed(picture.encoded(by: &encoder))
    #expect(difference(terminal, picture) > 0)
    #expect(encoder.isUnfinished)
    var times = 0
    while encoder.isUnfinished {
      let before = terminal.writes
      terminal.feed(picture.encoded(by: &encoder))
      let written = terminal.writes - before
      times += 1
      // Animated films hold each picture for two frames.
      if !isKnownToBeStill, times < 3 { #expect(written == 0) }
      #expect(written <= area.columns * area.rows / 8 + area.columns)
      guard times < 20 else { break }
    }
    #expect(times < 20)
    #expect(difference(terminal, picture) == 0)
    #expect(picture.encoded(by: &encoder).isEmpty)
    #expect(terminal.surprises.isEmpty)
  }

  @Test("doesn't refine a still picture on a slow link or with the palette")
  func notRefined() {
    var random = Dice(seed: 8)
    for quality in [PictureQuality(tolerance: 12), PictureQuality(colors: .indexed)] {
      var encoder = PictureEncoder(area: area, quality: quality)
      encoder.isStill = true
      var picture = Picture.noise(encoder.pictureSize, using: &random)
      _ = picture.encoded(by: &encoder)
      picture = picture.changed(by: 3, using: &random)
      _ = picture.encoded(by: &encoder)
      #expect(picture.encoded(by: &encoder).isEmpty)
      #expect(!encoder.isUnfinished)
    }
  }

  @Test("sends nothing if nothing changes, and little if little changes")
  func economy() {
    var random = Dice(seed: 1)
    var encoder = PictureEncoder(area: area, quality: PictureQuality(tolerance: 0))
    var terminal = PictureTerminal(columns: 30, rows: 14)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.writes == area.columns * area.rows)
    #expect(picture.encoded(by: &encoder).isEmpty)
    picture.pixels[5 * picture.width + 8] ^= 0x10_1010
    let bytes = picture.encoded(by: &encoder)
    terminal.feed(bytes)
    #expect(terminal.writes == area.columns * area.rows + 1)
    #expect(bytes.count < 80)
    #expect(difference(terminal, picture) == 0)
  }

  @Test("keeps the cursor and the colours, and leaves no update open")
  func manners() {
    var random = Dice(seed: 2)
    for blocks in PictureQuality.Blocks.allCases where blocks != .sixel {
      var encoder = PictureEncoder(area: area, quality: PictureQuality(blocks: blocks))
      var terminal = PictureTerminal(columns: 30, rows: 14)
      let before = terminal.cursor
      let bytes = Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder)
      terminal.feed(bytes)
      #expect(terminal.cursor == before)
      #expect(!terminal.isHeld)
      #expect(String(decoding: bytes.suffix(13), as: UTF8.self).hasPrefix("\u{1B}[m\u{1B}[?2026l"))
      for row in 0..<14 {
        for column in 0..<30 where !area.contains(column: column, row: row) {
          #expect(terminal.cells[row * 30 + column] == PictureTerminal.Cell())
        }
      }
    }
  }

  @Test("doesn't draw covered cells, and draws them without the cover", arguments: [UInt64(0), 1])
  func covers(seed: UInt64) {
    var random = Dice(seed: seed)
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(blocks: seed == 0 ? .halves : .octants, tolerance: 0))
    var terminal = PictureTerminal(columns: 30, rows: 14)
    let cover = CellArea(column: 8, row: 4, columns: 6, rows: 3)
    encoder.covers = [cover]
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.writes == area.columns * area.rows - 18)
    for row in 4..<7 {
      for column in 8..<14 { #expect(terminal.cells[row * 30 + column].mask == nil) }
    }
    encoder.covers = []
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.writes == area.columns * area.rows)
  }

  @Test("uses the nearest colour of 256 without dithering", arguments: UInt64(0)..<4)
  func indexed(seed: UInt64) {
    var random = Dice(seed: seed)
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(colors: .indexed, tolerance: 0, isDithered: false))
    var terminal = PictureTerminal(columns: 30, rows: 14)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    for _ in 0..<5 {
      let bytes = picture.encoded(by: &encoder)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("8;2;"))
      terminal.feed(bytes)
      for row in 0..<area.rows {
        for column in 0..<area.columns {
          let wanted = picture.pixels[2 * row * picture.width + column]
          let shown = terminal.color(
            column: area.column + column, row: area.row + row, pixel: 0)!
          let best = XtermPalette.colors[16...].map { XtermPalette.distance(wanted, $0) }.min()!
          // The table has five bits per channel.
          let distance = Double(XtermPalette.distance(wanted, shown))
          #expect(distance.squareRoot() <= Double(best).squareRoot() + 28)
        }
      }
      picture = picture.changed(by: 30, using: &random)
    }
  }

  @Test("flickers less with 256 colours and a tolerance")
  func flicker() {
    func bytes(tolerance: Int) -> Int {
      var random = Dice(seed: 7)
      var encoder = PictureEncoder(
        area: area, quality: PictureQuality(colors: .indexed, tolerance: tolerance))
      let still = Picture.noise(encoder.pictureSize, using: &random)
      _ = still.encoded(by: &encoder)
      return (0..<20).reduce(0) { sum, _ in
        var grain = Dice(seed: random.next())
        var frame = still
        for index in frame.pixels.indices {
          let more = UInt32.random(in: 0...7, using: &grain)
          frame.pixels[index] = [16, 8, 0].reduce(0) { (color: UInt32, shift: UInt32) -> UInt32 in
            color << 8 | min(255, (frame.pixels[index] >> shift & 255) + more)
          }
        }
        return sum + frame.encoded(by: &encoder).count
      }
    }
    #expect(bytes(tolerance: 6) * 3 < bytes(tolerance: 0) * 2)
  }

  private static let twoColored = [PictureQuality.Blocks.quadrants, .octants]

  @Test(
    "is never worse with two colours in a cell than the best fit and the tolerance",
    arguments: twoColored, [0, 8])
  func twoColors(blocks: PictureQuality.Blocks, tolerance: Int) {
    var random = Dice(seed: 3)
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(blocks: blocks, tolerance: tolerance))
    let height = encoder.pictureSize.height / area.rows
    var terminal = PictureTerminal(columns: 30, rows: 14)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    for _ in 0..<20 {
      terminal.feed(picture.encoded(by: &encoder))
      for row in 0..<area.rows {
        for column in 0..<area.columns {
          var pixels = SIMD8<UInt32>()
          for pixel in 0..<8 {
            let y = row * height + pixel / 2 * height / 4
            pixels[pixel] = picture.pixels[y * picture.width + 2 * column + pixel % 2]
          }
          let cell = Subpixels(pixels)
          let error = (0..<8).reduce(0) { sum, pixel in
            let shown = terminal.color(
              column: area.column + column, row: area.row + row, pixel: pixel)!
            let difference = PictureEncoder.difference(pixels[pixel], shown)
            return sum + difference * difference
          }
          #expect(error <= cell.error(cell.fit()) + 8 * tolerance * tolerance)
        }
      }
      picture = picture.changed(by: 5, using: &random)
    }
    #expect(terminal.surprises.isEmpty, "\(terminal.surprises.prefix(3))")
  }

  @Test("divides a cell's pixels nearly as well as the best of all divisions")
  func fit() {
    var random = Dice(seed: 5)
    func squares(_ pixels: SIMD8<UInt32>, _ mask: UInt8) -> Double {
      [16, 8, 0].reduce(0) { (sum: Double, shift: UInt32) -> Double in
        [mask, ~mask].reduce(sum) { sum, mask in
          let part = (0..<8).filter { mask & 1 << UInt8($0) != 0 }.map {
            Double(pixels[$0] >> shift & 255)
          }
          let mean = part.reduce(0, +) / Double(max(1, part.count))
          return part.reduce(sum) { $0 + ($1 - mean) * ($1 - mean) }
        }
      }
    }
    var (sent, best) = (0.0, 0.0)
    for _ in 0..<200 {
      // Two colours with noise, as at an edge.
      let colors = [UInt32.random(in: 0...0xFF_FFFF, using: &random), 0x40_6080]
      var pixels = SIMD8<UInt32>()
      for pixel in 0..<8 {
        pixels[pixel] =
          colors[Int.random(in: 0...1, using: &random)]
          ^ UInt32.random(in: 0...0x1F, using: &random) &* 0x01_0101
      }
      sent += squares(pixels, Subpixels(pixels).fit().mask)
      best += (0..<128 as Range<UInt8>).map { squares(pixels, $0) }.min()!
    }
    #expect(sent <= best * 1.05)
  }

  @Test("shows cells of two colours exactly", arguments: twoColored)
  func twoColors(blocks: PictureQuality.Blocks) {
    let one = CellArea(column: 0, row: 0, columns: 1, rows: 1)
    let height = blocks == .octants ? 4 : 2
    for mask in 0..<1 << (2 * height) {
      var encoder = PictureEncoder(area: one, quality: PictureQuality(blocks: blocks, tolerance: 0))
      var terminal = PictureTerminal(columns: 1, rows: 1)
      let picture = Picture(width: 2, height: height) { x, y in
        mask >> (2 * y + x) & 1 != 0 ? 0xC0_8040 : 0x10_2030
      }
      terminal.feed(picture.encoded(by: &encoder))
      for pixel in 0..<8 {
        let y = pixel / 2 * height / 4
        #expect(
          terminal.color(column: 0, row: 0, pixel: pixel) == picture.pixels[2 * y + pixel % 2])
      }
    }
  }

  @Test("has a character for each part of a cell or for the rest of it, as Unicode names them")
  func glyphs() {
    for (mask, glyph) in BlockGlyphs.all.enumerated() {
      #expect(glyph != nil || BlockGlyphs.all[255 - mask] != nil)
      guard let glyph else { continue }
      #expect(Unicode.Scalar(glyph).flatMap(PictureTerminal.mask) == UInt8(mask))
    }
    #expect(BlockGlyphs.all[0xFE] == 0x1CDE5)
  }

  @Test("draws everything again after a move, a change of blocks or another program's drawing")
  func drawsAgain() {
    var random = Dice(seed: 4)
    var encoder = PictureEncoder(area: area, quality: PictureQuality())
    var terminal = PictureTerminal(columns: 30, rows: 14)
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    _ = picture.encoded(by: &encoder)
    encoder.forget()
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.writes == area.columns * area.rows)
    encoder.move(to: CellArea(column: 0, row: 0, columns: 17, rows: 9))
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.writes == 2 * area.columns * area.rows)
  }

  @Test(
    "draws exactly the overwritten cells again",
    arguments: [PictureQuality.Blocks.halves, .quadrants, .octants],
    PictureQuality.Colors.allCases)
  func repainting(blocks: PictureQuality.Blocks, colors: PictureQuality.Colors) {
    var random = Dice(seed: 9)
    let quality = PictureQuality(blocks: blocks, colors: colors)
    var encoder = PictureEncoder(area: area, quality: quality)
    #expect(encoder.repaint() == nil, "there has been no picture")
    var terminal = PictureTerminal(columns: 30, rows: 14)
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    terminal.feed(picture.encoded(by: &encoder))
    let shown = terminal
    #expect(encoder.repaint() == [])

    // A row up to the screen's end, and a cell outside of the picture.
    let damage = CellArea(column: 10, row: 4, columns: 20, rows: 1)
    terminal.erase(damage)
    #expect(difference(terminal, picture) == .max)
    encoder.forget(damage)
    encoder.forget(CellArea(column: 0, row: 0, columns: 1, rows: 1))
    let before = terminal.writes
    terminal.feed(encoder.repaint() ?? [])
    #expect(terminal.writes - before == 11)
    #expect(difference(terminal, picture) <= difference(shown, picture))
    #expect(encoder.repaint() == [])

    // A dialog appears and disappears.
    let cover = CellArea(column: 6, row: 3, columns: 5, rows: 4)
    encoder.covers = [cover]
    terminal.erase(cover)
    #expect(encoder.repaint() == [])
    encoder.covers = []
    terminal.feed(encoder.repaint() ?? [])
    #expect(difference(terminal, picture) <= difference(shown, picture))

    // The whole screen is lost.
    terminal.erase(CellArea(column: 0, row: 0, columns: 30, rows: 14))
    encoder.forget()
    terminal.feed(encoder.repaint() ?? [])
    #expect(difference(terminal, picture) <= difference(shown, picture))

    encoder.quality = PictureQuality(blocks: blocks == .halves ? .quadrants : .halves)
    #expect(encoder.repaint() == nil, "the picture has another size")
  }
}
