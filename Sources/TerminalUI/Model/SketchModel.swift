import TerminalVideo

/// What people have drawn over the film's picture.
public struct SketchModel: Hashable, Sendable {
  /// In the picture: from its upper left corner, 0 to 1 in both directions.
  public typealias Point = Sketch.Point

  public struct Stroke: Hashable, Sendable {
    /// Whose colour it has.
    public var author: TerminalText
    public var points: [Point]

    public init(author: TerminalText, points: [Point]) {
      self.author = author
      self.points = points
    }
  }

  /// The later ones lie over the earlier ones.
  public var strokes: [Stroke]
  /// The person at this terminal draws: keys and mouse belong to the pen.
  public var isDrawing: Bool

  public init(strokes: [Stroke] = [], isDrawing: Bool = false) {
    self.strokes = strokes
    self.isDrawing = isDrawing
  }
}
