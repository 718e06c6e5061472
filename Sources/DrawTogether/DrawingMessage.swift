import Foundation
import GroupActivities

/// A message to the other boards. Each sender's messages keep their order.
enum DrawingMessage: Hashable, Sendable, Codable, CustomMessageIdentifiable {
  static let messageIdentifier = "drawing"

  /// More points of one of the sender's strokes.
  case draw(number: UInt64, points: PointBytes)
  case undo(number: UInt64)
  /// All strokes of the sender.
  case mine(Statement)
  /// A statement without its strokes: they are those that follow from the sender's messages up to this one.
  case proven(revision: UInt64, by: Proof)
  /// The strokes of an author who is absent or has just returned; the author's own messages take precedence.
  case others(Statement, of: Participant.ID)

  /// All strokes of one author at a moment, signed by the author, so that others can pass them on.
  struct Statement: Hashable, Sendable, Codable {
    /// The statement's number. A newer statement has a higher one.
    var revision: UInt64
    var lines: [Line]
    var proof: Proof

    /// Returns the signed bytes.
    static func provenBytes(revision: UInt64, _ strokes: [Stroke]) -> [UInt8] {
      var bytes: [UInt8] = []
      func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
      }
      add(revision)
      for stroke in strokes {
        add(stroke.id.number)
        add(UInt32(stroke.points.count))
        for point in stroke.points {
          add(point.x)
          add(point.y)
        }
      }
      return bytes
    }
  }

  struct Line: Hashable, Sendable, Codable {
    var number: UInt64
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
