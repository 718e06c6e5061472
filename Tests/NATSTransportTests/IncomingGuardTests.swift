import BrokerTesting
import CNATS
import Foundation
import GroupActivities
import Synchronization
import Testing

@testable import NATSTransport

/// A server that sends bytes that no NATS server sends.
@Suite("A hostile server", .serialized)
struct IncomingGuardTests {
  private static let hostile = [
    "MSG a 1 2147483647\r\nxx", "MSG a 1 2147483630\r\nxx", "HMSG a 1 12 2147483647\r\nxx",
    "HMSG a 1 2147483647 2147483647\r\nxx", "MSG a 1 1500000000\r\nxx", "MSG a 1 6\r\nxxxxxx\r\n",
    "PING\r\nMSG a 1 9223372036854775807\r\n", "MSG a 1 99999999999999999999999\r\nxx",
    "MSG a 1 -5\r\nxx", "MSG a 1 +5\r\n", "MSG a 1 \r\n", "MSG a 1\r\n", "MSG  a 1 5\r\nxxxxx\r\n",
    "MSG a 1 r s 5\r\nxxxxx\r\n", "msg a 1 2147483647\r\nxx", "MSG\ta\t1\t2147483647\r\nxx",
    "HMSG a 1 9 5\r\nxxxxx\r\n", "MSG a 1 5\nxxxxx\r\n", "MSG a 1 3\r\nxxxMSG a 1 2147483647\r\n",
    "MSG a 1 3\r\nxxx\rMSG a 1 2147483647\r\n", "PING x\r\n", "PINGMSG a 1 2147483647\r\n",
    "+OK\rMSG a 1 2147483647\r\n", "GET / HTTP/1.1\r\n", "\r\n", "\n", "\0\r\n",
  ]

  private static func accepts(_ text: [UInt8], chunk: Int) -> Bool {
    var stream = ServerStream()
    var rest = text[...]
    while !rest.isEmpty {
      let isAccepted = rest.prefix(chunk).withUnsafeBytes { stream.accept($0) }
      guard isAccepted else { return false }
      rest = rest.dropFirst(chunk)
    }
    return true
  }

  @Test(
    "A hostile server's bytes are refused, however they are split", arguments: hostile,
    [1, 2, 7, 4096])
  func refused(text: String, chunk: Int) {
    let before = "INFO {\"max_payload\":5}\r\nPONG\r\nMSG a 1 0\r\n\r\n"
    #expect(Self.accepts(Array(before.utf8), chunk: chunk))
    #expect(!Self.accepts(Array((before + text).utf8), chunk: chunk))
  }

  @Test(
    "Endless lines are refused before they take memory", arguments: ["MSG ", "INFO ", "x", "-ERR "])
  func endless(start: String) {
    var stream = ServerStream()
    let part = Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 8192)
    var count = 0
    while part.withUnsafeBytes({ stream.accept($0) }), count < 1000 { count += 1 }
    #expect(count <= 8)
  }

  @Test(
    "The bytes of real servers pass, however they are split", arguments: [1, 2, 3, 1000, 1 << 20])
  func honest(chunk: Int) {
    let payload = String(repeating: "MSG a 1 9999999\r\n", count: 4000)
    let text = """
      INFO {"server_id":"x","max_payload":1048576,"connect_urls":["[::1]:4222"]} \r\nPING\r\nPONG\r\n+OK\r
      -ERR 'Permissions Violation for Subscription to "a.>"'\r\nMSG a.b 12 \(payload.utf8.count)\r\n\(payload)\r
      MSG a.b 12 _INBOX.x 0\r\n\r\nHMSG _INBOX.x 1 16 16\r\nNATS/1.0 503\r\n\r\n\r
      HMSG a 1 r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nINFO {"ldm":true}\r\nPING\r\n
      """
    #expect(Self.accepts(Array(text.utf8), chunk: chunk))
  }

  @Test(
    "A hostile server only ends the connection, with a reason, and another connection begins",
    arguments: [
      "MSG a 1 2147483647\r\nxx", "HMSG a 1 12 2147483647\r\nxx", "MSG a 1 1500000000\r\n",
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

  @Test("Hostile bytes are noticed inside TLS too")
  func insideOfTLS() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let settings = try certificates.serverSettings(names: ["IP:127.0.0.1"])
    // More than this program accepts of any server.
    try await NATSServer.run(settings + "\nmax_payload: 16777216") { server in
      var configuration = try NATSConfiguration.patient(["tls://\(server.address)"])
      configuration.trustedCertificates = try TrustedCertificates(
        contentsOf: certificates.authority)
      let transport = NATSTransport(
        configuration: configuration, admission: AdmissionKey(), logger: .silent)
      let events = EventRecorder(transport)
      try await transport.connect()
      try await transport.subscribe(to: "a")
      try await events.connected()
      let pem = try String(contentsOfFile: certificates.authority, encoding: .utf8)
      func publish(_ size: Int) async throws {
        try await onThread { try Self.publish(size, to: "tls://\(server.address)", trusting: pem) }
          .get()
      }
      try await publish(2 << 20)
      #expect(try await events.message().payload.count == 2 << 20)
      try await publish(ServerStream.messageLimit + 1)
      #expect(try await events.disconnected().contains("broke the NATS protocol"))
      await transport.close()
    }
  }
}

extension IncomingGuardTests {
  /// Publishes zeros with libnats itself, which has no limit of its own.
  private static func publish(_ size: Int, to url: String, trusting pem: String) throws {
    var options: OpaquePointer?
    natsOptions_Create(&options)
    defer { natsOptions_Destroy(options) }
    natsOptions_SetURL(options, url)
    natsOptions_SetCATrustedCertificates(options, pem)
    var connection: OpaquePointer?
    guard natsConnection_Connect(&connection, options) == NATS_OK else {
      throw TestFailure("can't connect to \(url)")
    }
    defer { natsConnection_Destroy(connection) }
    let payload = [UInt8](repeating: 0, count: size)
    guard natsConnection_Publish(connection, "a", payload, CInt(size)) == NATS_OK,
      natsConnection_FlushTimeout(connection, 20_000) == NATS_OK
    else { throw TestFailure("can't publish \(size) bytes") }
  }
}

/// A server that waits for the command to send its attack to all of its clients.
private final class HostileServer: Sendable {
  private let listener: Listener
  private let attack: String
  private let clients = Mutex<[CInt]>([])

  init(_ attack: String) throws {
    self.attack = attack
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
      for _ in text.components(separatedBy: "PING\r\n").dropFirst() { Self.say("PONG\r\n", client) }
    }
  }

  private static func say(_ text: String, _ client: CInt) {
    _ = text.withCString { send(client, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
  }
}
