import Testing

@testable import TerminalVideo

@Suite("Dithering with 256 colours")
struct DitheringTests {
  private let area = CellArea(column: 0, row: 0, columns: 16, rows: 8)

  private func encoder(
    _ blocks: PictureQuality.Blocks = .halves, isDithered: Bool = true
  ) -> PictureEncoder {
    PictureEncoder(
      area: area,
      quality: PictureQuality(blocks: blocks, colors: .indexed, isDithered: isDithered))
  }

  /// Returns the mean colour that a terminal shows for a picture of one colour.
  private func shown(_ color: UInt32, isDithered: Bool) -> [Double] {
    var encoder = encoder(isDithered: isDithered)
    var terminal = PictureTerminal(columns: area.columns, rows: area.rows)
    let size = encoder.pictureSize
    terminal.feed(
      Picture(width: size.width, height: size.height) { _, _ in color }.encoded(by: &encoder))
    var sums = [0.0, 0, 0]
    for row in 0..<area.rows {
      for column in 0..<area.columns {
        for pixel in [0, 4] {
          let color = terminal.color(column: column, row: row, pixel: pixel) ?? 0
          for channel in 0..<3 { sums[channel] += Double(color >> UInt32(16 - 8 * channel) & 255) }
        }
      }
    }
    return sums.map { $0 / Double(2 * area.columns * area.rows) }
  }

  /// Returns the distance of two colours in red against green and in blue against yellow, which make browns pink or
  /// olive.
  private func tint(_ a: [Double], _ color: UInt32) -> Double {
    let b = (0..<3).map { Double(color >> UInt32(16 - 8 * $0) & 255) }
    let red = (a[0] - a[1]) - (b[0] - b[1])
    let blue = (a[2] - (a[0] + a[1]) / 2) - (b[2] - (b[0] + b[1]) / 2)
    return (red * red + blue * blue).squareRoot()
  }

  @Test("Browns stay brown: none of ten is tinted much more, and all together a third less")
  func browns() {
    let browns: [UInt32] = [
      0x5C_4033, 0x78_503C, 0x8B_5A2B, 0x9C_6B45, 0xA0_785A, 0x6B_4226, 0x4A_3020, 0xB0_8860,
      0x86_6040,
      0x70_5848,
    ]
    var (mixed, single) = (0.0, 0.0)
    for brown in browns {
      let with = tint(shown(brown, isDithered: true), brown)
      let without = tint(shown(brown, isDithered: false), brown)
      #expect(with <= without + 8, "\(brown): \(with) \(without)")
      mixed += with
      single += without
    }
    #expect(mixed < single * 2 / 3, "\(mixed) \(single)")
  }

  @Test("Colours of the palette are shown exactly")
  func exact() {
    for index in 16..<256 {
      let color = XtermPalette.colors[index]
      let mixture = Dithering.best(for: color)
      let isPlain = mixture.quarters == 0 ? mixture.a : mixture.b
      #expect([0, 4].contains(mixture.quarters) && XtermPalette.colors[Int(isPlain)] == color)
    }
  }

  @Test("A still picture sends nothing", arguments: [PictureQuality.Blocks.halves, .quadrants])
  func still(blocks: PictureQuality.Blocks) {
    var random = Dice(seed: 1)
    var encoder = encoder(blocks)
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    #expect(!picture.encoded(by: &encoder).isEmpty)
    for _ in 0..<5 { #expect(picture.encoded(by: &encoder).isEmpty) }
    // Drawing it again gives the same.
    encoder.forget()
    #expect(encoder.repaint()?.isEmpty == false)
    #expect(picture.encoded(by: &encoder).isEmpty)
  }

  @Test("Grain within the tolerance sends nothing")
  func grain() {
    var random = Dice(seed: 2)
    var encoder = encoder()
    let size = encoder.pictureSize
    let still = Picture(width: size.width, height: size.height) { x, y in
      UInt32(60 + 9 * x) << 16 | UInt32(40 + 7 * y) << 8 | 48
    }
    _ = still.encoded(by: &encoder)
    for _ in 0..<10 {
      var frame = still
      for index in frame.pixels.indices {
        for shift in [16, 8, 0] as [UInt32] {
          frame.pixels[index] += UInt32.random(in: 0...2, using: &random) << shift
        }
      }
      #expect(frame.encoded(by: &encoder).isEmpty)
    }
  }
}
