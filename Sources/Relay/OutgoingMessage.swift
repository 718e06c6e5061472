/// A message as its receivers get it, formatted once. Only the receiver's own identifier of the
/// subscription differs; it is in the middle, between head and tail.
struct OutgoingMessage: Sendable {
  private let plain: Parts
  /// For receivers that read headers; nil if there are none.
  private let withHeaders: Parts?

  private struct Parts: Sendable {
    let head: [UInt8]
    let tail: [UInt8]
  }

  init(_ message: ClientMessage) {
    let payload = message.payload
    plain = Self.parts("MSG ", message, sizes: [payload.count], body: [payload])
    withHeaders = message.headers.map { headers in
      Self.parts(
        "HMSG ", message, sizes: [headers.count, headers.count + payload.count],
        body: [headers, payload])
    }
  }

  /// Queues MSG, or HMSG if there are headers and the client reads them.
  func write(to output: inout [UInt8], sid: [UInt8], readsHeaders: Bool) {
    let parts = readsHeaders ? withHeaders ?? plain : plain
    let needed = output.count + parts.head.count + sid.count + parts.tail.count
    // Doubled, because an array reserves exactly as much as it is asked for.
    if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
    output += parts.head
    output += sid
    output += parts.tail
  }

  private static func parts(
    _ word: StaticString, _ message: ClientMessage, sizes: [Int], body: [ArraySlice<UInt8>]
  ) -> Parts {
    var head: [UInt8] = []
    head.reserveCapacity(word.utf8CodeUnitCount + message.subject.bytes.count + 1)
    word.withUTF8Buffer { head.append(contentsOf: $0) }
    head.append(contentsOf: message.subject.bytes)
    head.append(UInt8(ascii: " "))
    var tail: [UInt8] = []
    tail.reserveCapacity(
      32 + (message.reply?.bytes.count ?? 0) + body.reduce(0) { $0 + $1.count })
    tail.append(UInt8(ascii: " "))
    if let reply = message.reply {
      tail.append(contentsOf: reply.bytes)
      tail.append(UInt8(ascii: " "))
    }
    for (position, size) in sizes.enumerated() {
      if position > 0 { tail.append(UInt8(ascii: " ")) }
      tail.append(decimal: size)
    }
    tail.append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    for part in body { tail.append(contentsOf: part) }
    tail.append(contentsOf: [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    return Parts(head: head, tail: tail)
  }
}

extension [UInt8] {
  /// - Parameter value: 0 or more. `String(value)` would allocate for each message.
  fileprivate mutating func append(decimal value: Int) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
