/// A newcomer's question to any one participant about the state of the party.
struct Arrival: Hashable, Sendable {
  /// The number of the question: only the answer to it counts.
  var nonce: UInt64
  /// The newcomer's ``KeyExchange/publicKey``, for which the answering participant seals the secret of the epoch; nil for
  /// a program that reads only what the invite's key opens.
  var exchangeKey: [UInt8]?
}

/// The answer to an ``Arrival``. In a party where not all participants introduce themselves, the newest beacons of the
/// others follow as ``Originals``.
struct Welcome: Hashable, Sendable {
  var reply: ProbeReply
  /// As many sessions as fit; the next beacon announces the others.
  var sessions: [SessionRegister] = []
  /// The number of participants in the party.
  var count: UInt64

  private static let activitiesLimit = 24 * 1024

  /// Returns the sessions that fit into a message besides its other contents.
  static func fitting(_ sessions: [SessionRegister]) -> [SessionRegister] {
    var room = activitiesLimit
    return sessions.filter { session in
      guard session.activity.count <= room else { return false }
      room -= session.activity.count
      return true
    }
  }
}

extension Arrival: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.word(nonce)
    writer.flags(exchangeKey != nil)
    if let exchangeKey { writer.fixed(exchangeKey) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    nonce = try reader.word()
    if try reader.flag() { exchangeKey = try reader.fixed(KeyExchange.publicKeyByteCount) }
  }
}

extension Welcome: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(reply)
    writer.number(count)
    writer.list(sessions)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    reply = try reader.value()
    count = try reader.number()
    sessions = try reader.list(limit: Beacon.sessionLimit)
  }
}
