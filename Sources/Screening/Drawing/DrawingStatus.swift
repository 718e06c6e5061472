import DrawTogether
import GroupActivities

/// The drawing over the film, and this participant's part in it.
package struct DrawingStatus: Hashable, Sendable {
  package var drawing: Drawing
  /// The authors' names by participant, including those who left the party.
  package var authors: [Participant.ID: String]
  package var isDrawing: Bool
}

extension ScreeningEvent.Sketch {
  package init(_ status: DrawingStatus?) {
    self.init()
    guard let status else { return }
    isDrawing = status.isDrawing
    strokes = status.drawing.strokes.map {
      Line(by: status.authors[$0.id.author] ?? "a participant", points: $0.points)
    }
  }
}

package enum DrawingProblem: Error, Hashable, CustomStringConvertible {
  case noParty, noFilm, noDrawing, nothingToUndo

  package var description: String {
    switch self {
    case .noParty: "Drawing needs a party."
    case .noFilm: "No film to draw on."
    case .noDrawing: "No drawing yet. Start one first."
    case .nothingToUndo: "Nothing to undo."
    }
  }
}
