import BrokerTesting
import Crypto
import Foundation
import GroupActivities
import ProcessTesting
import Synchronization
import Testing

@testable import NATSTransport

/// NATS inside of WebSocket frames, as `nats-server` speaks it.
@Suite("WebSocket")
struct WebSocketTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  private func checkMessages(_ address: String, authority: String? = nil) async throws {
    let (first, _) = try await NATSTransport.connected(to: [address], key, authority: authority)
    let (second, events) = try await NATSTransport.connected(
      to: [address], key, authority: authority)
    try await second.subscribe(to: prefix + ".all")
    let payloads: [[UInt8]] = [
      [], [0], Array(0...255), [UInt8](repeating: 7, count: 65536), Array("\r\nPING\r\n".utf8),
    ]
    for payload in payloads { try first.publish(payload, to: prefix + ".all") }
    for payload in payloads { #expect(try await events.message().payload == payload) }
    for number in 0..<600 { try first.publish(Array("\(number)".utf8), to: prefix + ".all") }
    for number in 0..<600 { #expect(try await events.text() == "\(number)") }
    await first.close()
    await second.close()
  }

  @Test("ws:// leads to a server's WebSocket listener")
  func clear() async throws {
    let settings = "websocket { host: \"127.0.0.1\", port: -1, no_tls: true }\n"
    try await NATSServer.run(settings + natsServerSettings(key)) { server in
      try await checkMessages("ws://127.0.0.1:\(try #require(server.webSocketPort))")
    }
  }

  @Test("wss:// leads to one with TLS, whose certificate is verified", arguments: [true, false])
  func secure(isTrusted: Bool) async throws {
    let certificates = try Certificates()
    let others = try Certificates()
    defer {
      certificates.remove()
      others.remove()
    }
    let tls = try certificates.serverSettings(names: ["IP:127.0.0.1"])
    let settings = "websocket { host: \"127.0.0.1\", port: -1, \(tls) }\n"
    try await NATSServer.run(settings + natsServerSettings(key)) { server in
      let place = "127.0.0.1:\(try #require(server.webSocketPort))"
      if isTrusted {
        // With an authority nothing is sent in clear text, whatever the address says.
        for scheme in ["wss", "ws"] {
          try await checkMessages("\(scheme)://\(place)", authority: certificates.authority)
        }
      } else {
        let transport = try NATSTransport.to(
          ["wss://\(place)"], key, authority: others.authority)
        let error = await #expect(throws: TransportError.self) { try await transport.connect() }
        #expect(error?.kind == .untrusted)
        #expect(error?.description.contains("isn't trusted") == true)
        await transport.close()
      }
    }
  }

  @Test("A server without WebSocket is reported")
  func wrongServer() async throws {
    let answers = [
      "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
        + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
      "INFO {}\r\n", "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1 << 20),
    ]
    for answer in answers {
      let server = try WebSocketServer { _ in Array(answer.utf8) }
      let transport = try NATSTransport.to(["ws://127.0.0.1:\(server.port)"], key)
      let error = await #expect(throws: TransportError.self) { try await transport.connect() }
      #expect(error?.kind == .unreachable)
      #expect(
        error?.description.contains("doesn't speak WebSocket") == true,
        "\(answer.prefix(20)): \(error?.description ?? "")")
      // Relays behind one address are told apart by it.
      #expect(server.request.contains("Host: 127.0.0.1:\(server.port)"))
      await transport.close()
    }
  }

  /// Frames that no server may send, after INFO in a proper one.
  private static let hostile: [[UInt8]] = [
    [0x82, 0x80, 1, 2, 3, 4],  // masked
    [0xC2, 0x00],  // an extension that wasn't agreed upon
    [0x81, 0x01, 0x2B],  // text
    [0x80, 0x01, 0x2B],  // a continuation of nothing
    [0x02, 0x00, 0x82, 0x00],  // a message inside of a message
    [0x89, 0x7E, 0x00, 0x80] + [UInt8](repeating: 0, count: 128),  // a large ping
    [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],  // a frame of exabytes
    [0x83, 0x00],  // no such kind
  ]

  @Test("A server's frames against the rules end the connection", arguments: hostile)
  func hostileFrames(frame: [UInt8]) async throws {
    let info = Array("INFO {\"server_id\":\"x\"}\r\n".utf8)
    let server = try WebSocketServer { key in
      WebSocketServer.agreement(key) + [0x82, UInt8(info.count)] + info + frame
    }
    let transport = try NATSTransport.to(["ws://127.0.0.1:\(server.port)"], key)
    let error = await #expect(throws: TransportError.self) { try await transport.connect() }
    #expect(error?.description.contains("broke") == true, "\(error?.description ?? "")")
    await transport.close()
  }
}

/// A server that answers the request for an upgrade with any bytes, and reads until its client hangs up.
private final class WebSocketServer: Sendable {
  private let listener: Listener
  private let head = Mutex("")

  /// - Parameter answer: makes the answer from the request's key.
  init(_ answer: @escaping @Sendable (String) -> [UInt8]) throws {
    listener = try Listener()
    let listener = listener
    Thread { [self] in
      guard let client = try? listener.acceptOne() else { return }
      var request = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !request.contains("\r\n\r\n") {
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        request += String(decoding: buffer.prefix(count), as: UTF8.self)
      }
      head.withLock { $0 = request }
      let key = request.split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("sec-websocket-key: ")
      }
      var rest = answer(String(key?.dropFirst("sec-websocket-key: ".count) ?? ""))[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      while recv(client, &buffer, buffer.count, 0) > 0 {}
      close(client)
    }.start()
  }

  var port: Int { listener.port }

  /// The request's lines.
  var request: [Substring] { head.withLock { $0.split(separator: "\r\n") } }

  /// Returns a proper answer (RFC 6455 §4.2.2).
  static func agreement(_ key: String) -> [UInt8] {
    let hash = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Array(
      ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(Data(hash).base64EncodedString())\r\n\r\n").utf8)
  }
}
