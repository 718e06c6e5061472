/// Parses a client's bytes, however they were split on the way, into the operations that a party needs: CONNECT, PING,
/// PONG, SUB, UNSUB and PUB.
///
/// It refuses a line that can't become an operation at its first byte, and holds no more than one line or one message.
struct ProtocolParser: Sendable {
  /// The limit for a line, in bytes.
  let lineLimit: Int
  /// The limit for a message, in bytes.
  let payloadLimit: Int
  /// A Boolean value that indicates whether the client is not admitted yet. Only CONNECT is
  /// accepted until then.
  var isAwaitingAuthorization: Bool

  private var buffer = ByteQueue()
  /// Bytes from the buffer's start that are known to hold no line feed.
  private var scanned = 0
  /// The message whose line was parsed and whose bytes are being collected.
  private var awaited: (subject: Subject, size: Int)?

  init(lineLimit: Int, payloadLimit: Int, isAwaitingAuthorization: Bool) {
    self.lineLimit = lineLimit
    self.payloadLimit = payloadLimit
    self.isAwaitingAuthorization = isAwaitingAuthorization
  }

  /// The number of bytes that have arrived and are not parsed yet.
  var bufferedBytes: Int { buffer.count }
  /// The size of the memory that holds them.
  var heldBytes: Int { buffer.capacity }

  mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }

  /// Releases the memory of parsed bytes. Otherwise a few bytes of the next message would keep the
  /// whole buffer that they came in.
  mutating func compact() { buffer.compact() }

  /// Returns the next operation, or nil if more bytes are needed. The parser can't be used after an
  /// error.
  mutating func next() throws(ProtocolViolation) -> ClientOperation? {
    if awaited == nil {
      guard let line = try takeLine() else { return nil }
      if let operation = try operation(line) { return operation }
    }
    return try takeMessage()
  }

  /// Returns the next line without its end; nil if it hasn't arrived yet.
  private mutating func takeLine() throws(ProtocolViolation) -> ArraySlice<UInt8>? {
    guard let first = buffer.byte(at: 0) else { return nil }
    if isAwaitingAuthorization && first != UInt8(ascii: "C") { throw .authorizationViolation }
    guard "CPSU".utf8.contains(first) else { throw .unknownOperation }
    guard let lineFeed = buffer.offset(of: UInt8(ascii: "\n"), from: scanned) else {
      scanned = buffer.count
      // The last byte may be the first half of the line's end.
      if buffer.count > lineLimit + 1 { throw .controlLineExceeded }
      return nil
    }
    var line = buffer.popFirst(lineFeed)
    buffer.removeFirst(1)
    scanned = 0
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count > lineLimit { throw .controlLineExceeded }
    return line
  }

  /// - Returns: nil for a message whose bytes follow.
  private mutating func operation(
    _ line: ArraySlice<UInt8>
  ) throws(ProtocolViolation) -> ClientOperation? {
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let arguments = words.dropFirst()
    switch words.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "PING" where arguments.isEmpty: return .ping
    case "PONG" where arguments.isEmpty: return .pong
    case "CONNECT": return .connect(line.dropFirst("CONNECT".utf8.count))
    case "SUB":
      guard (2...3).contains(arguments.count) else { throw .malformed }
      let group = arguments.count == 3 ? Array(words[2]) : nil
      return .subscribe(Subject(words[1]), group: group, sid: Array(words[arguments.count]))
    case "UNSUB":
      guard arguments.count == 1 else { throw .malformed }
      return .unsubscribe(sid: Array(words[1]))
    case "PUB":
      guard arguments.count == 2, let size = Int(digits: words[2]) else { throw .malformed }
      if size > payloadLimit { throw .payloadExceeded }
      awaited = (Subject(words[1]), size)
      return nil
    default: throw .unknownOperation
    }
  }

  /// Returns the awaited message once all of it has arrived. The line end behind it is checked as it arrives.
  private mutating func takeMessage() throws(ProtocolViolation) -> ClientOperation? {
    guard let (subject, size) = awaited, let carriageReturn = buffer.byte(at: size) else {
      return nil
    }
    guard carriageReturn == UInt8(ascii: "\r") else { throw .unknownOperation }
    guard let lineFeed = buffer.byte(at: size + 1) else { return nil }
    guard lineFeed == UInt8(ascii: "\n") else { throw .unknownOperation }
    let payload = buffer.popFirst(size)
    buffer.removeFirst(2)
    awaited = nil
    return .publish(ClientMessage(subject: subject, payload: payload))
  }
}

extension Int {
  /// At most nine digits and nothing else, which fits and can't overflow.
  fileprivate init?(digits: some Collection<UInt8>) {
    guard (1...9).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    self = value
  }
}
