/// The bytes of one server, checked before libnats parses them.
///
/// libnats 3.4.1 computes with a message's size before it compares the size with any limit: `MSG a 1 2147483647` makes
/// it read 2 GiB before its buffer, and any smaller size is allocated, whatever the server's own `max_payload` is. So
/// this value follows the protocol in parallel, and refuses what no NATS server sends. It is stricter than libnats, so
/// that both always agree where a line begins: words in capitals, one space between them, lines that end with CR LF.
struct ServerStream: Sendable {
  /// The limit for a message with its headers, in bytes, whatever the server announces: the most that `nats-server`
  /// recommends.
  static let messageLimit = 8 << 20
  /// The limit for a server that doesn't announce one, in bytes: the default of `nats-server`.
  private static let usualMessageLimit = 1 << 20
  /// The limit for a line, in bytes: two subjects, and some numbers.
  static let lineLimit = 16 << 10
  /// The limit for an INFO line, which lists a cluster's servers, in bytes.
  static let infoLimit = 64 << 10

  private enum State: Sendable {
    case line
    /// The bytes of a message that are still to come.
    case payload(Int)
    /// The bytes of the line end after a message that have come: 0 or 1.
    case payloadEnd(Int)
    case refused
  }

  private var state = State.line
  /// The server's own `max_payload`.
  private var messageLimit = usualMessageLimit
  /// The part of the current line that has arrived.
  private var line: [UInt8] = []

  /// - Returns: false if the bytes break the protocol or a limit; then nothing that follows is accepted either.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while let byte = rest.first {
      switch state {
      case .refused: return false
      case .payload(let missing):
        let count = min(missing, rest.count)
        rest = rest.dropFirst(count)
        state = count == missing ? .payloadEnd(0) : .payload(missing - count)
      case .payloadEnd(let index):
        let isRight = byte == Self.lineEnd[index]
        state = !isRight ? .refused : index == 0 ? .payloadEnd(1) : .line
        rest = rest.dropFirst()
      case .line:
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        line += end.map { rest[...$0] } ?? rest
        rest = end.map { rest[rest.index(after: $0)...] } ?? rest.dropFirst(rest.count)
        guard line.count <= (line.first == UInt8(ascii: "I") ? Self.infoLimit : Self.lineLimit)
        else {
          refuse()
          return false
        }
        if end != nil { endLine() }
      }
    }
    if case .refused = state { return false }
    return true
  }

  private mutating func refuse() {
    state = .refused
    line = []
  }

  private mutating func endLine() {
    guard line.count >= 2, line[line.count - 2] == Self.lineEnd[0],
      let next = state(after: line.dropLast(2))
    else { return refuse() }
    state = next
    line.removeAll(keepingCapacity: line.capacity <= 4096)
  }

  /// - Parameter line: without its end.
  private mutating func state(after line: ArraySlice<UInt8>) -> State? {
    guard !line.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") }) else { return nil }
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    switch String(decoding: words[0], as: UTF8.self) {
    case "PING", "PONG", "+OK": return words.count == 1 ? .line : nil
    case "INFO":
      learnLimit(from: line)
      return words.count > 1 ? .line : nil
    case "-ERR": return words.count > 1 ? .line : nil
    case "MSG": return (4...5).contains(words.count) ? message(words, sizes: 1) : nil
    case "HMSG": return (5...6).contains(words.count) ? message(words, sizes: 2) : nil
    default: return nil
    }
  }

  /// Learns the server's limit from INFO, which is JSON; its numbers have no other form here.
  private mutating func learnLimit(from line: ArraySlice<UInt8>) {
    guard let name = line.firstRange(of: Array("\"max_payload\":".utf8)) else { return }
    let number = line[name.upperBound...].drop { $0 == UInt8(ascii: " ") }
      .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    messageLimit = number.isEmpty ? messageLimit : min(Self.size(number) ?? .max, Self.messageLimit)
  }

  private func message(_ words: [ArraySlice<UInt8>], sizes count: Int) -> State? {
    guard words.allSatisfy({ !$0.isEmpty && !$0.contains(UInt8(ascii: "\t")) }) else { return nil }
    let sizes = words.suffix(count).compactMap(Self.size)
    guard sizes.count == count, sizes[0] <= sizes[count - 1], sizes[count - 1] <= messageLimit
    else { return nil }
    return sizes[count - 1] == 0 ? .payloadEnd(0) : .payload(sizes[count - 1])
  }

  /// Returns a number of at most seven digits and nothing else.
  private static func size(_ word: ArraySlice<UInt8>) -> Int? {
    guard word.count <= 7, word.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return word.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static let lineEnd = Array("\r\n".utf8)
}
