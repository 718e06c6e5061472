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
        #"{"mine":{"_0":{"revision":8,"lines":[{"number":7,"points":"AAEAAg=="},{"number":7,"points":""}],"#
          + #""proof":{"k":"AA==","s":"AA=="}}}}"#,
        #"{"proven":{"revision":9,"by":{"k":"AA==","s":"AA=="}}}"#,
      ]
    ) { bytes in
      let author = Participant.ID(high: 1, low: 1)
      var shared = SharedDrawing(
        me: Participant.ID(high: 1, low: 2),
        authorship: DrawingAuthorship {
          _ in
          .empty
        } isValid: { _, _, _ in
          true
        })
      for line in bytes.split(separator: 10).prefix(100) {
        guard
          let message = try? JSONDecoder().decode(DrawingMessage.self, from: Data(line))
        else { continue }
        let again = try JSONEncoder().encode(message)
        try hold(
          (try? JSONDecoder().decode(DrawingMessage.self, from: again)) == message,
          "encoded again it is another")
        _ = shared.received(message, from: author)
        let drawing = shared.drawing
        let strokes = drawing.strokes
        for own in Dictionary(grouping: strokes, by: \.id.author).values {
          try hold(own.count <= Drawing.strokeLimit, "\(own.count) strokes")
          let points = own.reduce(0) { $0 + $1.points.count }
          try hold(points <= Drawing.pointLimit, "\(points) points")
        }
        try hold(strokes.allSatisfy { !$0.points.isEmpty }, "a stroke without points")
        try hold(Set(strokes.map(\.id)).count == strokes.count, "two strokes are one")
      }
    }
  ]
}
