import TerminalVideo

/// The participants' drawing over the film's picture.
public struct SketchModel: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  public typealias Point = Sketch.Point

  public struct Stroke: Hashable, Sendable {
    /// The participant who drew the stroke, and whose colour it has.
    public var author: TerminalText
    public var points: [Point]

    public init(author: TerminalText, points: [Point]) {
      self.author = author
      self.points = points
    }
  }

  /// The strokes; later ones lie over earlier ones.
  public var strokes: [Stroke]
  /// A Boolean value that indicates whether the participant at this terminal draws: keys and mouse move the pen.
  public var isDrawing: Bool

  public init(strokes: [Stroke] = [], isDrawing: Bool = false) {
    self.strokes = strokes
    self.isDrawing = isDrawing
  }
}
