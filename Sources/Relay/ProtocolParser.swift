import NIOCore

/// Cuts a client's bytes into operations, however the network split them.
struct ProtocolParser: Sendable {
  private var buffer = ByteBuffer()
  /// A publication whose payload hasn't all come yet.
  private var pending: Publication?
  private let payloadLimit: Int

  /// As nats-server's `max_control_line`.
  static let controlLineLimit = 4096

  private struct Publication: Sendable {
    var subject: String
    var reply: String?
    var headerLength: Int?
    var size: Int
  }

  init(payloadLimit: Int) { self.payloadLimit = payloadLimit }

  mutating func feed(_ bytes: ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.writeImmutableBuffer(bytes)
    }
  }

  /// - Returns: the next operation; nil when more bytes are needed.
  mutating func next() throws(ProtocolViolation) -> ClientOperation? {
    if let pending { return try payload(of: pending) }
    let view = buffer.readableBytesView
    guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
      guard view.count <= Self.controlLineLimit else { throw .controlLineTooLong }
      // A wrong first word is told at once: the line might never end.
      if view.count > 16, !Self.mayBegin(view) { throw .unknownOperation }
      return nil
    }
    let length = end - view.startIndex
    guard length <= Self.controlLineLimit else { throw .controlLineTooLong }
    var line = buffer.readSlice(length: length)!
    buffer.moveReaderIndex(forwardBy: 1)
    buffer.discardReadBytes()
    if line.readableBytesView.last == UInt8(ascii: "\r") {
      line = line.getSlice(at: line.readerIndex, length: line.readableBytes - 1)!
    }
    return try parse(line)
  }

  private mutating func parse(_ line: ByteBuffer) throws(ProtocolViolation) -> ClientOperation? {
    let bytes = line.readableBytesView
    let wordEnd = bytes.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let word = String(decoding: bytes[..<(wordEnd ?? bytes.endIndex)], as: UTF8.self).uppercased()
    let rest = wordEnd.map { bytes[$0...].dropFirst() } ?? bytes[bytes.endIndex...]
    switch word {
    case "PING": return .ping
    case "PONG": return .pong
    case "+OK", "-ERR": return try next()
    case "CONNECT": return .connect(ByteBuffer(bytes: rest))
    case "SUB":
      let words = try arguments(rest, 2...3)
      return .subscribe(
        subject: words[0], queue: words.count == 3 ? words[1] : nil, sid: words[words.count - 1])
    case "UNSUB":
      let words = try arguments(rest, 1...2)
      return .unsubscribe(sid: words[0], max: words.count == 2 ? try number(words[1]) : nil)
    case "PUB":
      let words = try arguments(rest, 2...3)
      return try begin(
        Publication(
          subject: words[0], reply: words.count == 3 ? words[1] : nil, headerLength: nil,
          size: try number(words[words.count - 1])))
    case "HPUB":
      let words = try arguments(rest, 3...4)
      let headerLength = try number(words[words.count - 2])
      let size = try number(words[words.count - 1])
      guard headerLength <= size else { throw .malformedArguments }
      return try begin(
        Publication(
          subject: words[0], reply: words.count == 4 ? words[1] : nil, headerLength: headerLength,
          size: size))
    default: throw .unknownOperation
    }
  }

  private mutating func begin(
    _ publication: Publication
  ) throws(ProtocolViolation) -> ClientOperation? {
    guard publication.size <= payloadLimit else { throw .payloadTooLarge }
    pending = publication
    return try payload(of: publication)
  }

  private mutating func payload(
    of publication: Publication
  ) throws(ProtocolViolation) -> ClientOperation? {
    guard buffer.readableBytes >= publication.size + 2 else { return nil }
    let payload = buffer.readSlice(length: publication.size)!
    guard buffer.readInteger(as: UInt16.self) == 0x0D0A else { throw .unknownOperation }
    buffer.discardReadBytes()
    pending = nil
    return .publish(
      subject: publication.subject, reply: publication.reply,
      headerLength: publication.headerLength, payload: payload)
  }

  private func arguments(
    _ rest: some Collection<UInt8>, _ count: ClosedRange<Int>
  ) throws(ProtocolViolation) -> [String] {
    let words = rest.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard count.contains(words.count) else { throw .malformedArguments }
    return words.map { String(decoding: $0, as: UTF8.self) }
  }

  private func number(_ word: String) throws(ProtocolViolation) -> Int {
    guard word.utf8.count <= 9, word.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(word)
    else { throw .malformedArguments }
    return number
  }

  private static let words = [
    "PING", "PONG", "+OK", "-ERR", "CONNECT", "SUB", "UNSUB", "PUB", "HPUB",
  ]

  private static func mayBegin(_ view: ByteBufferView) -> Bool {
    let start = String(decoding: view.prefix(8), as: UTF8.self).uppercased()
    return words.contains { start.hasPrefix($0) }
  }
}
