import Foundation
import GroupActivities

@testable import DrawTogether

extension FuzzTarget {
  /// The messages of a drawing participant: a line for each command.
  static let drawing = [
    FuzzTarget(
      "drawing",
      texts: [
        #"{"draw":{"number":1,"points":"AAEAAgADAAQ="}}"# + "\n" + #"{"undo":{"number":1}}"#,
        #"{"mine":{"_0":[{"number":7,"points":"AAEAAg=="},{"number":7,"points":""}]}}"#,
      ]
    ) { bytes in
      let author = Participant.ID(high: 1, low: 1)
      var drawing = Drawing()
      for line in bytes.split(separator: 10).prefix(100) {
        guard
          let message = try? JSONDecoder().decode(DrawingMessage.self, from: Data(line))
        else { continue }
        let again = try JSONEncoder().encode(message)
        try hold(
          (try? JSONDecoder().decode(DrawingMessage.self, from: again)) == message,
          "encoded again it is another")
        switch message {
        case .draw(let number, let points):
          drawing.append(points.points, to: .init(number: number, author: author))
        case .undo(let number): drawing.remove(.init(number: number, author: author))
        case .mine(let lines), .others(let lines, _):
          drawing.replace(lines.map { $0.stroke(by: author) }, of: author)
        }
        let strokes = drawing.strokes
        try hold(strokes.count <= Drawing.strokeLimit, "\(strokes.count) strokes")
        let points = strokes.reduce(0) { $0 + $1.points.count }
        try hold(points <= Drawing.pointLimit, "\(points) points")
        try hold(strokes.allSatisfy { !$0.points.isEmpty }, "a stroke without points")
        try hold(Set(strokes.map(\.id)).count == strokes.count, "two strokes are one")
      }
    }
  ]
}
