import Foundation

/// A message on one lane of a session, opaque to this layer.
struct LanePacket: Hashable, Sendable {
  var session: GroupSessionID
  /// The lane's name; see ``isValid(name:)``.
  var lane = LanePacket.journal
  var data: Data

  /// The lane of `GroupJournal`.
  static let journal = "journal"

  /// The longest name, in bytes.
  static let nameLimit = 32

  /// Returns whether a text can name a lane: 1 to 32 lower-case letters, digits, dots and hyphens of ASCII.
  static func isValid(name: String) -> Bool {
    (1...nameLimit).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension LanePacket: BinaryCodable {
  /// The largest data, in bytes: ``GroupSessionLane`` promises it, and it fits a broker's 64 KiB.
  static let sizeLimit = 56 << 10

  func write(to writer: inout BinaryWriter) {
    writer.value(session)
    writer.text(lane)
    writer.fixed(data)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    session = try reader.value()
    lane = try reader.text(limit: Self.nameLimit)
    guard Self.isValid(name: lane) else { throw .malformed }
    data = Data(try reader.remainder(limit: Self.sizeLimit))
  }

  /// Returns the name of a topic of a lane, which no other lane or session has.
  static func topic(_ name: String, lane: String, session: GroupSessionID) -> [UInt8] {
    var writer = BinaryWriter()
    writer.value(session)
    writer.text(lane)
    writer.text(name)
    return writer.bytes
  }

  /// Returns the bytes that a proof of a statement on a lane covers: a label that no other kind of proof has, the lane,
  /// the session, and the statement.
  static func provenBytes(
    of statement: [UInt8], lane: String, session: GroupSessionID
  ) -> [UInt8] {
    var writer = BinaryWriter()
    writer.text(lane)
    writer.value(session)
    writer.fixed(statement)
    return ProofPurpose.lane.label + writer.bytes
  }
}
