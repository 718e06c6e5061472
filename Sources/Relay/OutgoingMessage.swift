import NATSProtocol

/// A message as its receivers get it, formatted once. Only the receiver's own identifier of the
/// subscription differs; it is in the middle, between head and tail.
struct OutgoingMessage: Sendable {
  private var head = Array("MSG ".utf8)
  private var tail = Array(" ".utf8)

  init(_ message: ClientMessage) {
    head.reserveCapacity(head.count + message.subject.bytes.count + 1)
    head += message.subject.bytes
    head.append(UInt8(ascii: " "))
    tail.reserveCapacity(16 + message.payload.count)
    tail.append(decimal: message.payload.count)
    tail += "\r\n".utf8
    tail += message.payload
    tail += "\r\n".utf8
  }

  /// Queues MSG.
  func write(to output: inout [UInt8], sid: [UInt8]) {
    let needed = output.count + head.count + sid.count + tail.count
    // Doubled, because an array reserves exactly as much as it is asked for.
    if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
    output += head
    output += sid
    output += tail
  }
}
