/// Parses a client's bytes, however they were split on the way, into operations.
///
/// The grammar is that of `nats-server` 2.9's parser, tolerance included: words in any case, tabs
/// for blanks, a line feed without carriage return, and anything after `PING`. It checks each byte
/// as soon as it arrives, so that nonsense is refused before the end of a line, and holds no more
/// than one control line or one message.
struct ProtocolParser: Sendable {
  /// The limit for a control line's arguments, in bytes.
  let controlLineLimit: Int
  /// The limit for a message, headers included, in bytes.
  let payloadLimit: Int
  /// A Boolean value that indicates whether the client is not admitted yet. Only CONNECT is
  /// accepted until then.
  var isAwaitingAuthorization: Bool
  /// A Boolean value that indicates whether the client announced support for headers; without it
  /// HPUB is malformed.
  var allowsHeaders = false

  private var buffer = ByteQueue()
  private var state = State.start
  /// Bytes from the buffer's start that are known to hold no line feed.
  private var scanned = 0

  private enum State: Hashable, Sendable {
    /// Before a word, or inside one that has begun.
    case start
    /// Skipping the blanks between a word and its arguments.
    case blanks(Word)
    /// Collecting arguments up to the line feed.
    case arguments(Word)
    /// Skipping the rest of the line after a word without arguments, up to the line feed.
    case lineEnd(ClientOperation.Simple)
    /// Collecting a message.
    case payload(MessageHead)
  }

  init(controlLineLimit: Int, payloadLimit: Int, isAwaitingAuthorization: Bool) {
    self.controlLineLimit = controlLineLimit
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
    while true {
      switch state {
      case .start:
        guard try beginLine() else { return nil }
      case .blanks(let word):
        while let byte = buffer.byte(at: 0), byte.isBlank { buffer.removeFirst(1) }
        guard !buffer.isEmpty else { return nil }
        scanned = 0
        state = .arguments(word)
      case .arguments(let word):
        guard let line = try takeLine() else { return nil }
        state = .start
        if let operation = try operation(word, line) { return operation }
      case .lineEnd(let operation):
        guard passLine() else { return nil }
        state = .start
        return .simple(operation)
      case .payload(let head):
        guard let message = try takeMessage(head) else { return nil }
        state = .start
        return .publish(message)
      }
    }
  }

  // MARK: Words

  /// - Returns: false when the word isn't complete yet.
  private mutating func beginLine() throws(ProtocolViolation) -> Bool {
    guard let first = buffer.byte(at: 0) else { return false }
    if isAwaitingAuthorization && first.lowercased != UInt8(ascii: "c") {
      throw .authorizationViolation
    }
    var mayBecomeOne = false
    for word in Word.allCases {
      switch compare(word.spelling) {
      case .different: continue
      case .incomplete: mayBecomeOne = true
      case .equal:
        if word.needsBlank {
          guard let next = buffer.byte(at: word.spelling.count) else { return false }
          guard next.isBlank else { throw .unknownOperation }
        }
        buffer.removeFirst(word.spelling.count)
        state = word.simple.map(State.lineEnd) ?? .blanks(word)
        return true
      }
    }
    if mayBecomeOne { return false }
    throw .unknownOperation
  }

  private enum Comparison { case different, incomplete, equal }

  private func compare(_ spelling: [UInt8]) -> Comparison {
    for (index, expected) in spelling.enumerated() {
      guard let byte = buffer.byte(at: index) else { return .incomplete }
      if byte.lowercased != expected { return .different }
    }
    return .equal
  }

  // MARK: Lines

  /// Returns the arguments up to the line feed, without the line's end; nil if it hasn't arrived
  /// yet.
  private mutating func takeLine() throws(ProtocolViolation) -> ArraySlice<UInt8>? {
    guard let lineFeed = buffer.offset(of: UInt8(ascii: "\n"), from: scanned) else {
      scanned = buffer.count
      // A carriage return at the end may be the first half of the line's end.
      let endsInReturn = buffer.byte(at: buffer.count - 1) == UInt8(ascii: "\r")
      let count = endsInReturn ? buffer.count - 1 : buffer.count
      if count > controlLineLimit { throw .controlLineExceeded }
      return nil
    }
    var line = buffer.popFirst(lineFeed)
    buffer.removeFirst(1)
    scanned = 0
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count > controlLineLimit { throw .controlLineExceeded }
    return line
  }

