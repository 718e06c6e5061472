import BrokerTesting
import Crypto
import Foundation
import GroupActivities
import NATSProtocol
import Relay
import Testing

@testable import NATSTransport

/// Credentials from an operator, and servers that require them.
@Suite("Credentials")
struct CredentialsTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  private func withFile<Value>(
    _ text: String, mode: Int = 0o600, _ body: (String) async throws -> Value
  ) async throws -> Value {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("credentials-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode]))
    return try await body(path)
  }

  private func transport(_ server: String, _ credentials: String?) throws -> NATSTransport {
    var configuration = try NATSConfiguration.patient([server])
    configuration.credentials = try credentials.map { try BrokerCredentials(contentsOf: $0) }
    return NATSTransport(configuration: configuration, admission: key, logger: .silent)
  }

  @Test("A broker between a client and a relay is admitted in the client's place, once")
  func relayedChallenge() async throws {
    var configuration = RelayConfiguration(
      admission: .only([key.publicKey]), host: "127.0.0.1", port: 0)
    // However slow the machine is.
    configuration.limits.authorizationTimeout = .seconds(60)
    let relay = Relay(configuration: configuration, logger: .silent)
    try await relay.start()
    let port = try #require(relay.boundPort)
    let first = try PlainSocket(port: port)
    let second = try PlainSocket(port: port)
    let falseBroker = try MuteServer(nonces: [try first.readNonce()])
    _ = try second.readNonce()
    let client = try transport("127.0.0.1:\(falseBroker.port)", nil)
    try await client.connect()
    let greeting = try #require(falseBroker.connects.first)
    first.send(greeting + "\r\nPING\r\n")
    try first.read(until: "PONG\r\n")
    // Its answer is to that challenge alone.
    second.send(greeting + "\r\nPING\r\n")
    #expect(String(decoding: try second.readToEnd(), as: UTF8.self).contains("Authorization"))
    // Admission is to the party's messages as they are sealed; a member's connection isn't affected.
    let other = try transport("127.0.0.1:\(port)", nil)
    let events = EventRecorder(other)
    try await other.connect()
    try await other.subscribe(to: prefix + ".all")
    first.send("SUB \(prefix).all 1\r\nPUB \(prefix).all 5\r\nhello\r\n")
    #expect(try await events.text() == "hello")
    await other.close()
    await client.close()
    await relay.shutdown()
  }

  @Test("with a JWT admit to a server that knows only its operator")
  func jwt() async throws {
    let authority = Operator()
    try await NATSServer.run(authority.serverSettings) { server in
      try await withFile(authority.credentials()) { path in
        let transport = try transport(server.address, path)
        let events = EventRecorder(transport)
        try await transport.connect()
        try await transport.subscribe(to: prefix + ".all")
        let other = try self.transport(server.address, path)
        try await other.connect()
        try other.publish([1], to: prefix + ".all")
        #expect(try await events.message().payload == [1])
        // The operator's permissions apply.
        await #expect(throws: TransportError.self) { try await other.subscribe(to: "others.>") }
        await transport.close()
        await other.close()
      }
      // Neither without credentials, nor with those of another operator.
      let stranger = try transport(server.address, nil)
      let error = await #expect(throws: TransportError.self) { try await stranger.connect() }
      #expect(error?.kind == .refused)
      await stranger.close()
      try await withFile(Operator().credentials()) { path in
        let transport = try transport(server.address, path)
        let error = await #expect(throws: TransportError.self) { try await transport.connect() }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("rejects the credentials in \(path)") == true)
        await transport.close()
      }
    }
  }

  @Test("Expired credentials are reported as expired")
  func expired() async throws {
    let authority = Operator()
    let expiry = Date(timeIntervalSince1970: 1_600_000_000)
    try await NATSServer.run(authority.serverSettings) { server in
      try await withFile(authority.credentials(expiry: expiry)) { path in
        let transport = try transport(server.address, path)
        let error = await #expect(throws: TransportError.self) { try await transport.connect() }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("expired on 2020-09-13") == true)
        await transport.close()
      }
    }
  }

  @Test("A seed alone is enough for a server that knows the key")
  func seed() async throws {
    let user = Curve25519.Signing.PrivateKey()
    let name = NKey.text(of: Array(user.publicKey.rawRepresentation), role: .user)
    let seed = NKey.text(ofSeed: Array(user.rawRepresentation), role: .user)
    try await NATSServer.run("authorization { users = [{ nkey: \(name) }] }") { server in
      try await withFile(seed + "\n") { path in
        let transport = try transport(server.address, path)
        try await transport.connect()
        await transport.close()
      }
    }
  }

  @Test("A JWT names the key, so that CONNECT doesn't")
  func greeting() async throws {
    try await withFile(Operator().credentials()) { path in
      let credentials = try BrokerCredentials(contentsOf: path)
      let server = try MuteServer(nonces: ["nonce"])
      let transport = try transport("127.0.0.1:\(server.port)", path)
      try await transport.connect()
      #expect(server.connects.count == 1)
      let jwt = try #require(credentials.jwt)
      #expect(server.connects[0].contains("\"jwt\":\"\(jwt)\""))
      #expect(!server.connects[0].contains("\"nkey\""))
      await transport.close()
    }
  }

  @Test(
    "Credentials in a file that others can read are recognized",
    arguments: [0o600, 0o400, 0o640, 0o604])
  func mode(mode: Int) async throws {
    try await withFile(Operator().credentials(), mode: mode) { path in
      let credentials = try BrokerCredentials(contentsOf: path)
      #expect(credentials.isReadableByOthers == (mode & 0o044 != 0))
    }
  }

  @Test("A file without credentials is refused with a reason that never repeats its content")
  func damage() async throws {
    let good = try Operator().credentials()
    let seed = try #require(good.split(separator: "\n").first { $0.hasPrefix("SU") })
    let damaged = [
      "", "nothing", good.replacingOccurrences(of: seed, with: seed.dropLast() + "1"),
      good.replacingOccurrences(of: "eyJ", with: "ey\"J"),
      good.replacingOccurrences(of: ".", with: ""),
    ]
    for text in damaged {
      try await withFile(text) { path in
        let error = #expect(throws: BrokerCredentials.Failure.self) {
          try BrokerCredentials(contentsOf: path)
        }
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains(seed.prefix(20)) == false)
      }
    }
    for (path, reason) in [("/no/such/file", "no such file"), ("/", "directory")] {
      let error = #expect(throws: BrokerCredentials.Failure.self) {
        try BrokerCredentials(contentsOf: path)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
    try await withFile(good) { path in
      let credentials = try BrokerCredentials(contentsOf: path)
      #expect("\(credentials)" == "the credentials in \(path)")
    }
  }
}
