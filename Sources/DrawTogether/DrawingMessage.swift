import Foundation
import GroupActivities

/// A message to the other boards. Each sender's messages keep their order.
enum DrawingMessage: Hashable, Sendable, Codable, CustomMessageIdentifiable {
  static let messageIdentifier = "drawing"

  /// More points of one of the sender's strokes.
  case draw(number: UInt32, points: PointBytes)
  case undo(number: UInt32)
  /// All strokes of the sender.
  case mine([Line])
  /// The strokes of an absent author; the author's own messages take precedence.
  case others([Line], of: Participant.ID)

  struct Line: Hashable, Sendable, Codable {
    var number: UInt32
    var points: PointBytes

    init(_ stroke: Stroke) {
      number = stroke.id.number
      points = PointBytes(stroke.points)
    }

    func stroke(by author: Participant.ID) -> Stroke {
      Stroke(id: .init(number: number, author: author), points: points.points)
    }
  }
}

/// Points as four bytes each: x and y, the higher byte first.
struct PointBytes: Hashable, Sendable, Codable {
  let points: [PicturePoint]

  init(_ points: [PicturePoint]) { self.points = points }

  init(from decoder: any Decoder) throws {
    let bytes = [UInt8](try decoder.singleValueContainer().decode(Data.self))
    func number(_ at: Int) -> UInt16 { UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) }
    points = (0..<bytes.count / 4).map { PicturePoint(parts: number(4 * $0), number(4 * $0 + 2)) }
  }

  func encode(to encoder: any Encoder) throws {
    var bytes = Data(capacity: 4 * points.count)
    for point in points {
      for number in [point.x, point.y] {
        bytes.append(UInt8(number >> 8))
        bytes.append(UInt8(number & 255))
      }
    }
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }
}
