import BrokerTesting
import GroupActivities
import Logging
import NATSTransport
import NKeys
import Testing
import Timekeeping

@testable import Relay

/// A broker of some kind with a key that it admits.
enum BrokerKind: String, CaseIterable, Sendable {
  case relay, openRelay, natsServer, openNATSServer
}

/// Holds whatever runs, for as long as a test needs it.
final class RunningBroker: Sendable {
  let port: Int
  private let relay: Relay?
  private let server: NATSServer?

  init(_ kind: BrokerKind, key: AdmissionKey) async throws {
    switch kind {
    case .relay, .openRelay:
      let admission: RelayConfiguration.Admission =
        kind == .relay ? .only([key.publicKey]) : .anyKey
      let relay = Relay(
        configuration: RelayConfiguration(admission: admission, host: "127.0.0.1", port: 0),
        logger: Logger(label: "test"))
      _ = try await relay.start()
      port = relay.boundPort!
      self.relay = relay
      server = nil
    case .natsServer, .openNATSServer:
      let server = try await NATSServer.start(Self.settings(kind == .natsServer ? key : nil))
      port = server.port
      self.server = server
      relay = nil
    }
  }

  func stop() async {
    await relay?.shutdown()
    await server?.kill()
  }

  /// - Parameter key: who is admitted; nil for everybody, without a challenge.
  private static func settings(_ key: AdmissionKey?) -> String {
    guard let key else { return "max_payload: 65536" }
    let text = NKey.text(of: key.publicKey, role: .user)
    let prefix = PartySubjects(admissionPublicKey: key.publicKey).prefix
    return """
      max_payload: 65536
      authorization { timeout: 2, users = [ { nkey: \(text), permissions: {
        publish: ["\(prefix).>"], subscribe: ["\(prefix).>"] } } ] }
      """
  }

  func transport(_ key: AdmissionKey) -> NATSTransport {
    NATSTransport(
      configuration: NATSConfiguration(servers: [.init("127.0.0.1:\(port)")!]), admission: key,
      logger: Logger(label: "test"))
  }
}

/// Reads a transport's events with a deadline.
actor Listener {
  private var messages: [TransportMessage] = []
  private var links: [Bool] = []
  private var waiters:
    [(
      id: Int, isTrue: @Sendable ([TransportMessage], [Bool]) -> Bool,
      done: CheckedContinuation<Bool, Never>
    )] = []
  private var nextID = 0

  init(_ transport: any GroupTransport) {
    let events = transport.events
    Task { for await event in events { await self.take(event) } }
  }

  private func take(_ event: TransportEvent) {
    switch event {
    case .received(let message): messages.append(message)
    case .connected: links.append(true)
    case .disconnected: links.append(false)
    case .warning, .closed: break
    }
    for waiter in waiters where waiter.isTrue(messages, links) {
      waiter.done.resume(returning: true)
    }
    waiters.removeAll { $0.isTrue(messages, links) }
  }

  func wait(
    _ isTrue: @escaping @Sendable ([TransportMessage], [Bool]) -> Bool
  ) async -> Bool {
    if isTrue(messages, links) { return true }
    nextID += 1
    let id = nextID
    let alarm = Task {
      try? await Task.sleep(for: .seconds(20))
      if !Task.isCancelled { self.giveUp(id) }
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiters.append((id, isTrue, $0)) }
  }

  private func giveUp(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).done.resume(returning: false)
  }

  var payloads: [[UInt8]] { messages.map(\.payload) }
}

@Suite("Brokers, driven by libnats", .serialized)
struct TransportTests {
  @Test("Messages arrive in order, and never at their sender", arguments: BrokerKind.allCases)
  func order(kind: BrokerKind) async throws {
    let key = AdmissionKey()
    let broker = try await RunningBroker(kind, key: key)
    let subject = PartySubjects(admissionPublicKey: key.publicKey).everyone
    let (ana, ben) = (broker.transport(key), broker.transport(key))
    let (anaListener, benListener) = (Listener(ana), Listener(ben))
    for transport in [ana, ben] {
      try await transport.connect()
      try await transport.subscribe(to: subject)
    }
    let payloads = (0..<200).map { [UInt8]("\($0)".utf8) }
    for payload in payloads { try ana.publish(payload, to: subject) }
    #expect(await benListener.wait { messages, _ in messages.count == 200 })
    #expect(await benListener.payloads == payloads)
    try ben.publish([1], to: subject)
    #expect(await anaListener.wait { messages, _ in messages.count == 1 })
    #expect(await anaListener.payloads == [[1]])
    await ana.close()
    await ben.close()
    await broker.stop()
  }

