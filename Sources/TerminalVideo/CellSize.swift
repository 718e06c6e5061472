/// The size of a terminal's cells, in pixels.
package struct CellSize: Hashable, Sendable {
  /// The width in pixels; fractional if the terminal's window isn't a whole number of cells.
  package var width: Double
  /// The height in pixels; fractional like ``width``.
  package var height: Double

  /// The size of cells in a terminal that doesn't report it.
  package static let usual = CellSize(width: 8, height: 16)

  /// Creates a size; both values are clamped to 1 to 256 pixels.
  package init(width: Double, height: Double) {
    self.width = min(max(1, width), 256)
    self.height = min(max(1, height), 256)
  }

  /// The ratio of the height to the width, within the limits of terminal fonts.
  package var ratio: Double { min(max(height / width, 1), 4) }

  /// The size of each of `columns` by `rows` cells in an area of this many pixels; nil if one of these is unknown.
  package init?(columns: Int, rows: Int, pixels: (width: Int, height: Int)) {
    guard columns > 0, rows > 0, pixels.width >= columns, pixels.height >= rows else { return nil }
    self.init(
      width: Double(pixels.width) / Double(columns), height: Double(pixels.height) / Double(rows))
  }
}
