import BrokerTesting
import Foundation
import GroupActivities
import NATSProtocol
import Synchronization
import Testing

@testable import NATSTransport

/// A server that sends bytes that no NATS server sends.
@Suite("A hostile server", .serialized)
struct HostileServerTests {
  @Test(
    "A hostile server only ends the connection, with a reason, and another connection begins",
    arguments: [
      "MSG a 1 2147483647\r\nxx", "HMSG a 1 12 2147483647\r\nxx", "MSG a 1 1500000000\r\n",
      "INFO {\"server_id\":\"",
    ])
  func survives(attack: String) async throws {
    let server = try HostileServer(attack)
    let transport = try NATSTransport.to(["127.0.0.1:\(server.port)"], AdmissionKey())
    let events = EventRecorder(transport)
    try await transport.connect()
    try await events.connected()
    server.strike()
    let reason = try await events.disconnected()
    #expect(reason.contains("broke the NATS protocol"))
    try await events.connected()
    await transport.close()
  }

  @Test("A server that floods its client with lines loses it")
  func flood() async throws {
    let server = try HostileServer(String(repeating: "+OK\r\n", count: 20_000))
    let transport = try NATSTransport.to(["127.0.0.1:\(server.port)"], AdmissionKey())
    let events = EventRecorder(transport)
    try await transport.connect()
    server.strike()
    #expect(try await events.disconnected().contains("too many lines"))
    await transport.close()
  }

  @Test("A server that asks again and again without reading gets one answer")
  func unreadAnswers() async throws {
    let server = try HostileServer(String(repeating: "PING\r\n", count: 9_000), isDeaf: true)
    var configuration = try NATSConfiguration.patient(["127.0.0.1:\(server.port)"])
    configuration.pingInterval = .milliseconds(200)
    configuration.reconnectWait = .seconds(60)
    let transport = NATSTransport(
      configuration: configuration, admission: AdmissionKey(), logger: .silent)
    let events = EventRecorder(transport)
    try await transport.connect()
    server.strike()
    try await events.disconnected()
    await transport.close()
  }

  @Test("Messages for a server that doesn't read are refused, and the connection ends")
  func deaf() async throws {
    let server = try HostileServer("", isDeaf: true)
    var configuration = try NATSConfiguration.patient(["127.0.0.1:\(server.port)"])
    configuration.writeDeadline = .milliseconds(300)
    let transport = NATSTransport(
      configuration: configuration, admission: AdmissionKey(), logger: .silent)
    let events = EventRecorder(transport)
    try await transport.connect()
    let payload = [UInt8](repeating: 0, count: 60_000)
    let error = #expect(throws: TransportError.self) {
      // More than the socket's buffers and the queue hold together.
      for _ in 0..<2000 { try transport.publish(payload, to: "a") }
    }
    #expect(error?.kind == .slow)
    #expect(try await events.disconnected().contains("doesn't read"))
    await transport.close()
  }

  @Test("Hostile bytes are noticed inside TLS too")
  func insideOfTLS() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let settings = try certificates.serverSettings(names: ["IP:127.0.0.1"])
    // More than this program accepts of any server.
    try await NATSServer.run(settings + "\nmax_payload: 16777216\nallow_non_tls: true") { server in
      var configuration = try NATSConfiguration.patient(["tls://\(server.address)"])
      configuration.trustedCertificates = try TrustedCertificates(
        contentsOf: certificates.authority)
      let transport = NATSTransport(
        configuration: configuration, admission: AdmissionKey(), logger: .silent)
      let events = EventRecorder(transport)
      try await transport.connect()
      try await transport.subscribe(to: "a")
      try await events.connected()
      func publish(_ size: Int) async throws {
        let port = server.port
        try await onThread {
          let socket = try PlainSocket(port: port)
          socket.send("CONNECT {\"verbose\":false}\r\nPUB a \(size)\r\n")
          socket.send([UInt8](repeating: 0, count: size))
          socket.send("\r\nPING\r\n")
          try socket.read(until: "PONG\r\n")
        }.get()
      }
      try await publish(2 << 20)
      #expect(try await events.message().payload.count == 2 << 20)
      try await publish(ServerOperationParser.messageLimit + 1)
      #expect(try await events.disconnected().contains("broke the NATS protocol"))
      await transport.close()
    }
  }
}

/// A server that waits for the command to send its attack to all of its clients.
private final class HostileServer: Sendable {
  private let listener: Listener
  private let attack: String
  private let isDeaf: Bool
  private let clients = Mutex<[CInt]>([])

  /// - Parameter isDeaf: a Boolean value that indicates whether it reads nothing after the greeting.
  init(_ attack: String, isDeaf: Bool = false) throws {
    self.attack = attack
    self.isDeaf = isDeaf
    listener = try Listener()
    let listener = listener
    Thread { [weak self] in
      while let client = try? listener.acceptOne() {
        guard let self else {
          close(client)
          return
        }
        Thread { [weak self] in self?.serve(client) }.start()
      }
    }.start()
  }

  deinit { clients.withLock { for client in $0 { close(client) } } }

  var port: Int { listener.port }

  func strike() {
    let present = clients.withLock { clients in
      defer { clients = [] }
      return clients
    }
    for client in present {
      // More than the announced size would come: the client must not wait for it.
      for text in [attack, String(repeating: "x", count: 1 << 20)] { Self.say(text, client) }
    }
  }

  private func serve(_ client: CInt) {
    Self.say(
      "INFO {\"server_id\":\"x\",\"version\":\"2.9.0\",\"proto\":1,\"max_payload\":65536}\r\n",
      client)
    clients.withLock { $0.append(client) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      let text = String(decoding: buffer.prefix(count), as: UTF8.self)
      for _ in text.components(separatedBy: "PING\r\n").dropFirst() {
        Self.say("PONG\r\n", client)
        if isDeaf { return }
      }
    }
  }

  private static func say(_ text: String, _ client: CInt) {
    _ = text.withCString { send(client, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
  }
}
