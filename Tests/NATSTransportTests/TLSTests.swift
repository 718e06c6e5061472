import BrokerTesting
import Foundation
import GroupActivities
import ProcessTesting
import Relay
import Testing

@testable import NATSTransport

/// The identity of a server, and the protection of all data from others.
@Suite("TLS", .serialized)
struct TLSTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  private func withCertificates(_ body: (Certificates) async throws -> Void) async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    try await body(certificates)
  }

  private func transport(_ servers: [String], authority: String? = nil) throws -> NATSTransport {
    var configuration = try NATSConfiguration.patient(servers)
    configuration.trustedCertificates = try authority.map {
      try TrustedCertificates(contentsOf: $0)
    }
    configuration.patientReconnectWait = .milliseconds(300)
    return NATSTransport(configuration: configuration, admission: key, logger: .silent)
  }

  @Test(
    "TLS is used if the address asks for it, by name or number",
    arguments: ["tls://127.0.0.1", "tls://localhost", "127.0.0.1", "nats://localhost"])
  func connects(address: String) async throws {
    try await withCertificates { certificates in
      let settings = try certificates.serverSettings(names: ["DNS:localhost", "IP:127.0.0.1"])
      try await NATSServer.run(settings + "\n" + natsServerSettings(key)) { server in
        let transport = try transport(
          ["\(address):\(server.port)"], authority: certificates.authority)
        let events = EventRecorder(transport)
        try await transport.connect()
        try await events.connected()
        try await transport.subscribe(to: prefix + ".all")
        let other = try self.transport(
          ["\(address):\(server.port)"], authority: certificates.authority)
        try await other.connect()
        try other.publish([7], to: prefix + ".all")
        #expect(try await events.message().payload == [7])
        await transport.close()
        await other.close()
      }
    }
  }

  /// A fault of a certificate, and the reported advice.
  enum Flaw: CaseIterable {
    case unknownSigner, unknownToSystem, wrongName, expired

    var words: [String] {
      switch self {
      case .unknownSigner: ["isn't trusted", "--relay-ca doesn't contain"]
      case .unknownToSystem: ["isn't trusted", "give the signer's certificate with --relay-ca"]
      case .wrongName: ["isn't valid for 127.0.0.1"]
      case .expired: ["has expired"]
      }
    }
  }

  @Test("A server that can't prove its identity isn't used", arguments: Flaw.allCases)
  func untrusted(flaw: Flaw) async throws {
    try await withCertificates { certificates in
      let settings = try certificates.serverSettings(
        names: flaw == .wrongName ? ["DNS:example.org"] : ["IP:127.0.0.1"],
        hasExpired: flaw == .expired)
      let others = try Certificates()
      defer { others.remove() }
      let authority: String? =
        switch flaw {
        case .unknownSigner: others.authority
        case .unknownToSystem: nil
        case .wrongName, .expired: certificates.authority
        }
      try await NATSServer.run(settings) { server in
        for scheme in flaw == .unknownToSystem ? ["tls://", ""] : ["tls://"] {
          let transport = try transport([scheme + server.address], authority: authority)
          let error = await #expect(throws: TransportError.self) { try await transport.connect() }
          #expect(error?.kind == .untrusted)
          for words in flaw.words {
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
          }
          await transport.close()
        }
      }
    }
  }

  @Test("Nothing is sent in clear text if the address asks for TLS", arguments: [true, false])
  func noFallback(isScheme: Bool) async throws {
    try await withCertificates { certificates in
      let server = try MuteServer(nonces: ["nonce", "nonce"])
      let transport = try transport(
        [(isScheme ? "tls://" : "") + "127.0.0.1:\(server.port)"],
        authority: isScheme ? nil : certificates.authority)
      let error = await #expect(throws: TransportError.self) { try await transport.connect() }
      #expect(error?.kind == .untrusted)
      #expect(error?.description.contains("offers no TLS") == true)
      #expect(server.connects.isEmpty)
      await transport.close()
    }
  }

  @Test("A server that had TLS gets no clear text when it returns without")
  func noFallbackLater() async throws {
    try await withCertificates { certificates in
      // Known by its name only, and trusted by the system: the situation of a guest.
      try await Self.withSystemAuthority(certificates.authority) {
        let settings = try certificates.serverSettings(names: ["IP:127.0.0.1"])
        let (transport, events, port) = try await NATSServer.run(settings) { server in
          let transport = try self.transport([server.address])
          let events = EventRecorder(transport)
          try await transport.connect()
          return (transport, events, server.port)
        }
        try await events.disconnected()
        try await NATSServer.run("", port: port) { server in
          let warning = try await events.warning()
          #expect(warning.contains("offers no TLS"))
        }
        try await NATSServer.run(settings, port: port) { _ in _ = try await events.connected() }
        await transport.close()
      }
    }
  }

  @Test("An address that asks for TLS without a proof doesn't affect the others")
  func strangerWithTLS() async throws {
    try await withCertificates { certificates in
      let settings = try certificates.serverSettings(names: ["DNS:example.org"])
      try await NATSServer.run(settings) { stranger in
        try await withRelay(key) { relay in
          let good = "127.0.0.1:\(relay.boundPort!)"
          let transport = try transport([stranger.address, good])
          let events = EventRecorder(transport)
          try await transport.connect()
          #expect(try await events.connected() == good)
          await transport.close()
        }
      }
    }
  }

  @Test("Bytes between INFO and the handshake end the connection")
  func injected() async throws {
    try await withCertificates { certificates in
      let server = try HangingServer(after: "PING\r\n")
      let transport = try transport(
        ["127.0.0.1:\(server.port)"], authority: certificates.authority)
      let error = await #expect(throws: TransportError.self) { try await transport.connect() }
      #expect(error?.description.contains("broke the NATS protocol") == true)
      await transport.close()
    }
  }

  @Test("TLS begins at once if the address says so")
  func tlsFirst() async throws {
    try await withCertificates { certificates in
      let (chain, key) = try certificates.files(names: ["IP:127.0.0.1"])
      // `handshake_first` is newer than Debian's nats-server.
      let server = Process()
      let (words, heard) = (Pipe(), Pipe())
      let port = Loopback.lastingPort()
      server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      server.arguments =
        ["openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-naccept", "1"]
        + ["-cert", chain, "-key", key]
      server.standardInput = words
      server.standardOutput = heard
      try server.run()
      let output = heard.fileHandleForReading
      func read(until text: String) async throws {
        try await onThread {
          var said = ""
          while !said.contains(text) {
            let data = output.availableData
            guard !data.isEmpty else { throw TestFailure("openssl ended: \(said)") }
            said += String(decoding: data, as: UTF8.self)
          }
        }.get()
      }
      try await read(until: "ACCEPT")
      words.fileHandleForWriting.write(
        Data("INFO {\"tls_required\":true,\"nonce\":\"n\"}\r\nPONG\r\n".utf8))
      let transport = try transport(
        ["tls-first://127.0.0.1:\(port)"], authority: certificates.authority)
      try await transport.connect()
      try await read(until: "CONNECT {")
      kill(server.processIdentifier, SIGKILL)
      await onThread { _ = server.waitForEnd() }
      await transport.close()
    }
  }

  @Test("A server that may use TLS does so for a client that requires it")
  func optionalTLS() async throws {
    try await withCertificates { certificates in
      let settings = try certificates.serverSettings(names: ["IP:127.0.0.1"])
      try await NATSServer.run(settings + "\nallow_non_tls: true") { server in
        let transport = try transport(
          ["tls://\(server.address)"], authority: certificates.authority)
        try await transport.connect()
        await transport.close()
      }
    }
  }

  @Test("A server that never finishes its handshake doesn't delay a client for ever")
  func silentHandshake() async throws {
    let server = try HangingServer()
    var configuration = NATSConfiguration(servers: [try ServerAddress("127.0.0.1:\(server.port)")])
    configuration.connectTimeout = .milliseconds(200)
    let transport = NATSTransport(configuration: configuration, admission: key, logger: .silent)
    for _ in 0..<3 {
      let error = await #expect(throws: TransportError.self) { try await transport.connect() }
      #expect(error?.kind == .unreachable)
      #expect(error?.description.contains("doesn't answer") == true)
    }
    // The client learnt by a first connection that the server begins TLS.
    #expect(server.clients == 4)
    server.hangUp()
    await transport.close()
  }

  @Test("A file without a certificate is no authority")
  func damagedAuthority() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("authority-\(UUID().uuidString).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    try "no certificate".write(to: file, atomically: true, encoding: .utf8)
    for path in [file.path, file.path + ".absent"] {
      let error = #expect(throws: TrustedCertificates.Failure.self) {
        try TrustedCertificates(contentsOf: path)
      }
      #expect(error?.description.contains(path) == true)
    }
  }

  /// Sets the variable that names the system's authorities; each transport reads it.
  private static func withSystemAuthority(
    _ path: String, _ body: () async throws -> Void
  ) async throws {
    setenv("SSL_CERT_FILE", path, 1)
    defer { unsetenv("SSL_CERT_FILE") }
    try await body()
  }
}
