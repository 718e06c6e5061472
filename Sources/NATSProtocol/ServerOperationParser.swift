/// Parses a server's bytes into the operations that a party needs: INFO, MSG, PING, PONG, +OK and -ERR.
///
/// It is made for a hostile server: words in capitals, lines without control characters, and a bound for everything. It
/// learns the server's own limit for messages from INFO, and holds the server to it.
package struct ServerOperationParser: Sendable {
  /// The limit for a message, in bytes, whatever the server announces: the most that `nats-server` recommends.
  package static let messageLimit = 8 << 20
  /// The limit for a server that doesn't announce one, in bytes: the default of `nats-server`.
  package static let usualMessageLimit = 1 << 20
  /// The limit for a line, in bytes: two subjects, and some numbers.
  package static let lineLimit = 16 << 10
  /// The limit for an INFO line, which lists a cluster's servers, in bytes.
  package static let infoLimit = 64 << 10

  private var reader = ProtocolReader()
  /// The message whose line was parsed and whose bytes are being collected.
  private var awaited: (subject: Subject, sid: Int, size: Int)?
  /// The server's own limit for a message.
  private var messageLimit = usualMessageLimit

  package init() {}

  /// The number of bytes that have arrived and are not parsed yet.
  package var bufferedBytes: Int { reader.bufferedBytes }

  package mutating func append(_ bytes: [UInt8]) { reader.append(bytes) }

  /// Releases the memory of parsed bytes.
  package mutating func compact() { reader.compact() }

  /// Returns the next operation, or nil if more bytes are needed. The parser can't be used after an
  /// error.
  package mutating func next() throws(ProtocolViolation) -> ServerOperation? {
    if awaited == nil {
      guard let first = reader.first else { return nil }
      guard "IMP+-".utf8.contains(first) else { throw .unknownOperation }
      let limit = first == UInt8(ascii: "I") ? Self.infoLimit : Self.lineLimit
      guard let line = try reader.takeLine(limit: limit) else { return nil }
      guard !line.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") }) else {
        throw .malformed
      }
      if let operation = try operation(LineWords(line)) { return operation }
    }
    guard let (subject, sid, size) = awaited, let payload = try reader.takePayload(size) else {
      return nil
    }
    awaited = nil
    return .message(ServerMessage(subject: subject, sid: sid, payload: payload))
  }

  /// - Returns: nil for a message whose bytes follow.
  private mutating func operation(_ line: LineWords) throws(ProtocolViolation) -> ServerOperation? {
    switch line.name {
    case "PING" where line.argumentCount == 0: return .ping
    case "PONG" where line.argumentCount == 0: return .pong
    case "+OK" where line.argumentCount == 0: return .ok
    case "-ERR" where line.argumentCount > 0:
      return .error(ServerError(line.rest(after: "-ERR")))
    case "INFO":
      let info = try ServerInfo(json: line.rest(after: "INFO"))
      messageLimit = min(info.maximumPayload ?? Self.usualMessageLimit, Self.messageLimit)
      return .info(info)
    case "MSG":
      // Another client of the server may have added a subject for answers, which has no meaning here.
      guard (3...4).contains(line.argumentCount), let sid = Int(digits: line.words[2]),
        let size = Int(digits: line.words[line.argumentCount])
      else { throw .malformed }
      if size > messageLimit { throw .payloadExceeded }
      awaited = (Subject(line.words[1]), sid, size)
      return nil
    default: throw .unknownOperation
    }
  }
}
