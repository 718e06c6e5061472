import Testing

@testable import TerminalVideo

@Suite("A sketch in the picture")
struct SketchTests {
  private let area = CellArea(column: 4, row: 2, columns: 17, rows: 9)

  private func line(_ points: (Float, Float)..., color: UInt8 = 39) -> Sketch.Line {
    .init(color: color, points: points.map { .init(x: $0.0, y: $0.1) })
  }

  @Test("A line is in one piece from its first point to its last", arguments: UInt64(0)..<50)
  func connected(seed: UInt64) {
    var random = Dice(seed: seed)
    func point() -> (Float, Float) {
      (Float.random(in: -0.2...1.2, using: &random), Float.random(in: -0.2...1.2, using: &random))
    }
    let (width, height) = (Int.random(in: 1...60, using: &random), 34)
    let sketch = Sketch(lines: [line(point(), point(), point())])
    let marks = Set(sketch.marks(width: width, height: height).map(\.index))
    #expect(marks.allSatisfy { (0..<width * height).contains($0) })
    // The pixels that can be reached from one of them.
    var reached: Set<Int> = []
    var next = marks.first.map { [$0] } ?? []
    while let index = next.popLast() {
      guard reached.insert(index).inserted else { continue }
      for dy in -1...1 {
        for dx in -1...1 where (0..<width).contains(index % width + dx) {
          let neighbour = index + dy * width + dx
          if marks.contains(neighbour) { next.append(neighbour) }
        }
      }
    }
    #expect(reached == marks && !marks.isEmpty)
  }

  @Test("Its thickness follows from the picture's height")
  func thickness() {
    let sketch = Sketch(lines: [line((0, 0.5), (1, 0.5))])
    #expect(sketch.marks(width: 100, height: 80).count == 100)
    #expect(sketch.marks(width: 960, height: 540).count >= 960 * 8 - 20)
  }

  @Test("The terminal shows the picture with the lines in it, and without them after their removal")
  func encoding() {
    var random = Dice(seed: 5)
    var encoder = PictureEncoder(area: area, quality: PictureQuality(tolerance: 0))
    var terminal = PictureTerminal(columns: 30, rows: 14)
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    let sketch = Sketch(
      lines: [line((0.1, 0.1), (0.9, 0.8)), line((0, 1), (1, 0), color: 203)],
      pen: line((0.5, 0.2), color: 48))
    let marks = Dictionary(
      uniqueKeysWithValues: sketch.marks(width: picture.width, height: picture.height).map {
        ($0.index, $0.color)
      })
    func check(_ wanted: (Int) -> UInt32) {
      for row in 0..<picture.height {
        for column in 0..<picture.width {
          let shown = terminal.color(
            column: area.column + column, row: area.row + row / 2, pixel: row % 2 * 4)
          #expect(shown == wanted(row * picture.width + column), "\(column), \(row)")
        }
      }
    }
    terminal.feed(picture.encoded(by: &encoder))
    encoder.sketch = sketch
    terminal.feed(picture.encoded(by: &encoder))
    check { marks[$0] ?? picture.pixels[$0] }
    #expect(marks.values.contains(XtermPalette.colors[203]))
    encoder.sketch = Sketch()
    terminal.feed(picture.encoded(by: &encoder))
    check { picture.pixels[$0] }
    #expect(terminal.surprises.isEmpty)
  }

  @Test("It has the same position in pictures of another size")
  func resizing() {
    var encoder = PictureEncoder(area: area, quality: PictureQuality(tolerance: 0))
    encoder.sketch = Sketch(lines: [line((0, 0), (1, 0))])
    for columns in [17, 8, 30] {
      encoder.move(to: CellArea(column: 0, row: 0, columns: columns, rows: 9))
      var terminal = PictureTerminal(columns: 30, rows: 14)
      var random = Dice(seed: 9)
      terminal.feed(Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder))
      for column in 0..<columns {
        #expect(terminal.color(column: column, row: 0, pixel: 0) == XtermPalette.colors[39])
      }
    }
  }
}
