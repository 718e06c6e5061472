import BrokerTesting
import Foundation
import Timekeeping

@testable import NATSProtocol
@testable import Relay

/// A broker with its clients, each of which receives the bytes that a socket would bring.
struct BrokerHarness {
  var broker: Broker
  var now = HostTime(nanoseconds: 0)
  var output: [ConnectionID: String] = [:]
  var delivered: [ConnectionID: [String]] = [:]
  var ended: Set<ConnectionID> = []
  var cut: Set<ConnectionID> = []
  /// The connections whose sockets take no bytes.
  var blocked: Set<ConnectionID> = []
  var writes = 0
  /// Connections that are not read from.
  var paused: [ConnectionID: Duration] = [:]
  /// Connections that are not read from until their party's turn.
  var held: Set<ConnectionID> = []
  /// A Boolean value that indicates whether all turns are taken after each event.
  var takesTurns = true

  init(
    _ admission: RelayConfiguration.Admission, seed: UInt64 = 1,
    limits: (inout RelayConfiguration.Limits) -> Void = { _ in }
  ) {
    var configuration = RelayConfiguration(admission: admission)
    limits(&configuration.limits)
    broker = Broker(
      configuration: configuration,
      server: ServerInfo(
        identifier: "N", host: "h", port: 1, maximumPayload: configuration.limits.payload),
      random: SeededGenerator(seed: seed))
  }

  mutating func open(from address: String = "127.0.0.1") -> ConnectionID {
    let id = broker.accepted(from: address, nonce: "nonce", now: now)
    broker.greet(id, at: address)
    perform()
    return id
  }

  mutating func member(
    _ greeting: Greeting, from address: String = "127.0.0.1"
  ) throws -> ConnectionID {
    let id = open(from: address)
    say(try greeting.line(nonce: "nonce"), id)
    output[id] = ""
    return id
  }

  /// A connection that subscribes at once, as the program does.
  ///
  /// - Parameter answering: whether all others answer their pings first.
  mutating func participant(
    _ greeting: Greeting, from address: String = "127.0.0.1", answering: Bool = false
  ) throws -> ConnectionID {
    if answering { for id in broker.connections.ids { say("PONG\r\n", id) } }
    let id = try member(greeting, from: address)
    say("SUB _INBOX.\(id.number) 1\r\n", id)
    return id
  }

  /// - Returns: nil if the attachment is refused.
  mutating func attach(_ greeting: Greeting) -> ConnectionID? {
    broker.attach(admissionPublicKey: greeting.key.publicKey, now: now)
  }

  mutating func say(_ text: String, _ id: ConnectionID) {
    broker.received(Array(text.utf8), from: id, now: now)
    perform()
    while takesTurns, broker.hasTurns { takeTurn() }
  }

  mutating func takeTurn() {
    broker.takeTurn(now: now)
    perform()
  }

  mutating func pass(_ duration: Duration) {
    now = now + duration
    broker.tick(now: now)
    perform()
  }

  mutating func perform() {
    while true {
      let effects = broker.takeEffects(now: now)
      if effects.isEmpty { break }
      for effect in effects { perform(effect) }
    }
  }

  private mutating func perform(_ effect: Broker.Effect) {
    switch effect {
    case .write(let bytes, let id, let isLast):
      output[id, default: ""] += String(decoding: bytes, as: UTF8.self)
      writes += 1
      if isLast { ended.insert(id) }
      if !blocked.contains(id) { broker.wrote(bytes.count, to: id, now: now) }
    case .cut(let id): cut.insert(id)
    case .pause(let id, let duration): paused[id] = duration
    case .hold(let id): held.insert(id)
    case .resume(let id):
      paused[id] = nil
      held.remove(id)
    case .deliver(let subject, let payload, let id):
      delivered[id, default: []].append("\(subject) \(String(decoding: payload, as: UTF8.self))")
    case .warn(let text, let id): delivered[id, default: []].append("warning: \(text)")
    }
  }

  /// Lets the times of all pauses pass until none is left.
  ///
  /// - Returns: the time that passed.
  mutating func passPauses() -> Duration {
    let start = now
    while let (id, duration) = paused.min(by: { $0.value < $1.value }) {
      now = now + duration
      paused[id] = nil
      broker.resume(id, now: now)
      perform()
      while takesTurns, broker.hasTurns { takeTurn() }
    }
    return now - start
  }

  /// The bytes that the connections hold, counted again.
  var heldBytes: Int {
    broker.connections.ids.reduce(0) { $0 + broker.connections[$1].heldBytes }
  }

  func count(of text: String, heardBy id: ConnectionID) -> Int {
    (output[id] ?? "").components(separatedBy: text).count - 1
  }

  mutating func heard(_ id: ConnectionID) -> String {
    defer { output[id] = "" }
    return output[id] ?? ""
  }
}
