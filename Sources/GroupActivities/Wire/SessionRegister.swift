import Foundation

/// The party's current activity of one kind: a register in which the newest stamp wins. All participants
/// converge on the same value, however many set it at once.
struct SessionRegister: Hashable, Sendable {
  var id: GroupSessionID
  var stamp: Stamp
  /// The participant that created the session.
  var initiator: Participant.ID
  var activityIdentifier: String
  /// The activity, encoded.
  var activity: Data
  /// A Boolean value that indicates whether the session ends when its initiator leaves.
  var endsWithInitiator = false
  /// True once a participant ended the session for all.
  var ended: Bool
  /// The number of the party's opening in which it was written (``PartyOpening``); nil for the first one.
  var opening: UInt64?

  /// A Boolean value that indicates whether the stamp's participant repeats or merges what others decided, without an act
  /// of its own user.
  var isRestated = false

  /// The proof that the stamp's participant wrote the register.
  var proof: Proof?

  /// The kind of activity, as beacons name it. Two kinds with the same number count as one kind.
  var kind: UInt32 { Self.kind(activityIdentifier) }

  static func kind(_ activityIdentifier: String) -> UInt32 { activityIdentifier.fnv1a }

  /// The bytes that the proof covers: everything but the proof.
  var provenBytes: [UInt8] {
    var writer = BinaryWriter()
    writeStatement(to: &writer)
    return ProofPurpose.session.label + writer.bytes
  }

  /// The limits on the memory that a peer may use here, in bytes.
  static let activityLimit = 16 * 1024
  static let identifierLimit = 256

  var isWithinLimits: Bool {
    activity.count <= Self.activityLimit && activityIdentifier.utf8.count <= Self.identifierLimit
  }
}

extension SessionRegister: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writeStatement(to: &writer)
    writer.flags(proof != nil)
    if let proof { writer.value(proof) }
  }

  private func writeStatement(to writer: inout BinaryWriter) {
    writer.flags(endsWithInitiator, ended, opening != nil, isRestated)
    writer.value(id)
    writer.value(stamp)
    writer.value(initiator)
    writer.text(activityIdentifier)
    writer.block(activity)
    if let opening { writer.number(opening) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let flags = try reader.flags(4)
    id = try reader.value()
    stamp = try reader.value()
    initiator = try reader.value()
    activityIdentifier = try reader.text(limit: Self.identifierLimit)
    activity = Data(try reader.block(limit: Self.activityLimit))
    endsWithInitiator = flags[0]
    ended = flags[1]
    if flags[2] { opening = try reader.number() }
    isRestated = flags[3]
    if try reader.flag() { proof = try reader.value() }
  }
}

extension String {
  /// The FNV-1a hash (draft-eastlake-fnv-17) of the text in UTF-8, 32 bits.
  package var fnv1a: UInt32 {
    utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}
