/// A line over the picture.
public struct PictureLine: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  public struct Point: Hashable, Sendable {
    /// The distance from the left edge, as a fraction of the width.
    public var x: Double
    /// The distance from the upper edge, as a fraction of the height.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// 0xRRGGBB
  public var color: UInt32
  /// The points that the line connects; one point is a dot.
  public var points: [Point]

  /// Creates a line.
  public init(color: UInt32, points: [Point]) {
    self.color = color
    self.points = points
  }
}
