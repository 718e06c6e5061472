/// The bytes of one connection, however they were split on the way, as lines and payloads: the floor under the parsers
/// of both ends.
///
/// It holds no more than one line or one message beyond the bytes of the last ``append(_:)``.
struct ProtocolReader: Sendable {
  private var buffer = ByteQueue()
  /// Bytes from the buffer's start that are known to hold no line feed.
  private var scanned = 0

  /// The number of bytes that have arrived and are not parsed yet.
  var bufferedBytes: Int { buffer.count }
  /// The size of the memory that holds them.
  var heldBytes: Int { buffer.capacity }

  /// The first byte that is not parsed yet.
  var first: UInt8? { buffer.byte(at: 0) }

  mutating func append(_ bytes: [UInt8]) { buffer.append(bytes) }

  mutating func compact() { buffer.compact() }

  /// Returns the next line without its line feed and the carriage return before it; nil if it hasn't arrived yet.
  mutating func takeLine(limit: Int) throws(ProtocolViolation) -> ArraySlice<UInt8>? {
    guard let lineFeed = buffer.offset(of: UInt8(ascii: "\n"), from: scanned) else {
      scanned = buffer.count
      // The last byte may be the first half of the line's end.
      if buffer.count > limit + 1 { throw .controlLineExceeded }
      return nil
    }
    var line = buffer.popFirst(lineFeed)
    buffer.removeFirst(1)
    scanned = 0
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count > limit { throw .controlLineExceeded }
    return line
  }

  /// Returns a message's bytes once all of them have arrived. The line end behind them is checked as it arrives.
  mutating func takePayload(_ size: Int) throws(ProtocolViolation) -> ArraySlice<UInt8>? {
    guard let carriageReturn = buffer.byte(at: size) else { return nil }
    guard carriageReturn == UInt8(ascii: "\r") else { throw .unknownOperation }
    guard let lineFeed = buffer.byte(at: size + 1) else { return nil }
    guard lineFeed == UInt8(ascii: "\n") else { throw .unknownOperation }
    let payload = buffer.popFirst(size)
    buffer.removeFirst(2)
    return payload
  }
}

/// The words of a line.
struct LineWords {
  let line: ArraySlice<UInt8>
  let words: [ArraySlice<UInt8>]

  init(_ line: ArraySlice<UInt8>) {
    self.line = line
    words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// The operation's name.
  var name: String? { words.first.map { String(decoding: $0, as: UTF8.self) } }

  /// The number of words after the name.
  var argumentCount: Int { words.count - 1 }

  /// Returns what follows a name at the line's start.
  func rest(after name: String) -> ArraySlice<UInt8> { line.dropFirst(name.utf8.count) }
}

extension Int {
  /// At most nine digits and nothing else, which fits and can't overflow.
  init?(digits: some Collection<UInt8>) {
    guard (1...9).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    self = value
  }
}

extension [UInt8] {
  /// Appends a number's digits.
  ///
  /// - Parameter value: 0 or more. `String(value)` would allocate for each message.
  package mutating func append(decimal value: Int) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
