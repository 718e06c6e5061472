/// A grid of dots for points, several in each cell: Braille patterns, or, in ASCII, two dots one above the other.
struct SyncRaster: Hashable, Sendable {
  private let width: Int
  private let height: Int
  private let low: Double
  private let high: Double
  private let isFine: Bool
  /// The dots, row by row from the top.
  private var dots: [Bool]
  /// The cells within the measured values' possible error.
  private var band: [Bool]
  private var zeroRow: Int?

  /// Creates an empty grid.
  ///
  /// - Parameters:
  ///   - width, height: in cells, more than zero.
  ///   - low, high: the values at the lower and the upper end.
  ///   - isFine: true for Braille, false for ASCII.
  init(width: Int, height: Int, low: Double, high: Double, isFine: Bool) {
    self.width = width
    self.height = height
    self.low = low
    self.high = high
    self.isFine = isFine
    let count = width * height
    dots = Array(repeating: false, count: count * (isFine ? 8 : 2))
    band = Array(repeating: false, count: count)
  }

  private var dotColumns: Int { isFine ? width * 2 : width }
  private var dotsPerCell: Int { isFine ? 4 : 2 }
  private var dotRows: Int { height * dotsPerCell }

  /// Returns the row of a value from the top; a value outside the range is shown at the edge.
  private func dotRow(_ value: Double) -> Int {
    let dot = (high - value) / (high - low) * Double(dotRows - 1)
    return Int(min(max(0, dot.isFinite ? dot.rounded() : 0), Double(dotRows - 1)))
  }

  /// Adds a point.
  ///
  /// - Parameter age: 0 at the right edge, 1 at the left one; older points aren't shown.
  mutating func add(_ value: Double, spread: Double, age: Double) {
    guard (0...1).contains(age) else { return }
    let column = Int(((1 - age) * Double(dotColumns - 1)).rounded())
    dots[dotRow(value) * dotColumns + column] = true
    guard spread > 0 else { return }
    let cell = isFine ? column / 2 : column
    let rows = dotRow(value + spread) / dotsPerCell...dotRow(value - spread) / dotsPerCell
    for row in rows { band[row * width + cell] = true }
  }

  mutating func addZeroLine() { zeroRow = dotRow(0) / dotsPerCell }

  func draw(in area: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    for row in 0..<height {
      for column in 0..<width {
        let box = Rect(column: area.column + column, row: area.row + row, width: 1, height: 1)
        if let glyph = glyph(column: column, row: row) {
          canvas.fill(box, with: glyph, style: .accent)
        } else if band[row * width + column] {
          canvas.fill(box, with: symbols.band, style: .quiet)
        } else if row == zeroRow {
          canvas.fill(box, with: symbols.bar.buffered, style: .quiet)
        }
      }
    }
  }

  private func isSet(_ column: Int, _ row: Int) -> Bool { dots[row * dotColumns + column] }

  /// Returns the sign of a cell; nil if it has no dot.
  private func glyph(column: Int, row: Int) -> Glyph? {
    let top = row * dotsPerCell
    guard isFine else {
      switch (isSet(column, top), isSet(column, top + 1)) {
      case (true, true): return ":"
      case (true, false): return "'"
      case (false, true): return "."
      case (false, false): return nil
      }
    }
    // Unicode numbers the upper three dots of the left column, those of the right one, and then the lowest two.
    let bits: [(column: Int, row: Int)] = [
      (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3),
    ]
    var pattern: UInt32 = 0
    for (bit, dot) in bits.enumerated() where isSet(column * 2 + dot.column, top + dot.row) {
      pattern |= 1 << UInt32(bit)
    }
    guard pattern != 0, let scalar = Unicode.Scalar(0x2800 + pattern) else { return nil }
    return Glyph(symbol: Character(scalar))
  }
}
