import BrokerTesting
import GroupActivities
import Relay
import Testing

@testable import NATSTransport

/// Matinee's relay with TLS and WebSocket, as its members reach it.
@Suite("A relay with a certificate")
struct RelayTLSTests {
  private let key = AdmissionKey()
  private var subject: String { PartySubjects(admissionPublicKey: key.publicKey).everyone }

  private func withRelay(
    hasTLS: Bool = true, names: [String] = ["IP:127.0.0.1"],
    _ body: (Relay, RelayCertificate?, Certificates) async throws -> Void
  ) async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let certificate = hasTLS ? try make(certificates, names: names) : nil
    var configuration = RelayConfiguration(
      admission: .only([key.publicKey]), host: "127.0.0.1", port: 0)
    configuration.certificate = certificate
    let relay = Relay(configuration: configuration, logger: .silent)
    do {
      try await relay.start()
      try await body(relay, certificate, certificates)
    } catch {
      await relay.shutdown()
      throw error
    }
    await relay.shutdown()
  }

  private func make(
    _ certificates: Certificates, names: [String] = ["IP:127.0.0.1"]
  ) throws -> RelayCertificate {
    let files = try certificates.files(names: names)
    return try RelayCertificate(certificateFile: files.chain, keyFile: files.key)
  }

  /// Sends messages between two members at one address.
  private func converse(_ address: String, authority: String? = nil) async throws {
    let (first, _) = try await NATSTransport.connected(to: [address], key, authority: authority)
    let (second, events) = try await NATSTransport.connected(
      to: [address], key, authority: authority)
    try await events.connected()
    try await second.subscribe(to: subject)
    for size in [0, 5, 300, 65_536] {
      try first.publish([UInt8](repeating: 7, count: size), to: subject)
      #expect(try await events.message().payload.count == size)
    }
    await first.close()
    await second.close()
  }

  @Test(
    "Members reach it after its greeting, with TLS first, and with a WebSocket",
    arguments: ["", "tls://", "tls-first://", "wss://"])
  func ways(scheme: String) async throws {
    try await withRelay { relay, _, certificates in
      let address = "\(scheme)127.0.0.1:\(try #require(relay.boundPort))"
      try await converse(address, authority: certificates.authority)
    }
  }

  @Test("Without a certificate a WebSocket needs none")
  func clear() async throws {
    try await withRelay(hasTLS: false) { relay, _, _ in
      try await converse("ws://127.0.0.1:\(try #require(relay.boundPort))")
    }
  }

  @Test("With a certificate nothing goes over a WebSocket in clear text")
  func plainWebSocket() async throws {
    try await withRelay { relay, _, _ in
      let client = try NATSTransport.to(
        ["ws://127.0.0.1:\(try #require(relay.boundPort))"], key)
      await #expect(throws: TransportError.self) { try await client.connect() }
      await client.close()
    }
  }

  @Test("An invite's fingerprint proves its identity, and no other certificate does")
  func fingerprint() async throws {
    try await withRelay(names: ["DNS:nowhere.example"]) { relay, certificate, certificates in
      let port = try #require(relay.boundPort)
      let own = try #require(certificate).fingerprint
      let address = try #require(
        Invite.Address(host: "127.0.0.1", port: port, security: .certificate(own)))
      #expect(Invite.Address(address.text) == address)
      try await converse(address.text)
      #expect(await NATSTransport.reaches(address, admission: key, logger: .silent))
      let other = try make(certificates).fingerprint
      let wrong = try NATSTransport.to(["127.0.0.1:\(port)+\(other.text)"], key)
      let error = await #expect(throws: TransportError.self) { try await wrong.connect() }
      #expect(error?.kind == .untrusted)
      await wrong.close()
    }
  }

  @Test("Another certificate counts for new connections, and those that are open stay")
  func reload() async throws {
    try await withRelay { relay, certificate, certificates in
      let address = "127.0.0.1:\(try #require(relay.boundPort))+"
      let (old, events) = try await NATSTransport.connected(
        to: [address + (try #require(certificate)).fingerprint.text], key)
      try await events.connected()
      try await old.subscribe(to: subject)
      let next = try make(certificates)
      relay.use(next)
      let (new, _) = try await NATSTransport.connected(to: [address + next.fingerprint.text], key)
      try new.publish([9], to: subject)
      #expect(try await events.message().payload == [9])
      await old.close()
      await new.close()
    }
  }

  @Test("Files that aren't a certificate and its key are refused by name")
  func badFiles() throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let (first, second) = (
      try certificates.files(names: ["IP:127.0.0.1"]), try certificates.files(names: ["IP:::1"])
    )
    for (chain, key, named) in [
      (first.chain, second.key, second.key), (first.key, first.key, first.key),
      (first.chain, first.chain, first.chain), ("/nowhere.pem", first.key, "/nowhere.pem"),
    ] {
      let error = #expect(throws: RelayError.self) {
        try RelayCertificate(certificateFile: chain, keyFile: key)
      }
      #expect(error?.kind == .badCertificate)
      #expect(error?.description.hasPrefix(named) == true, "\(error?.description ?? "")")
    }
  }
}
