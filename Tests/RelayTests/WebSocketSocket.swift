import BrokerTesting
import Foundation
import ProcessTesting

/// The frames of a WebSocket client, made by hand.
enum WebSocketSocket {
  private static let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  /// Returns a masked frame.
  static func frame(_ operation: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    head(operation, payload.count, isFinal: isFinal)
      + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  /// Returns the head of a masked frame.
  static func head(_ operation: UInt8, _ length: Int, isFinal: Bool = true) -> [UInt8] {
    var head = [(isFinal ? 0x80 : 0) | operation]
    switch length {
    case ..<126: head.append(0x80 | UInt8(length))
    case ..<(1 << 16): head += [0xfe, UInt8(length >> 8), UInt8(length & 0xff)]
    case _:
      head += [0xff] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    }
    return head + mask
  }
}

extension PlainSocket {
  /// Changes to a WebSocket, and forgets the answer.
  func upgrade() throws {
    send(
      "GET /any HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    let answer = String(decoding: try read(until: "\r\n\r\n"), as: UTF8.self)
    guard answer.hasPrefix("HTTP/1.1 101 ") else { throw TestFailure(answer) }
  }

  /// Sends text in binary frames of a few bytes each.
  func sendFrames(_ text: String, of size: Int = 7) {
    let bytes = Array(text.utf8)
    let frames = stride(from: 0, to: bytes.count, by: size).map { start in
      WebSocketSocket.frame(
        start == 0 ? 2 : 0, Array(bytes[start..<min(start + size, bytes.count)]),
        isFinal: start + size >= bytes.count)
    }
    send(Array(frames.joined()))
  }
}
