import BrokerTesting
import Foundation
import GroupActivities
import ProcessTesting
import Testing

@testable import NATSTransport

/// One connection on a real cluster with the shipped configuration.
@Suite("The NATS transport on a cluster", .serialized)
struct ClusterTransportTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  /// Runs `body` with a cluster, with TLS if there are certificates. They are made out to
  /// `localhost`, and the nodes list each other's addresses in numbers.
  private func withCluster(
    isTLS: Bool, _ body: (NATSCluster, Certificates?) async throws -> Void
  ) async throws {
    let certificates = isTLS ? try Certificates() : nil
    defer { certificates?.remove() }
    let shipped = try String(
      contentsOf: NATSCluster.configuration.appendingPathComponent("access.conf"), encoding: .utf8)
    let access = try certificates.map {
      shipped + "\n" + (try $0.serverSettings(names: ["DNS:localhost"]))
    }
    try await NATSCluster.run(access: access) { try await body($0, certificates) }
  }

  private func transport(
    _ node: NATSNode, _ certificates: Certificates? = nil,
    _ change: (inout NATSConfiguration) -> Void = { _ in }
  ) throws -> NATSTransport {
    var configuration = NATSConfiguration(servers: [
      try ServerAddress(certificates == nil ? node.address : "tls://localhost:\(node.port)")
    ])
    configuration.trustedCertificates = try certificates.map {
      try TrustedCertificates(contentsOf: $0.authority)
    }
    change(&configuration)
    return NATSTransport(configuration: configuration, admission: key, logger: .silent)
  }

  /// Returns the limit if times are measured. Otherwise it is half a minute, within which a client
  /// without a notification notices nothing: it would ask after two minutes.
  private func limit(_ measured: Duration) -> Duration {
    Measurement.isWanted ? measured : .seconds(30)
  }

  @Test(
    "A client needs one address to find all nodes, and leaves a dead one at once",
    arguments: [false, true])
  func discovery(isTLS: Bool) async throws {
    try await withCluster(isTLS: isTLS) { cluster, certificates in
      let transport = try transport(cluster.nodes[0], certificates)
      let events = EventRecorder(transport)
      try await transport.connect()
      try await transport.subscribe(to: prefix + ".all")
      #expect(try await events.connected().hasSuffix(":\(cluster.nodes[0].port)"))
      let start = ContinuousClock.now
      await cluster.nodes[0].kill()
      try await events.disconnected()
      let next = try await events.connected()
      #expect(ContinuousClock.now - start < limit(.seconds(2)))
      #expect(cluster.nodes.dropFirst().map(\.address).contains(next))
      await transport.close()
    }
  }

  @Test(
    "A client leaves a frozen node within seconds, whatever was on its way there",
    arguments: [false, true])
  func freeze(isTLS: Bool) async throws {
    try await withCluster(isTLS: isTLS) { cluster, certificates in
      let transport = try transport(cluster.nodes[0], certificates)
      let events = EventRecorder(transport)
      try await transport.connect()
      try await transport.subscribe(to: prefix + ".all")
      try await events.connected()
      let start = ContinuousClock.now
      cluster.nodes[0].freeze()
      // More than the sockets take: the writer is stuck when the connection is given up.
      let payload = [UInt8](repeating: 1, count: 60_000)
      for _ in 0..<60 { try? transport.publish(payload, to: prefix + ".other") }
      try await events.disconnected()
      #expect(ContinuousClock.now - start < limit(.seconds(4)))
      try await events.connected()
      #expect(ContinuousClock.now - start < limit(.seconds(4.5)))
      cluster.nodes[0].thaw()
      await transport.close()
    }
  }

  @Test("A client moves to another node before its own stops, without a lost or doubled message")
  func lameDuck() async throws {
    try await NATSCluster.run { cluster in
      let transport = try transport(cluster.nodes[0])
      let events = EventRecorder(transport)
      try await transport.connect()
      try await transport.subscribe(to: prefix + ".>")
      let other = try self.transport(cluster.nodes[1]) { $0.departureSpread = .seconds(60) }
      try await other.connect()
      // Its own messages must not come back over the connection that it is about to leave.
      let count = 4000
      async let talking: Void = {
        for number in 0..<count {
          try other.publish(Array("\(number)".utf8), to: prefix + ".all")
          try transport.publish(Array("own \(number)".utf8), to: prefix + ".own")
          if number % 2 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
      }()
      await cluster.nodes[0].retire()
      try await talking
      var heard: [String] = []
      while heard.count < count { heard.append(try await events.text()) }
      try other.publish(Array("end".utf8), to: prefix + ".all")
      #expect(try await events.text() == "end")
      #expect(Set(heard).count == count)
      #expect(!heard.contains { $0.hasPrefix("own") })
      let servers = events.events.compactMap { event in
        if case .connected(let server) = event { server } else { nil as String? }
      }
      #expect(servers.count == 2)
      #expect(!events.events.contains { if case .disconnected = $0 { true } else { false } })
      await transport.close()
      await other.close()
    }
  }

  @Test("Without a key a client has access to the subjects of parties, and to no others")
  func permissions() async throws {
    try await NATSCluster.run(nodes: 1) { cluster in
      let transport = try transport(cluster.nodes[0])
      try await transport.connect()
      try await transport.subscribe(to: prefix + ".all")
      for subject in [">", "other.>", "$SYS.>"] {
        let error = await #expect(throws: TransportError.self) {
          try await transport.subscribe(to: subject)
        }
        #expect(error?.kind == .refused)
      }
      let error = #expect(throws: TransportError.self) {
        try transport.publish([UInt8](repeating: 0, count: 64 << 10 + 1), to: prefix + ".all")
      }
      #expect(error?.kind == .payloadTooLarge)
      await transport.close()
    }
  }
}
