/// The size of a terminal's cells, in pixels.
public struct CellSize: Hashable, Sendable {
  /// The width in pixels; fractional if the terminal's window isn't a whole number of cells.
  public var width: Double
  /// The height in pixels; fractional like ``width``.
  public var height: Double

  /// The size of cells in a terminal that doesn't report it.
  public static let usual = CellSize(width: 8, height: 16)

  /// Creates a size; both values are clamped to 1 to 256 pixels.
  public init(width: Double, height: Double) {
    self.width = min(max(1, width), 256)
    self.height = min(max(1, height), 256)
  }

  /// The ratio of the height to the width, within the limits of terminal fonts.
  public var ratio: Double { min(max(height / width, 1), 4) }

  /// The size of each of `columns` by `rows` cells in an area of this many pixels; nil if one of these is unknown.
  public init?(columns: Int, rows: Int, pixels: (width: Int, height: Int)) {
    guard columns > 0, rows > 0, pixels.width >= columns, pixels.height >= rows else { return nil }
    self.init(
      width: Double(pixels.width) / Double(columns), height: Double(pixels.height) / Double(rows))
  }
}
