import Foundation

/// A message on one lane of a session, opaque to this layer.
///
/// The data is binary, since JSON would make it a third larger.
struct LanePacket: Hashable, Sendable {
  var session: GroupSessionID
  /// The lane's name; see ``isValid(name:)``.
  var lane = LanePacket.journal
  var data: Data

  /// The lane of version 1, which came without a name.
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

/// On the wire a packet is `mark (1) · version (1) · session (8) · data`; from version 2 on, `length (1) · name` come
/// before the data.
extension LanePacket {
  /// The first byte of a packet, with which no JSON begins.
  static let mark = UInt8(ascii: "J")

  /// The version without a name, which each program of this package understands.
  private static let unnamed: UInt8 = 1
  private static let named: UInt8 = 2

  func encoded() -> [UInt8] {
    if lane == Self.journal {
      return [Self.mark, Self.unnamed] + session.rawValue.bigEndianBytes + data
    }
    return [Self.mark, Self.named] + session.rawValue.bigEndianBytes + [UInt8(lane.utf8.count)]
      + lane.utf8 + data
  }

  init(decoding bytes: [UInt8]) throws(WireMessageError) {
    guard bytes.count >= 10 else { throw .malformed }
    session = GroupSessionID(rawValue: UInt64(bigEndianBytes: bytes[2..<10]))
    switch bytes[1] {
    case Self.unnamed: data = Data(bytes[10...])
    case Self.named:
      let rest = bytes[10...]
      guard let length = rest.first, rest.count > Int(length),
        let name = String(validating: rest.dropFirst().prefix(Int(length)), as: UTF8.self),
        Self.isValid(name: name)
      else { throw .malformed }
      lane = name
      data = Data(rest.dropFirst(1 + Int(length)))
    default: throw .unknown(type: "lane", version: Int(bytes[1]))
    }
  }

  /// Returns the bytes that a proof of a statement on a lane covers: a label that no other kind of proof has, the
  /// session, and the statement.
  static func provenBytes(
    of statement: [UInt8], lane: String, session: GroupSessionID
  ) -> [UInt8] {
    let label =
      lane == journal
      ? ProofPurpose.attachment.label
      : ProofPurpose.lane.label + [UInt8(lane.utf8.count)] + lane.utf8
    return label + session.rawValue.bigEndianBytes + statement
  }
}