  private mutating func passLine() -> Bool {
    guard let lineFeed = buffer.offset(of: UInt8(ascii: "\n")) else {
      buffer.removeAll()
      return false
    }
    buffer.removeFirst(lineFeed + 1)
    return true
  }

  private mutating func operation(
    _ word: Word, _ line: ArraySlice<UInt8>
  ) throws(ProtocolViolation) -> ClientOperation? {
    switch word {
    case .connect: return .connect(line)
    case .subscribe: return .subscribe(try SubscribeArguments(line))
    case .unsubscribe: return .unsubscribe(try UnsubscribeArguments(line))
    case .info: return .info(line)
    // The connection ends after a client has reported an error.
    case .error: throw .clientError
    case .publish, .publishWithHeaders:
      let head = try MessageHead(line, hasHeaders: word == .publishWithHeaders)
      if head.headerSize != nil && !allowsHeaders { throw .malformed }
      if head.size > payloadLimit { throw .payloadExceeded }
      state = .payload(head)
      return nil
    case .ping, .pong, .ok: preconditionFailure("\(word) has no arguments")
    }
  }

  /// Returns the message. The line end behind it is checked as it arrives.
  private mutating func takeMessage(
    _ head: MessageHead
  ) throws(ProtocolViolation) -> ClientMessage? {
    guard let carriageReturn = buffer.byte(at: head.size) else { return nil }
    guard carriageReturn == UInt8(ascii: "\r") else { throw .unknownOperation }
    guard let lineFeed = buffer.byte(at: head.size + 1) else { return nil }
    guard lineFeed == UInt8(ascii: "\n") else { throw .unknownOperation }
    let body = buffer.popFirst(head.size)
    buffer.removeFirst(2)
    return ClientMessage(
      subject: head.subject, reply: head.reply, headers: head.headerSize.map { body.prefix($0) },
      payload: body.dropFirst(head.headerSize ?? 0))
  }
}

/// The first word of a client's line.
private enum Word: CaseIterable, Sendable {
  case publish, ping, pong, subscribe, unsubscribe, publishWithHeaders, connect, ok, info, error

  var spelling: [UInt8] {
    switch self {
    case .publish: Word.spellings.publish
    case .ping: Word.spellings.ping
    case .pong: Word.spellings.pong
    case .subscribe: Word.spellings.subscribe
    case .unsubscribe: Word.spellings.unsubscribe
    case .publishWithHeaders: Word.spellings.publishWithHeaders
    case .connect: Word.spellings.connect
    case .ok: Word.spellings.ok
    case .info: Word.spellings.info
    case .error: Word.spellings.error
    }
  }

  private static let spellings = (
    publish: Array("pub".utf8), ping: Array("ping".utf8), pong: Array("pong".utf8),
    subscribe: Array("sub".utf8), unsubscribe: Array("unsub".utf8),
    publishWithHeaders: Array("hpub".utf8), connect: Array("connect".utf8), ok: Array("+ok".utf8),
    info: Array("info".utf8), error: Array("-err".utf8)
  )

  var needsBlank: Bool {
    switch self {
    case .publish, .publishWithHeaders, .subscribe, .unsubscribe, .error: true
    case .connect, .info, .ping, .pong, .ok: false
    }
  }

  /// The operation of a word that takes no arguments.
  var simple: ClientOperation.Simple? {
    switch self {
    case .ping: .ping
    case .pong: .pong
    case .ok: .ok
    case .publish, .publishWithHeaders, .subscribe, .unsubscribe, .info, .error, .connect: nil
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// The lowercase form of an ASCII letter.
  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
