/// A line over the picture.
public struct PictureLine: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// 0xRRGGBB
  public var color: UInt32
  public var points: [Point]

  public init(color: UInt32, points: [Point]) {
    self.color = color
    self.points = points
  }
}
