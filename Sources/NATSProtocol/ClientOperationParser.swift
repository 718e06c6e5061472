/// Parses a client's bytes into the operations that a party needs: CONNECT, PING, PONG, SUB, UNSUB and PUB.
///
/// It refuses a line that can't become an operation at its first byte.
package struct ClientOperationParser: Sendable {
  /// The limit for a line, in bytes.
  package let lineLimit: Int
  /// The limit for a message, in bytes.
  package let payloadLimit: Int
  /// A Boolean value that indicates whether the client is not admitted yet. Only CONNECT is
  /// accepted until then.
  package var isAwaitingAuthorization: Bool

  private var reader = ProtocolReader()
  /// The message whose line was parsed and whose bytes are being collected.
  private var awaited: (subject: Subject, size: Int)?

  package init(lineLimit: Int, payloadLimit: Int, isAwaitingAuthorization: Bool) {
    self.lineLimit = lineLimit
    self.payloadLimit = payloadLimit
    self.isAwaitingAuthorization = isAwaitingAuthorization
  }

  /// The number of bytes that have arrived and are not parsed yet.
  package var bufferedBytes: Int { reader.bufferedBytes }
  /// The size of the memory that holds them.
  package var heldBytes: Int { reader.heldBytes }

  package mutating func append(_ bytes: [UInt8]) { reader.append(bytes) }

  /// Releases the memory of parsed bytes. Otherwise a few bytes of the next message would keep the
  /// whole buffer that they came in.
  package mutating func compact() { reader.compact() }

  /// Returns the next operation, or nil if more bytes are needed. The parser can't be used after an
  /// error.
  package mutating func next() throws(ProtocolViolation) -> ClientOperation? {
    if awaited == nil {
      guard let first = reader.first else { return nil }
      if isAwaitingAuthorization && first != UInt8(ascii: "C") { throw .authorizationViolation }
      guard "CPSU".utf8.contains(first) else { throw .unknownOperation }
      guard let line = try reader.takeLine(limit: lineLimit) else { return nil }
      if let operation = try operation(LineWords(line)) { return operation }
    }
    guard let (subject, size) = awaited, let payload = try reader.takePayload(size) else {
      return nil
    }
    awaited = nil
    return .publish(ClientMessage(subject: subject, payload: payload))
  }

  /// - Returns: nil for a message whose bytes follow.
  private mutating func operation(_ line: LineWords) throws(ProtocolViolation) -> ClientOperation? {
    let words = line.words
    switch line.name {
    case "PING" where line.argumentCount == 0: return .ping
    case "PONG" where line.argumentCount == 0: return .pong
    case "CONNECT": return .connect(line.rest(after: "CONNECT"))
    case "SUB":
      guard (2...3).contains(line.argumentCount) else { throw .malformed }
      let group = line.argumentCount == 3 ? Array(words[2]) : nil
      return .subscribe(Subject(words[1]), group: group, sid: Array(words[line.argumentCount]))
    case "UNSUB":
      guard line.argumentCount == 1 else { throw .malformed }
      return .unsubscribe(sid: Array(words[1]))
    case "PUB":
      guard line.argumentCount == 2, let size = Int(digits: words[2]) else { throw .malformed }
      if size > payloadLimit { throw .payloadExceeded }
      awaited = (Subject(words[1]), size)
      return nil
    default: throw .unknownOperation
    }
  }
}
