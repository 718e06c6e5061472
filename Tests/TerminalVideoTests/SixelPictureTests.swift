import Testing

@testable import TerminalVideo

/// Decoding the sixels gives the picture.
@Suite("The picture as sixels")
struct SixelPictureTests {
  private let area = CellArea(column: 4, row: 2, columns: 16, rows: 9)
  private let cell = (width: 7, height: 13)
  private static let colors: [UInt32] = (0..<40 as Range<UInt32>).map { number in
    (number % 4 * 80) << 16 | (number / 4 % 5 * 60) << 8 | number / 20 * 200
  }

  private func encoder(limit: Int = 1 << 20) -> PictureEncoder {
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(blocks: .sixel, tolerance: 0, pixelLimit: limit))
    encoder.cell = CellSize(width: 7.2, height: 13.1)
    return encoder
  }

  private func terminal() -> SixelTerminal { SixelTerminal(columns: 24, rows: 11, cell: cell) }

  /// Returns a picture of forty colours.
  private func picture(_ size: (width: Int, height: Int), seed: UInt64) -> Picture {
    var random = Dice(seed: seed)
    return Picture(width: size.width, height: size.height) { _, _ in
      Self.colors[Int.random(in: 0..<40, using: &random)]
    }
  }

  /// Returns the largest error of a channel; nil if a pixel is missing, or is set outside of `area` or in a cover.
  private func error(
    _ terminal: SixelTerminal, _ picture: Picture, covers: [CellArea] = []
  ) -> Int? {
    let factor = max(
      (area.columns * cell.width + picture.width - 1) / picture.width,
      (area.rows * cell.height + picture.height - 1) / picture.height)
    var worst = 0
    for y in 0..<terminal.rows * cell.height {
      for x in 0..<terminal.width {
        let (column, row) = (x / cell.width, y / cell.height)
        let isFree =
          area.contains(column: column, row: row)
          && !covers.contains { $0.contains(column: column, row: row) }
        let shown = terminal.pixels[y * terminal.width + x]
        guard isFree == (shown != nil) else { return nil }
        guard let shown else { continue }
        let (left, top) = (x - area.column * cell.width, y - area.row * cell.height)
        let wanted = picture.pixels[top / factor * picture.width + left / factor]
        worst = max(worst, PictureEncoder.difference(shown, wanted))
      }
    }
    return worst
  }

  @Test("Every picture is shown in its cells, as exactly as five bits and a percent are")
  func film() throws {
    var encoder = encoder()
    var terminal = terminal()
    #expect(encoder.pictureSize == (16 * 7, 9 * 13))
    for seed in 0..<4 as Range<UInt64> {
      let picture = picture(encoder.pictureSize, seed: seed)
      terminal.feed(picture.encoded(by: &encoder))
      #expect(try #require(error(terminal, picture)) <= 6)
      #expect(picture.encoded(by: &encoder).isEmpty, "nothing has changed")
    }
    #expect(terminal.surprises.isEmpty, "\(terminal.surprises.prefix(3))")
  }

  @Test("A smaller picture is enlarged by a whole number", arguments: [6000, 2000, 1])
  func enlarged(limit: Int) throws {
    var encoder = encoder(limit: limit)
    var terminal = terminal()
    let size = encoder.pictureSize
    #expect(size.width * size.height <= limit && size.width < 16 * 7)
    let picture = picture(size, seed: 7)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(try #require(error(terminal, picture)) <= 6)
    #expect(terminal.surprises.isEmpty)
  }

  @Test("A picture of many colours has those that suit it")
  func manyColors() {
    var encoder = encoder()
    var terminal = terminal()
    let picture = Picture(width: 16 * 7, height: 9 * 13) { x, y in
      UInt32(x * 2) << 16 | UInt32(y * 2) << 8 | UInt32(x + y)
    }
    terminal.feed(picture.encoded(by: &encoder))
    #expect(terminal.registers.count > 200)
    #expect(error(terminal, picture) ?? .max < 24)
    // A scene of other colours, for which the former ones would be wrong.
    let next = Picture(width: 16 * 7, height: 9 * 13) { x, y in
      UInt32(255 - x / 4) << 16 | UInt32(y / 4) << 8 | UInt32(200 + x / 4)
    }
    terminal.feed(next.encoded(by: &encoder))
    #expect(error(terminal, next) ?? .max < 10)
  }

  @Test("The terminal's limits of colours and sizes are kept")
  func limits() {
    var encoder = encoder()
    encoder.sixelLimits.colors = 16
    encoder.sixelLimits.width = 50
    encoder.sixelLimits.height = 60
    var terminal = terminal()
    let picture = picture(encoder.pictureSize, seed: 3)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(error(terminal, picture) != nil)
    #expect(terminal.registers.count <= 16)
    #expect(terminal.sizes.count == 9)
    #expect(terminal.sizes.allSatisfy { $0.width <= 50 && $0.height <= 60 })
  }

  @Test("Covered cells are left free, and drawn again without the cover")
  func covers() {
    var encoder = encoder()
    let picture = picture(encoder.pictureSize, seed: 2)
    let cover = CellArea(column: 8, row: 5, columns: 6, rows: 3)
    for covers in [[cover], [], [cover, CellArea(column: 4, row: 2, columns: 16, rows: 1)]] {
      var terminal = terminal()
      encoder.covers = covers
      terminal.feed(picture.encoded(by: &encoder))
      #expect(error(terminal, picture, covers: covers) ?? .max <= 6)
    }
  }

  @Test("It is drawn again over written cells, after a move and after the terminal was cleared")
  func repainting() {
    var encoder = encoder()
    var terminal = terminal()
    #expect(encoder.repaint() == nil)
    let picture = picture(encoder.pictureSize, seed: 4)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(encoder.repaint() == [])
    encoder.forget(CellArea(column: 0, row: 0, columns: 24, rows: 1))
    #expect(encoder.repaint() == [], "nothing of the picture is there")

    let damage = CellArea(column: 5, row: 4, columns: 3, rows: 1)
    terminal.erase(damage)
    encoder.forget(damage)
    terminal.feed(encoder.repaint() ?? [])
    #expect(error(terminal, picture) ?? .max <= 6)

    encoder.move(to: CellArea(column: 0, row: 0, columns: 16, rows: 9))
    var moved = self.terminal()
    moved.feed(encoder.repaint() ?? [])
    #expect(moved.pixels[0] != nil && moved.pixels.last == .some(nil))
  }

  @Test("Cells overwrite it, so that it needs no removal")
  func removal() {
    var random = Dice(seed: 3)
    var encoder = encoder()
    _ = picture(encoder.pictureSize, seed: 1).encoded(by: &encoder)
    #expect(encoder.remove().isEmpty)
    encoder.quality = PictureQuality()
    var cells = PictureTerminal(columns: 24, rows: 11)
    cells.feed(Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder))
    #expect(cells.writes == area.columns * area.rows)
  }
}
