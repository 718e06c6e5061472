/// A line over the picture.
package struct PictureLine: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  package struct Point: Hashable, Sendable {
    /// The distance from the left edge, as a fraction of the width.
    package var x: Double
    /// The distance from the upper edge, as a fraction of the height.
    package var y: Double

    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// 0xRRGGBB
  package var color: UInt32
  /// The points that the line connects; one point is a dot.
  package var points: [Point]

  package init(color: UInt32, points: [Point]) {
    self.color = color
    self.points = points
  }
}
