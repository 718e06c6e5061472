/// The picture as sixels (DEC STD 070, chapter 9): bands of six rows, in each of them a list of columns for each colour.
///
/// A terminal can't enlarge sixels, so that a smaller picture is repeated to a whole multiple of its size. The picture
/// replaces the contents of the cells, and whatever is written there replaces the picture.
struct SixelPicture: Sendable {
  /// The shown pixels; none if the terminal has lost some of them.
  private var pixels: [UInt32] = []
  private var indices: [UInt8] = []
  private var palette = SixelPalette()
  private var band = SixelBand()

  /// Returns the size of a picture in an area, in pixels: the terminal's own pixels, or a half, a third… of them.
  static func size(of area: CellArea, cell: CellSize, limit: Int) -> (width: Int, height: Int) {
    let (width, height) = (area.columns * Int(cell.width), area.rows * Int(cell.height))
    func part(_ factor: Int) -> (Int, Int) {
      (max(1, (width + factor - 1) / factor), max(1, (height + factor - 1) / factor))
    }
    var factor = 1
    while part(factor).0 * part(factor).1 > max(1, limit) { factor += 1 }
    return part(factor)
  }

  /// Forgets the picture, because the terminal has lost at least a part of it.
  mutating func forget() { pixels = [] }

  /// Writes the bytes that make the terminal show `picture`; nothing if it does.
  mutating func encode(
    _ picture: PixelBuffer, area: CellArea, cell: CellSize, covers: [CellArea],
    limits: SixelLimits, tolerance: Int,
    to output: inout ControlBytes
  ) {
    let new = Self.copy(of: picture)
    guard new != pixels else { return }
    pixels = new
    palette.index(pixels, limit: limits.colors, tolerance: tolerance, into: &indices)
    // The cursor stays beside each part (DECSET 8452 of RLogin, mlterm and xterm): mlterm would scroll below the last row.
    output.text("\u{1B}7\u{1B}[?2026h\u{1B}[?8452h")
    let (width, height) = (Int(cell.width), Int(cell.height))
    // As much as fills the area in both directions.
    let factor = max(
      1, (area.columns * width + picture.width - 1) / picture.width,
      (area.rows * height + picture.height - 1) / picture.height)
    for piece in area.pieces(without: covers) {
      for part in Self.parts(of: piece, limits, width, height) {
        let x = (part.column - area.column) * width
        let y = (part.row - area.row) * height
        output.text("\u{1B}[")
        output.decimal(part.row + 1)
        output.byte(0x3B)
        output.decimal(part.column + 1)
        output.text("H")
        write(
          x..<x + part.columns * width, y..<y + part.rows * height, picture.width, factor,
          to: &output)
      }
    }
    output.text("\u{1B}[?8452l")
  }

  private static func copy(of picture: PixelBuffer) -> [UInt32] {
    let count = picture.width * picture.height
    return [UInt32](unsafeUninitializedCapacity: count) { buffer, size in
      size = count
      for y in 0..<picture.height {
        for x in 0..<picture.width { buffer[y * picture.width + x] = picture.color(x, y) }
      }
    }
  }

  /// Divides an area into parts that the terminal can show.
  private static func parts(
    of area: CellArea, _ limits: SixelLimits, _ width: Int, _ height: Int
  ) -> [CellArea] {
    let columns = max(1, min(area.columns, limits.width / width))
    let rows = max(1, min(area.rows, limits.height / height))
    return stride(from: 0, to: area.rows, by: rows).flatMap { row in
      stride(from: 0, to: area.columns, by: columns).map { column in
        CellArea(
          column: area.column + column, row: area.row + row, columns: columns, rows: rows
        ).intersection(area)
      }
    }
  }

  /// Writes some of the enlarged picture's pixels.
  private mutating func write(
    _ columns: Range<Int>, _ rows: Range<Int>, _ width: Int, _ factor: Int,
    to output: inout ControlBytes
  ) {
    // Pixels without a colour stay as they are; the pixels' ratio and the size follow.
    output.text("\u{1B}P0;1;0q\"1;1;")
    output.decimal(columns.count)
    output.byte(0x3B)
    output.decimal(rows.count)
    for (index, color) in palette.colors.enumerated() {
      output.byte(0x23)
      output.decimal(index)
      output.text(";2")
      for shift in [16, 8, 0] as [UInt32] {
        output.byte(0x3B)
        output.decimal(Int((color >> shift & 255) * 100 + 127) / 255)
      }
    }
    for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 6) {
      if top > rows.lowerBound { output.byte(0x2D) }
      let lines = (top..<min(top + 6, rows.upperBound)).map { $0 / factor * width }
      indices.withUnsafeBufferPointer { indices in
        band.collect(indices, lines: lines, columns: columns, factor: factor)
      }
      band.write(to: &output)
    }
    output.text("\u{1B}\\")
  }
}
