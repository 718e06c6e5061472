import Foundation
import Timekeeping

/// The heartbeat: the sender's identity and state. The newest wins, and none is repaired: if a message was lost, the
/// next beacon makes up for it within one interval.
struct Beacon: Hashable, Sendable {
  var name: String
  /// The group time at which the sender joined; nil while it is still arriving.
  var joinedAt: GroupTime?
  /// The sequence number of the sender's last event, so that the loss of the last event is noticed too.
  var lastEvent: UInt64
  /// The session registers that the sender holds: ``sessionLimit`` at most.
  var sessions: [HeldSession] = []
  /// The sender's newest ``CoordinationReport/version``; 0 for none.
  var coordination: UInt64 = 0
  /// The part of its coordinator's report that changes all the time, opaque to this layer; at most ``digestLimit``
  /// bytes.
  var coordinationDigest: Data?
  /// The digest of the policy log that the sender holds.
  var policyLog: UInt64?
  /// The sender's clock uncertainty and round trip to the reference, in microseconds.
  var clockUncertainty: Int64?
  var clockRoundTrip: Int64?
  /// The group time at which the beacon was sent: a beacon that is older than possible was replayed.
  var sentAt: GroupTime?
  /// The interval between the sender's beacons, in milliseconds.
  var interval: UInt64 = 0
  /// The number of participants in the party, as far as the sender knows.
  var count: UInt64 = 1
  /// The number of the sender's events that a participant to which it is new doesn't need: those from before it became
  /// active.
  var settled: UInt64 = 0
  /// The digest of the reference's roster, in the reference's beacons; 0 if rosters aren't compared.
  var roster: UInt64 = 0
  /// The sender's wall clock, if a time service keeps it.
  var wallClock: WallClockClaim?
  /// The sender's part in the party's relays; nil if the last one still holds. Only a beacon that is a message has one.
  var standby: StandbyReport?
  /// The hash of the item of which the sender's player has another copy; nil for none. Only a beacon that is a message
  /// has one.
  var otherCopy: UInt32?

  /// The door through which the sender's user came in; nil for a program of its own. Only a beacon that is a message has
  /// one.
  var door: Participant.Door?

  static let digestLimit = 64
  /// The longest name, in bytes: longer than any that is shown.
  private static let nameLimit = 1024
  /// The number of kinds of activity, each with one session, that a participant holds.
  static let sessionLimit = 4

  struct HeldSession: Hashable, Sendable {
    /// The session's ``SessionRegister/kind``.
    var kind: UInt32
    var stamp: Stamp
    /// The session, if the sender has joined it.
    var joined: GroupSessionID?
  }

  func hasJoined(_ id: GroupSessionID) -> Bool { sessions.contains { $0.joined == id } }
}

extension Beacon: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(
      joinedAt != nil, !sessions.isEmpty, wallClock != nil, coordinationDigest != nil,
      policyLog != nil,
      clockUncertainty != nil, clockRoundTrip != nil, sentAt != nil)
    writer.text(name)
    for count in [lastEvent, settled, coordination, interval, count, roster] {
      writer.number(count)
    }
    if let joinedAt { writer.value(joinedAt) }
    if !sessions.isEmpty { writer.list(sessions) }
    if let coordinationDigest { writer.block(coordinationDigest) }
    if let policyLog { writer.word(policyLog) }
    if let clockUncertainty { writer.number(UInt64(max(0, clockUncertainty))) }
    if let clockRoundTrip { writer.number(UInt64(max(0, clockRoundTrip))) }
    if let sentAt { writer.value(sentAt) }
    if let wallClock { writer.value(wallClock) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(8)
    self.init(
      name: try reader.text(limit: Self.nameLimit), joinedAt: nil, lastEvent: try reader.number())
    settled = try reader.number()
    coordination = try reader.number()
    interval = try reader.number()
    count = try reader.number()
    roster = try reader.number()
    if has[0] { joinedAt = try reader.value() }
    if has[1] {
      sessions = try reader.list(limit: Self.sessionLimit)
      guard !sessions.isEmpty else { throw .malformed }
    }
    if has[3] { coordinationDigest = Data(try reader.block(limit: Self.digestLimit)) }
    if has[4] { policyLog = try reader.word() }
    if has[5] { clockUncertainty = try reader.nonnegative() }
    if has[6] { clockRoundTrip = try reader.nonnegative() }
    if has[7] { sentAt = try reader.value() }
    if has[2] { wallClock = try reader.value() }
  }
}

extension Beacon.HeldSession: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.half(kind)
    writer.value(stamp)
    writer.flags(joined != nil)
    if let joined { writer.value(joined) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    kind = try reader.half()
    stamp = try reader.value()
    if try reader.flag() { joined = try reader.value() }
  }
}

/// The fields that may follow a beacon: each is a number, greater than the one before, and a block. A program skips the
/// fields that it doesn't know.
extension Beacon {
  /// The numbers of the fields; 1 is reserved for versions of the protocol. Never reuse one.
  private static let standbyField: UInt64 = 2
  private static let otherCopyField: UInt64 = 3
  private static let doorField: UInt64 = 4
  /// The largest field, in bytes.
  private static let fieldLimit = 1024

  func writeFields(to writer: inout BinaryWriter) {
    if let standby {
      writer.number(Self.standbyField)
      writer.block(standby.binary)
    }
    if let otherCopy {
      writer.number(Self.otherCopyField)
      var field = BinaryWriter()
      field.half(otherCopy)
      writer.block(field.bytes)
    }
    if let door {
      writer.number(Self.doorField)
      var field = BinaryWriter()
      field.byte(door.kind.rawValue)
      field.value(door.keeper)
      writer.block(field.bytes)
    }
  }

  mutating func readFields(from reader: inout BinaryReader) throws(WireError) {
    var last: UInt64 = 0
    while !reader.isAtEnd {
      let number = try reader.number()
      guard number > last else { throw .malformed }
      last = number
      let block = try reader.block(limit: Self.fieldLimit)
      if number == Self.standbyField { standby = try StandbyReport(binary: block) }
      if number == Self.otherCopyField {
        var field = BinaryReader(block[...])
        otherCopy = try field.half()
        guard field.isAtEnd else { throw .malformed }
      }
      if number == Self.doorField {
        var field = BinaryReader(block[...])
        // A newer program may have another kind of door: its participant is one like the others here.
        let kind = Participant.Door.Kind(rawValue: try field.byte())
        let keeper: Participant.ID = try field.value()
        door = kind.map { Participant.Door($0, keeper: keeper) }
        guard field.isAtEnd else { throw .malformed }
      }
    }
  }
}
