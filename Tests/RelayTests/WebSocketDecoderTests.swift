import Testing

@testable import Relay

@Suite("The WebSocket's frames")
struct WebSocketDecoderTests {
  typealias Event = WebSocketDecoder.Event

  private func frame(_ operation: UInt8, _ text: String, isFinal: Bool = true) -> [UInt8] {
    WebSocketSocket.frame(operation, Array(text.utf8), isFinal: isFinal)
  }

  /// The events of bytes that arrive in pieces of one size, with neighbouring parts of the stream joined.
  private func events(_ bytes: [UInt8], piece: Int) -> [Event] {
    var decoder = WebSocketDecoder()
    var events: [Event] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      for event in decoder.append(Array(bytes[start..<min(start + piece, bytes.count)])) {
        if case .bytes(let more) = event, case .bytes(let before)? = events.last {
          events[events.count - 1] = .bytes(before + more)
        } else {
          events.append(event)
        }
      }
    }
    return events
  }

  @Test("Messages and their fragments are one stream, in which control frames may occur")
  func stream() {
    let long = String(repeating: "x", count: 70_000)
    let bytes =
      frame(2, "ab") + frame(2, "c", isFinal: false) + frame(9, "?") + frame(0, "", isFinal: false)
      + frame(0, "d") + frame(10, "") + frame(2, long) + frame(2, String(long.prefix(300)))
      + frame(8, "\u{3}") + frame(2, "late")
    let expected: [Event] = [
      .bytes(Array("abc".utf8)), .ping(Array("?".utf8)), .bytes(Array("d".utf8)), .pong,
      .bytes([UInt8](repeating: 0x78, count: 70_300)), .close([3]),
    ]
    for piece in [1, 2, 3, 7, 1000, bytes.count] {
      #expect(events(bytes, piece: piece) == expected, "pieces of \(piece)")
    }
  }

  @Test("A frame is passed on as it arrives, whatever length it announces")
  func huge() {
    var decoder = WebSocketDecoder()
    #expect(decoder.append(WebSocketSocket.head(2, 1 << 40)) == [])
    for _ in 0..<100 {
      let events = decoder.append([0x11, 0x22, 0x33, 0x44])
      #expect(events == [.bytes([0, 0, 0, 0])])
    }
  }

  @Test(
    "A violation of the protocol is refused",
    arguments: [
      ([0x82, 0x01, 0], .unmasked), ([0xc2], .reservedBits), ([0x83], .unknownOperation),
      ([0x8b], .unknownOperation), ([0x81], .notBinary), ([0x80, 0x81], .continuation),
      (WebSocketSocket.frame(2, [], isFinal: false) + WebSocketSocket.frame(2, []), .continuation),
      ([0x89, 0xfe], .controlFrame), ([0x09, 0x80], .controlFrame), ([0x88, 0xff], .controlFrame),
      ([0x82, 0xfe, 0, 125, 0, 0, 0, 0], .length),
      ([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], .length),
      ([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .length),
    ] as [([UInt8], WebSocketDecoder.Violation)])
  func violations(bytes: [UInt8], violation: WebSocketDecoder.Violation) {
    for piece in [1, bytes.count] {
      #expect(events(bytes, piece: piece).last == .violated(violation))
    }
  }

  @Test(
    "The server's frames have the shortest length, and no mask",
    arguments: [0, 125, 126, 65_535, 65_536])
  func heads(length: Int) {
    let head = WebSocketFrame.head(ofMessage: length)
    #expect(head[0] == 0x82 && head[1] & 0x80 == 0)
    #expect(head.count == (length < 126 ? 2 : length < 65_536 ? 4 : 10))
    #expect(head.dropFirst(head.count == 2 ? 1 : 2).reduce(0) { $0 << 8 | Int($1) } == length)
  }
}