  @Test("A wrong key is refused", arguments: [BrokerKind.relay, .natsServer])
  func wrongKey(kind: BrokerKind) async throws {
    let key = AdmissionKey()
    let broker = try await RunningBroker(kind, key: key)
    let stranger = broker.transport(AdmissionKey())
    let error = await #expect(throws: TransportError.self) { try await stranger.connect() }
    #expect(error?.kind == .refused)
    await stranger.close()
    await broker.stop()
  }

  @Test("Nobody there is unreachable, and the message names the address")
  func nobody() async throws {
    let key = AdmissionKey()
    let broker = try await RunningBroker(.relay, key: key)
    await broker.stop()
    let transport = broker.transport(key)
    let error = await #expect(throws: TransportError.self) { try await transport.connect() }
    #expect(error?.kind == .unreachable)
    #expect(error?.description.contains("127.0.0.1:\(broker.port)") == true)
    await transport.close()
  }

  @Test("One party can't hear another one on the same relay")
  func separation() async throws {
    let (key, other) = (AdmissionKey(), AdmissionKey())
    let broker = try await RunningBroker(.openRelay, key: key)
    let (ana, spy) = (broker.transport(key), broker.transport(other))
    let spyListener = Listener(spy)
    let subject = PartySubjects(admissionPublicKey: key.publicKey).everyone
    let own = PartySubjects(admissionPublicKey: other.publicKey).everyone
    try await ana.connect()
    try await spy.connect()
    try await spy.subscribe(to: ">")
    try await spy.subscribe(to: subject)
    try await spy.subscribe(to: own)
    try ana.publish([1], to: subject)
    // What ana sends to the spy's subject is refused; the spy's friend is heard, after all that.
    try ana.publish([2], to: own)
    let friend = broker.transport(other)
    try await friend.connect()
    try friend.publish([3], to: own)
    #expect(await spyListener.wait { messages, _ in !messages.isEmpty })
    #expect(await spyListener.payloads == [[3]])
    for transport in [ana, spy, friend] { await transport.close() }
    await broker.stop()
  }

  @Test("When the relay comes back, the transport is back and subscribed again")
  func reconnect() async throws {
    let key = AdmissionKey()
    func relay(_ port: Int) -> Relay {
      Relay(
        configuration: RelayConfiguration(
          admission: .only([key.publicKey]), host: "127.0.0.1", port: port),
        logger: Logger(label: "test"))
    }
    let first = relay(0)
    _ = try await first.start()
    let port = first.boundPort!
    let transport = NATSTransport(
      configuration: NATSConfiguration(servers: [.init("127.0.0.1:\(port)")!]), admission: key,
      logger: Logger(label: "test"))
    let listener = Listener(transport)
    let subject = PartySubjects(admissionPublicKey: key.publicKey).everyone
    try await transport.connect()
    try await transport.subscribe(to: subject)
    await first.shutdown()
    #expect(await listener.wait { _, links in links == [true, false] })
    #expect(throws: TransportError.self) { try transport.publish([0], to: subject) }
    let second = relay(port)
    _ = try await second.start()
    #expect(await listener.wait { _, links in links == [true, false, true] })
    let host = second.attach(as: key.publicKey)
    try await host.connect()
    try host.publish([7], to: subject)
    #expect(await listener.wait { messages, _ in messages.count == 1 })
    #expect(await listener.payloads == [[7]])
    await transport.close()
    await host.close()
    await second.shutdown()
  }

  @Test("The host's short cut and a socket hear each other")
  func loopback() async throws {
    let key = AdmissionKey()
    let relay = Relay(
      configuration: RelayConfiguration(
        admission: .only([key.publicKey]), host: "127.0.0.1", port: 0),
      logger: Logger(label: "test"))
    _ = try await relay.start()
    let port = relay.boundPort!
    let host = relay.attach(as: key.publicKey)
    let guest = NATSTransport(
      configuration: NATSConfiguration(servers: [.init("127.0.0.1:\(port)")!]), admission: key,
      logger: Logger(label: "test"))
    let (hostListener, guestListener) = (Listener(host), Listener(guest))
    let subject = PartySubjects(admissionPublicKey: key.publicKey).everyone
    try await host.connect()
    try await host.subscribe(to: subject)
    try await guest.connect()
    try await guest.subscribe(to: subject)
    try host.publish([1], to: subject)
    try guest.publish([2], to: subject)
    #expect(await guestListener.wait { messages, _ in messages.count == 1 })
    #expect(await hostListener.wait { messages, _ in messages.count == 1 })
    #expect(await guestListener.payloads == [[1]])
    #expect(await hostListener.payloads == [[2]])
    let tooLarge = #expect(throws: TransportError.self) {
      try host.publish([UInt8](repeating: 0, count: 70_000), to: subject)
    }
    #expect(tooLarge?.kind == .payloadTooLarge)
    await guest.close()
    await host.close()
    await relay.shutdown()
  }
}
