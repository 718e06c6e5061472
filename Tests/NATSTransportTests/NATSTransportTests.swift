import BrokerTesting
import GroupActivities
import ProcessTesting
import Relay
import Testing

@testable import NATSTransport

/// The behaviour that only a transport over a network needs.
@Suite("The NATS transport")
struct NATSTransportTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  // MARK: Servers

  @Test("It needs no key for a server that asks for none")
  func withoutAuthorization() async throws {
    try await NATSServer.run("") { server in
      let (transport, events) = try await NATSTransport.connected(to: [server.address], key)
      #expect(try await events.connected() == server.address)
      try await transport.subscribe(to: prefix + ".all")
      await transport.close()
    }
  }

  @Test("It takes a user and password from the address, and shows neither")
  func password() async throws {
    let settings = #"authorization { user: "ana", password: "s3cret" }"#
    try await NATSServer.run(settings) { server in
      let (transport, events) = try await NATSTransport.connected(
        to: ["nats://ana:s3cret@\(server.address)"], key)
      #expect(try await events.connected() == server.address)
      await transport.close()

      let wrong = try NATSTransport.to(["nats://ana:wr0ng@\(server.address)"], key)
      let error = await #expect(throws: TransportError.self) { try await wrong.connect() }
      #expect(error?.kind == .refused)
      #expect(error?.description.contains("wr0ng") == false)
      await wrong.close()
    }
  }

  @Test("A wrong key is reported, and it can connect again", arguments: [true, false])
  func wrongKey(isRelay: Bool) async throws {
    func check(_ address: String) async throws {
      let transport = try NATSTransport.to([address], AdmissionKey())
      for _ in 0..<2 {
        let error = await #expect(throws: TransportError.self) { try await transport.connect() }
        #expect(error?.kind == .refused)
        #expect(error?.description == "\(address): Authorization Violation")
      }
      await transport.close()
    }
    if isRelay {
      try await withRelay(key) { try await check("127.0.0.1:\($0.boundPort!)") }
    } else {
      try await NATSServer.run(natsServerSettings(key)) { try await check($0.address) }
    }
  }

  @Test("The error names all addresses if none of them answers")
  func unreachable() async throws {
    let first = Loopback.lastingPort()
    let second = Loopback.lastingPort()
    let transport = try NATSTransport.to(["127.0.0.1:\(first)", "nats://a:b@[::1]:\(second)"], key)
    let error = await #expect(throws: TransportError.self) { try await transport.connect() }
    #expect(error?.kind == .unreachable)
    #expect(error?.description.contains("127.0.0.1:\(first)") == true)
    #expect(error?.description.contains("[::1]:\(second)") == true)
    #expect(error?.description.contains("a:b") == false)
    await transport.close()
  }

  @Test("It signs the challenge, and asks for neither echo nor headers")
  func greeting() async throws {
    let server = try MuteServer(nonces: ["nonce"])
    let transport = try NATSTransport.to(["127.0.0.1:\(server.port)"], key)
    try await transport.connect()
    let greeting = Greeting(key: key)
    for member in [
      "\"sig\":\"\(try greeting.signature(of: "nonce"))\"", "\"nkey\":\"\(greeting.nkey)\"",
      "\"echo\":false", "\"headers\":false", "\"verbose\":false",
    ] { #expect(server.connects.first?.contains(member) == true, "\(member)") }
    await transport.close()
  }

  @Test("It uses the address that answers, whatever the others do")
  func manyAddresses() async throws {
    try await withRelay(key) { relay in
      let silent = try SilentServer()
      let dead = Loopback.lastingPort()
      let good = "127.0.0.1:\(relay.boundPort!)"
      // Another party's relay, which answers first and refuses.
      try await withRelay(AdmissionKey()) { other in
        let transport = try NATSTransport.to(
          [
            "127.0.0.1:\(other.boundPort!)", "127.0.0.1:\(silent.port)", "127.0.0.1:\(dead)", good,
          ], key)
        let events = EventRecorder(transport)
        #expect(transport.server == nil)
        try await transport.connect()
        #expect(try await events.connected() == good)
        #expect(transport.server?.description == good)
        await transport.close()
      }
    }
  }

  @Test("The error has the answer of every address, if none is usable")
  func everyFailure() async throws {
    let silent = try SilentServer()
    let dead = Loopback.lastingPort()
    try await withRelay(AdmissionKey()) { other in
      let addresses = [other.boundPort!, silent.port, dead].map { "127.0.0.1:\($0)" }
      var configuration = NATSConfiguration(
        servers: try addresses.map { address in try ServerAddress(address) })
      // The other two must answer within it.
      configuration.connectTimeout = .seconds(3)
      let transport = NATSTransport(configuration: configuration, admission: key, logger: .silent)
      let error = await #expect(throws: TransportError.self) { try await transport.connect() }
      #expect(error?.kind == .refused)
      let said = error?.description.components(separatedBy: "; ") ?? []
      #expect(
        Set(said) == [
          "\(addresses[0]): Authorization Violation",
          "\(addresses[1]) accepts connections, but doesn't answer",
          "\(addresses[2]) doesn't answer",
        ])
      await transport.close()
    }
  }

  @Test("It waits no longer than the time limit for a silent server")
  func silentServer() async throws {
    let silent = try SilentServer()
    var configuration = NATSConfiguration(servers: [try ServerAddress("127.0.0.1:\(silent.port)")])
    configuration.connectTimeout = .milliseconds(200)
    let transport = NATSTransport(configuration: configuration, admission: key, logger: .silent)
    let error = await #expect(throws: TransportError.self) { try await transport.connect() }
    #expect(error?.kind == .unreachable)
    await transport.close()
  }

  @Test("It closes at once while a server keeps it waiting")
  func closeWhileConnecting() async throws {
    let silent = try SilentServer()
    let transport = try NATSTransport.to(["127.0.0.1:\(silent.port)"], key)
    let events = EventRecorder(transport)
    let connecting = Task { () -> TransportError? in
      do throws(TransportError) {
        try await transport.connect()
        return nil
      } catch {
        return error
      }
    }
    try await onThread { try silent.waitForClient() }.get()
    await transport.close()
    #expect(await connecting.value?.kind == .closed)
    #expect(try await events.closed() == nil)
  }

  @Test("It uses IPv6")
  func ipv6() async throws {
    var configuration = RelayConfiguration(admission: .only([key.publicKey]), host: "::1")
    configuration.limits.pingInterval = .seconds(60)
    let relay = Relay(configuration: configuration, logger: .silent)
    try await relay.start()
    let (transport, events) = try await NATSTransport.connected(
      to: ["[::1]:\(relay.boundPort!)"], key)
    #expect(try await events.connected() == "[::1]:\(relay.boundPort!)")
    await transport.close()
    await relay.shutdown()
  }

  // MARK: Losing and regaining

  @Test("It reconnects when the relay returns, with its subscriptions first")
  func relayComesBack() async throws {
    var relay = try await Relay.started(key)
    let port = relay.boundPort!
    let (transport, events) = try await NATSTransport.connected(to: ["127.0.0.1:\(port)"], key)
    try await transport.subscribe(to: prefix + ".all")
    try await transport.subscribe(to: prefix + ".to.me")
    for round in 0..<3 {
      await relay.shutdown()
      try await events.disconnected()
      let error = #expect(throws: TransportError.self) {
        try transport.publish([0], to: prefix + ".all")
      }
      #expect(error?.kind == .notConnected)
      relay = try await Relay.started(key, port: port)
      try await events.connected()
      // From the relay's own process: only the subscriptions decide whether it arrives.
      let host = relay.attach(as: key.publicKey)
      try await host.connect()
      try host.publish([UInt8(round), 1], to: prefix + ".all")
      try host.publish([UInt8(round), 2], to: prefix + ".to.me")
      #expect(try await events.message().payload == [UInt8(round), 1])
      #expect(try await events.message().payload == [UInt8(round), 2])
      #expect(await relay.statistics().subscriptions == 2)
      await host.close()
    }
    await transport.close()
    await relay.shutdown()
  }

  @Test("It reconnects when a nats-server died and was started again")
  func natsServerComesBack() async throws {
    let (transport, events, port) = try await NATSServer.run(natsServerSettings(key)) { server in
      let (transport, events) = try await NATSTransport.connected(to: [server.address], key)
      try await transport.subscribe(to: prefix + ".all")
      return (transport, events, server.port)
    }
    try await events.disconnected()
    try await NATSServer.run(natsServerSettings(key), port: port) { server in
      try await events.connected()
      let other = try NATSTransport.to([server.address], key)
      try await other.connect()
      try other.publish([9], to: prefix + ".all")
      #expect(try await events.message().payload == [9])
      await other.close()
    }
    await transport.close()
  }

  @Test("It moves to another server of its list")
  func failover() async throws {
    let first = try await Relay.started(key)
    let second = try await Relay.started(key)
    let addresses = [first, second].map { "127.0.0.1:\($0.boundPort!)" }
    let (transport, events) = try await NATSTransport.connected(to: addresses, key)
    let chosen = try await events.connected()
    let (gone, left) = chosen == addresses[0] ? (first, second) : (second, first)
    await gone.shutdown()
    try await events.disconnected()
    #expect(try await events.connected() == "127.0.0.1:\(left.boundPort!)")
    await transport.close()
    await left.shutdown()
  }

  @Test("It reports a refusal on its return, and still reconnects for the right key")
  func refusedOnReturn() async throws {
    let relay = try await Relay.started(key)
    let port = relay.boundPort!
    let (transport, events) = try await NATSTransport.connected(to: ["127.0.0.1:\(port)"], key)
    await relay.shutdown()
    try await events.disconnected()
    let stranger = try await Relay.started(AdmissionKey(), port: port)
    #expect(try await events.warning() == "127.0.0.1:\(port): Authorization Violation")
    await stranger.shutdown()
    try await withRelay(key, port: port) { _ in _ = try await events.connected() }
    await transport.close()
  }

  @Test("It closes at once while it has no connection")
  func closeWhileReconnecting() async throws {
    let relay = try await Relay.started(key)
    let (transport, events) = try await NATSTransport.connected(
      to: ["127.0.0.1:\(relay.boundPort!)"], key)
    await relay.shutdown()
    try await events.disconnected()
    await transport.close()
    #expect(try await events.closed() == nil)
  }

  @Test("It notices a server that falls silent")
  func silence() async throws {
    let server = try MuteServer(nonces: ["nonce"])
    var configuration = try NATSConfiguration.patient(["127.0.0.1:\(server.port)"])
    configuration.pingInterval = .milliseconds(100)
    let transport = NATSTransport(configuration: configuration, admission: key, logger: .silent)
    let events = EventRecorder(transport)
    try await transport.connect()
    #expect(try await events.disconnected().lowercased().contains("stale"))
    await transport.close()
  }

  @Test("It leaves no resources behind, however often it is opened and closed")
  func leavesNothingBehind() async throws {
    try await withRelay(key) { relay in
      let port = relay.boundPort!
      for _ in 0..<20 {
        weak let remains = try await openAndClose(port: port)
        let deadline = ContinuousClock.now + .seconds(20)
        while remains != nil, ContinuousClock.now < deadline { await Task.yield() }
        #expect(remains == nil)
      }
    }
  }

  /// Publishes while it is being closed, when most faults can occur.
  private func openAndClose(port: Int) async throws -> NATSTransport {
    let transport = try NATSTransport.to(["127.0.0.1:\(port)"], key)
    try await transport.connect()
    try await transport.subscribe(to: prefix + ".all")
    async let closing: Void = transport.close()
    for _ in 0..<50 {
      do throws(TransportError) {
        try transport.publish([1], to: prefix + ".all")
      } catch {
        #expect([.closed, .notConnected].contains(error.kind))
      }
    }
    await closing
    return transport
  }
}
