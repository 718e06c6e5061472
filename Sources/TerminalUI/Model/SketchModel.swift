import TerminalVideo

/// The participants' drawing over the film's picture.
package struct SketchModel: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  package typealias Point = Sketch.Point

  /// A line drawn by one participant.
  package struct Stroke: Hashable, Sendable {
    /// The participant who drew the stroke, and whose colour it has.
    package var author: TerminalText
    /// The points of the line, in the order in which they were drawn.
    package var points: [Point]

    package init(author: TerminalText, points: [Point]) {
      self.author = author
      self.points = points
    }
  }

  /// The strokes; later ones lie over earlier ones.
  package var strokes: [Stroke]
  /// A Boolean value that indicates whether the participant at this terminal draws: keys and mouse move the pen.
  package var isDrawing: Bool

  package init(strokes: [Stroke] = [], isDrawing: Bool = false) {
    self.strokes = strokes
    self.isDrawing = isDrawing
  }
}
