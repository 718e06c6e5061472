import GroupActivities

/// A position in a picture, whatever its size: from its upper left corner, in parts of 65,535.
public struct PicturePoint: Hashable, Sendable {
  /// The distance from the left edge, in parts of 65,535 of the picture's width.
  public var x: UInt16
  /// The distance from the upper edge, in parts of 65,535 of the picture's height.
  public var y: UInt16

  /// Creates a point from its parts, exactly.
  public init(parts x: UInt16, _ y: UInt16) {
    self.x = x
    self.y = y
  }

  /// Creates a point.
  ///
  /// - Parameters: 0 to 1; a point outside the picture moves to its edge.
  public init(x: Double, y: Double) {
    func part(_ value: Double) -> UInt16 { UInt16((min(max(0, value), 1) * 65_535).rounded()) }
    self.init(parts: part(x), part(y))
  }

  /// The position, 0 to 1 in both directions.
  public var fractions: (x: Double, y: Double) { (Double(x) / 65_535, Double(y) / 65_535) }
}

/// One line that a participant drew without lifting the pen.
public struct Stroke: Hashable, Sendable {
  /// The identifier of a stroke. Strokes lie over each other in the order of their identifiers.
  public struct ID: Hashable, Sendable, Comparable {
    /// The stroke's number, unique among its author's strokes: the party's time at its beginning in milliseconds, but
    /// higher than the author's earlier numbers. It doesn't depend on the numbers of others.
    public var number: UInt64
    /// The participant that drew the stroke.
    public var author: Participant.ID

    /// Creates an identifier.
    public init(number: UInt64, author: Participant.ID) {
      self.number = number
      self.author = author
    }

    public static func < (a: ID, b: ID) -> Bool {
      a.number != b.number ? a.number < b.number : a.author < b.author
    }
  }

  /// The stroke's identifier.
  public let id: ID
  /// The points in the order in which they were drawn; straight lines connect them. One point is a dot.
  public internal(set) var points: [PicturePoint]

  /// Creates a stroke.
  public init(id: ID, points: [PicturePoint]) {
    self.id = id
    self.points = points
  }
}
