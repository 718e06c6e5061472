import Foundation

/// The party's current activity of one kind: a register in which the newest stamp wins, so that everybody ends
/// with the same one however many set it at once.
struct SessionRegister: Hashable, Sendable, Codable {
  var id: GroupSessionID
  var stamp: Stamp
  /// Who made the session.
  var initiator: Participant.ID
  var activityIdentifier: String
  /// The activity, encoded.
  var activity: Data
  /// Whether it ends when the initiator goes.
  var endsWithInitiator = false
  /// True once somebody ended the session for everybody.
  var ended: Bool
  /// The number of the party's opening in which it was written (``PartyOpening``); nil for the first one.
  var opening: UInt64?

  /// That the stamp's participant wrote it.
  var proof: Proof?

  /// The kind of activity, as beacons name it: two kinds of one number are one kind.
  var kind: UInt32 {
    // FNV-1a (draft-eastlake-fnv-17), 32 bits.
    activityIdentifier.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }

  /// What the proof covers: all but itself.
  var provenBytes: [UInt8] {
    func bytes(_ id: Participant.ID) -> [UInt8] { id.high.bigEndianBytes + id.low.bigEndianBytes }
    func counted(_ bytes: some Collection<UInt8>) -> [UInt8] {
      UInt64(bytes.count).bigEndianBytes + bytes
    }
    return ProofPurpose.session.label + id.rawValue.bigEndianBytes
      + UInt64(bitPattern: stamp.time).bigEndianBytes + bytes(stamp.participant) + bytes(initiator)
      + counted(activityIdentifier.utf8) + counted(activity)
      + [endsWithInitiator ? 1 : 0, ended ? 1 : 0]
      + (opening?.bigEndianBytes ?? [])
  }

  /// The limits on what a peer may make us keep, in bytes.
  static let activityLimit = 16 * 1024
  static let identifierLimit = 256

  var isWithinLimits: Bool {
    activity.count <= Self.activityLimit && activityIdentifier.utf8.count <= Self.identifierLimit
  }
}
