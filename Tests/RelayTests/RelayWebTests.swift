import BrokerTesting
import Foundation
import GroupActivities
import Testing

@testable import Relay

/// The relay's only port: NATS, WebSocket and HTTP.
@Suite("The relay's port")
struct RelayWebTests {
  private let greeting = Greeting(key: AdmissionKey())

  /// Runs `body` on a thread with the port of a relay.
  private func withPort<Value: Sendable>(
    _ change: (inout RelayConfiguration.Limits) -> Void = { _ in },
    _ body: @escaping @Sendable (Int) throws -> Value
  ) async throws -> Value {
    var configuration = RelayConfiguration(admission: .anyKey, host: "127.0.0.1")
    configuration.limits.pingInterval = .seconds(60)
    change(&configuration.limits)
    return try await withRelay(configuration) { relay in
      let port = try #require(relay.boundPort)
      return try await onThread { try body(port) }.get()
    }
  }

  @Test("Members with a WebSocket and with a plain socket are in one party")
  func party() async throws {
    let greeting = greeting
    try await withPort { port in
      let (web, plain) = (try PlainSocket(port: port), try PlainSocket(port: port))
      try web.upgrade()
      let bytes = try web.read(until: "}\r\n")
      let start = try #require(bytes.firstRange(of: Array("INFO ".utf8))).lowerBound
      let info = try Greeting.info(from: Array(bytes[start...].dropLast(2)))
      web.forget()
      web.sendFrames(try greeting.line(nonce: try #require(info["nonce"])))
      web.sendFrames("SUB \(greeting.prefix).a 1\r\nPING\r\n")
      try web.read(until: "PONG\r\n")
      web.forget()
      try plain.greet(greeting)
      plain.send("SUB \(greeting.prefix).b 1\r\nPUB \(greeting.prefix).a 2\r\nhi\r\n")
      // One binary frame without a mask.
      let message = "MSG \(greeting.prefix).a 1 2\r\nhi\r\n"
      #expect(
        try web.read(until: "hi\r\n") == [0x82, UInt8(message.utf8.count)] + Array(message.utf8))
      let long = String(repeating: "x", count: 65_536)
      web.sendFrames("PUB \(greeting.prefix).b 65536\r\n\(long)\r\n", of: 40_000)
      try plain.read(until: "65536\r\n\(long)\r\n")
      // Control frames, and the end.
      web.forget()
      web.send(WebSocketSocket.frame(9, [1, 2, 3]))
      #expect(try web.read(until: "\u{1}\u{2}\u{3}") == [0x8a, 3, 1, 2, 3])
      web.forget()
      web.send(WebSocketSocket.frame(8, [3, 0xe8]))
      #expect(try web.readToEnd() == [0x88, 2, 3, 0xe8])
    }
  }

  @Test(
    "A wrong frame ends the connection with a close frame",
    arguments: [
      ([0x82, 0x01, 0x50], 0xea), ([0x81, 0x80, 0, 0, 0, 0], 0xeb), ([0x89, 0xfe, 0x10, 0], 0xea),
      ([0x80, 0x80, 0, 0, 0, 0], 0xea),
    ] as [([UInt8], UInt8)])
  func wrongFrames(frame: [UInt8], code: UInt8) async throws {
    let answer = try await withPort { port in
      let socket = try PlainSocket(port: port)
      try socket.upgrade()
      socket.forget()
      socket.send(frame)
      return try socket.readToEnd()
    }
    #expect(answer.suffix(4) == [0x88, 2, 3, code])
  }

  @Test("An error of the protocol inside of frames is answered inside of a frame, before the end")
  func wrongBytes() async throws {
    let answer = try await withPort { port in
      let socket = try PlainSocket(port: port)
      try socket.upgrade()
      socket.sendFrames("NONSENSE\r\n")
      return try socket.readToEnd()
    }
    let error = Array("-ERR 'Authorization Violation'\r\n".utf8)
    #expect(
      answer.suffix(error.count + 6) == [0x82, UInt8(error.count)] + error + [0x88, 2, 3, 0xe9])
  }

  @Test(
    "A request that isn't for a WebSocket gets a short answer",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404"), ("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "404"),
      ("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "404"),
      (
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", "404"
      ),
      (
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: short\r\n\r\n", "404"
      ),
      ("GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nbody", "404"),
      ("GARBAGE\r\n\r\n", "400"), ("G\u{1}\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nA: " + String(repeating: "x", count: 20_000), "400"),
    ])
  func answers(request: String, status: String) async throws {
    let answer = try await withPort { port in
      let socket = try PlainSocket(port: port)
      socket.send(request)
      return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(!answer.contains("INFO"))
  }

  @Test("A head that doesn't end is cut off, without a word of another protocol")
  func slowHead() async throws {
    let answer = try await withPort { limits in
      limits.authorizationTimeout = .milliseconds(300)
    } _: { port in
      let socket = try PlainSocket(port: port)
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n")
      return try socket.readToEnd()
    }
    #expect(answer.isEmpty)
  }

  @Test("Without a certificate a TLS handshake is refused")
  func handshake() async throws {
    let answer = try await withPort { port in
      let socket = try PlainSocket(port: port)
      socket.send([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])
      return try socket.readToEnd()
    }
    #expect(answer.isEmpty)
  }

  @Test("A NATS client may speak first, and is greeted at once")
  func speaksFirst() async throws {
    let answer = try await withPort { limits in
      limits.greetingDelay = .seconds(600)
      limits.authorizationTimeout = .seconds(600)
    } _: { port in
      let socket = try PlainSocket(port: port)
      socket.send("PING\r\n")
      return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
    #expect(answer.hasPrefix("INFO ") && answer.hasSuffix("-ERR 'Authorization Violation'\r\n"))
  }
}
