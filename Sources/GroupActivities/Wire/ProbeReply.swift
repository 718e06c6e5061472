import Timekeeping

/// A challenge and one half of a clock exchange. Only its nonce matters: a participant that answers it is alive.
struct Probe: Hashable, Sendable {
  var nonce: UInt64
  /// A Boolean value that indicates whether the sender also requests the roster and the receiver's beacon.
  var introduction: Bool
}

/// The other half of a clock exchange.
struct ProbeReply: Hashable, Sendable {
  var nonce: UInt64
  /// The times of the probe's arrival and of this reply's departure; nil while the sender has no group time.
  var times: Times?
  /// The number of the last event that the receiver needn't request.
  var baseline: UInt64
  var introduction: Introduction?

  struct Times: Hashable, Sendable {
    var received: GroupTime
    var sent: GroupTime
    /// The uncertainty of the sender's group time, in nanoseconds.
    var uncertainty: Int64
  }

  struct Introduction: Hashable, Sendable {
    var beacon: Beacon
    var beaconSequence: UInt64
    /// The participants in the party, as far as the sender knows; at most ``memberLimit``.
    var members: [Participant.ID]
    /// The latest report of the sender's coordinator.
    var coordination: CoordinationReport?
    /// The participants with the earliest arrivals, the sender among them, as the sender witnessed them; at most
    /// ``seniorLimit``.
    var seniors: [Senior]?
    /// The sender's ``KeyExchange/publicKey``, for which others seal secrets of epochs.
    var exchangeKey: [UInt8]?

    static let memberLimit = 256
    static let seniorLimit = 32
  }

  struct Senior: Hashable, Sendable {
    var id: Participant.ID
    var arrivedAt: GroupTime
  }
}

extension Probe: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.word(nonce)
    writer.flags(introduction)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    nonce = try reader.word()
    introduction = try reader.flag()
  }
}

extension ProbeReply: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.word(nonce)
    writer.number(baseline)
    writer.flags(times != nil, introduction != nil)
    if let times { writer.value(times) }
    if let introduction { writer.value(introduction) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    nonce = try reader.word()
    baseline = try reader.number()
    let has = try reader.flags(2)
    if has[0] { times = try reader.value() }
    if has[1] { introduction = try reader.value() }
  }
}

extension ProbeReply.Times: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(received)
    writer.value(sent)
    writer.word(uncertainty)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    received = try reader.value()
    sent = try reader.value()
    uncertainty = try reader.signedWord()
  }
}

extension ProbeReply.Introduction: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(coordination != nil, seniors != nil, exchangeKey != nil)
    writer.value(beacon)
    writer.number(beaconSequence)
    writer.list(members)
    if let coordination { writer.value(coordination) }
    if let seniors { writer.list(seniors) }
    if let exchangeKey { writer.fixed(exchangeKey) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(3)
    beacon = try reader.value()
    beaconSequence = try reader.number()
    members = try reader.list(limit: Self.memberLimit)
    if has[0] { coordination = try reader.value() }
    if has[1] { seniors = try reader.list(limit: Self.seniorLimit) }
    if has[2] { exchangeKey = try reader.fixed(KeyExchange.publicKeyByteCount) }
  }
}

extension ProbeReply.Senior: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(id)
    writer.value(arrivedAt)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    id = try reader.value()
    arrivedAt = try reader.value()
  }
}
