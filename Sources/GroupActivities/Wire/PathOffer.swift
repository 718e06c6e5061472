/// A participant's readiness for a direct path to another one. It contains addresses only for participants that are
/// ready for a path too.
struct PathOffer: Hashable, Sendable {
  /// The number of the offer: each changed offer to the same participant has a greater one.
  var number: UInt64
  /// The number of the newest offer of the receiver that has arrived; 0 for none.
  var received: UInt64
  /// A Boolean value that indicates whether the sender allows direct paths.
  var isAllowed: Bool
  /// A Boolean value that indicates whether the sender waits for an offer that names this one.
  var wantsAnswer: Bool
  /// The sender's ``KeyExchange/publicKey``, from which the two make the key of their path.
  var exchangeKey: [UInt8]
  /// The addresses at which the sender may be reached; empty until the receiver has allowed direct paths.
  var candidates: [PathCandidate]
}

extension PathOffer: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.number(number)
    writer.number(received)
    writer.flags(isAllowed, wantsAnswer)
    writer.fixed(exchangeKey)
    writer.list(candidates)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    number = try reader.number()
    received = try reader.number()
    let flags = try reader.flags(2)
    isAllowed = flags[0]
    wantsAnswer = flags[1]
    exchangeKey = try reader.fixed(KeyExchange.publicKeyByteCount)
    candidates = try reader.list(limit: PathInvitation.candidateLimit)
  }
}

/// The kind, the IP version (4 or 6), the address and the port.
extension PathCandidate: BinaryCodable {
  package func write(to writer: inout BinaryWriter) {
    writer.byte(kind.rawValue)
    writer.byte(address.count == 4 ? 4 : 6)
    writer.fixed(address)
    writer.number(UInt64(port))
  }

  package init(from reader: inout BinaryReader) throws(WireError) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw .malformed }
    let version = try reader.byte()
    guard version == 4 || version == 6 else { throw .malformed }
    let address = try reader.fixed(version == 4 ? 4 : 16)
    guard let port = UInt16(exactly: try reader.number()),
      let candidate = PathCandidate(address: address, port: port, kind: kind)
    else { throw .malformed }
    self = candidate
  }
}
