import BrokerTesting
import GroupActivities
import Logging
import NATSTransport
import Relay
import Testing

/// The ways in which two members of a party can be connected.
enum Wiring: CaseIterable, Sendable {
  /// Both attached to a relay in this process.
  case loopback
  /// One attached, one over a socket.
  case mixed
  /// Both over sockets to Matinee's relay.
  case relay
  /// Both over sockets to a real nats-server that knows the key.
  case natsServer
}

/// Two members of a party on one broker.
struct Pair: Sendable {
  let first: any GroupTransport
  let second: any GroupTransport
  let firstEvents: EventRecorder
  let secondEvents: EventRecorder
  let prefix: String

  init(_ first: any GroupTransport, _ second: any GroupTransport, key: AdmissionKey) {
    self.first = first
    self.second = second
    firstEvents = EventRecorder(first)
    secondEvents = EventRecorder(second)
    prefix = PartySubjects(admissionPublicKey: key.publicKey).prefix
  }

  /// Runs `body` with two members that are not connected yet, and closes them afterwards.
  static func run(_ wiring: Wiring, _ body: (Pair) async throws -> Void) async throws {
    let key = AdmissionKey()
    switch wiring {
    case .loopback, .mixed, .relay:
      try await withRelay(key) { relay in
        let socket = { try NATSTransport.to(["127.0.0.1:\(relay.boundPort!)"], key) }
        let attached = { relay.attach(as: key.publicKey) }
        switch wiring {
        case .loopback: try await run(attached(), attached(), key, body)
        case .mixed: try await run(attached(), try socket(), key, body)
        case .relay, .natsServer: try await run(try socket(), try socket(), key, body)
        }
      }
    case .natsServer:
      try await NATSServer.run(natsServerSettings(key)) { server in
        let socket = { try NATSTransport.to([server.address], key) }
        try await run(try socket(), try socket(), key, body)
      }
    }
  }

  private static func run(
    _ first: any GroupTransport, _ second: any GroupTransport, _ key: AdmissionKey,
    _ body: (Pair) async throws -> Void
  ) async throws {
    let pair = Pair(first, second, key: key)
    do {
      try await body(pair)
    } catch {
      await first.close()
      await second.close()
      throw error
    }
    await first.close()
    await second.close()
  }

  func connect() async throws {
    try await first.connect()
    try await second.connect()
    try await firstEvents.connected()
    try await secondEvents.connected()
  }
}

/// Returns a nats-server's settings with the limits and permissions of Matinee's relay.
func natsServerSettings(_ key: AdmissionKey) -> String {
  let greeting = Greeting(key: key)
  let subjects = "[\"\(greeting.prefix).>\", \"_INBOX.>\"]"
  return """
    max_payload: 65536
    authorization { users = [{
      nkey: \(greeting.nkey)
      permissions: { publish: \(subjects), subscribe: \(subjects) }
    }] }
    """
}

func withRelay<Value>(
  _ key: AdmissionKey, port: Int = 0, _ body: (Relay) async throws -> Value
) async throws -> Value {
  let relay = try await Relay.started(key, port: port)
  do {
    let value = try await body(relay)
    await relay.shutdown()
    return value
  } catch {
    await relay.shutdown()
    throw error
  }
}

extension Relay {
  static func started(_ key: AdmissionKey, port: Int = 0) async throws -> Relay {
    let configuration = RelayConfiguration(
      admission: .only([key.publicKey]), host: "127.0.0.1", port: port)
    let relay = Relay(configuration: configuration, logger: .silent)
    do {
      try await relay.start()
    } catch {
      await relay.shutdown()
      throw error
    }
    return relay
  }
}

extension NATSTransport {
  static func connected(
    to servers: [String], _ key: AdmissionKey, authority: String? = nil
  ) async throws -> (NATSTransport, EventRecorder) {
    let transport = try to(servers, key, authority: authority)
    let events = EventRecorder(transport)
    try await transport.connect()
    return (transport, events)
  }

  /// - Parameter authority: the file with the trusted certificate authorities; nil for the system's.
  static func to(
    _ servers: [String], _ key: AdmissionKey, authority: String? = nil
  ) throws -> NATSTransport {
    var configuration = try NATSConfiguration.patient(servers)
    configuration.trustedCertificates = try authority.map {
      try TrustedCertificates(contentsOf: $0)
    }
    configuration.pingInterval = .seconds(10)
    configuration.patientReconnectWait = .milliseconds(300)
    // A relay that is shut down is lost before the client leaves it.
    configuration.departureSpread = .seconds(60)
    return NATSTransport(configuration: configuration, admission: key, logger: .silent)
  }
}

extension NATSConfiguration {
  /// For connections that must succeed although the machine is busy with other tests.
  static func patient(_ servers: [String]) throws -> NATSConfiguration {
    var configuration = NATSConfiguration(servers: try servers.map { try ServerAddress($0) })
    configuration.connectTimeout = .seconds(20)
    return configuration
  }
}

extension Logger {
  static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
