import Foundation
import GroupActivities
import Logging
import NATSTransport
import Relay
import Synchronization
import Timekeeping

/// A party of which each member has a connection of its own to a relay.
struct RealParty {
  let relay: Relay
  /// The host first.
  var members: [Party]
  var transports: [CountingTransport]

  static func gather(size: Int) async throws -> RealParty {
    let founding = Party.Founding()
    var configuration = RelayConfiguration(
      admission: .only([founding.keys.admission.publicKey]), host: "127.0.0.1", port: 0)
    configuration.limits.connections = size + 16
    let relay = Relay(configuration: configuration, logger: .silent)
    try await relay.start()
    let address = "127.0.0.1:\(relay.boundPort!)"
    func transport() throws -> CountingTransport {
      CountingTransport(
        NATSTransport(
          configuration: NATSConfiguration(servers: [try ServerAddress(address)]),
          admission: founding.keys.admission, logger: .silent))
    }
    var transports = [try transport()]
    var parties = [
      try await Party.create(
        founding, addresses: [Invite.Address(address)!], name: "Host", transport: transports[0])
    ]
    for number in 1..<max(2, size) {
      let next = try transport()
      transports.append(next)
      parties.append(
        try await Party.join(
          parties[0].invite, name: "Guest \(number)", transport: next, deadline: .seconds(60)))
    }
    return RealParty(relay: relay, members: parties, transports: transports)
  }

  func end() async {
    for member in members.reversed() { await member.leave() }
    await relay.shutdown()
  }

  static func measure(size: Int, seconds: Double) async throws -> Cost {
    let party = try await gather(size: size)
    let transports = party.transports
    try await Task.sleep(for: .seconds(60))
    for transport in transports { transport.forget() }
    try await Task.sleep(for: .seconds(seconds))
    let traffic = transports.map(\.traffic)
    let counted = await party.members[size / 2].participantCount
    await party.end()
    return Cost(
      size: size, received: traffic.map { Double($0.received) / seconds },
      sent: traffic.map { Double($0.sent) / seconds },
      reference: (Double(traffic[0].received) / seconds, Double(traffic[0].sent) / seconds),
      counted: counted)
  }
}

/// Counts what goes over a connection, as it stands in the protocol.
final class CountingTransport: GroupTransport {
  struct Traffic: Sendable {
    var sent = 0
    var received = 0
  }

  private let inner: NATSTransport
  private let counts = Mutex(Traffic())
  private let held = Mutex<[TransportEvent]?>(nil)
  private let continuation: AsyncStream<TransportEvent>.Continuation
  let events: AsyncStream<TransportEvent>

  init(_ inner: NATSTransport) {
    self.inner = inner
    let (events, continuation) = AsyncStream.makeStream(
      of: TransportEvent.self, bufferingPolicy: .bufferingNewest(4096))
    self.events = events
    self.continuation = continuation
    Task { [self] in
      for await event in inner.events {
        if case .received(let message) = event {
          // MSG <subject> <sid> <size>\r\n<payload>\r\n
          let size = message.payload.count
          counts.withLock {
            $0.received += message.subject.utf8.count + size + "\(size)".utf8.count + 12
          }
        }
        pass(on: event)
      }
      continuation.finish()
    }
  }

  private func pass(on event: TransportEvent) {
    held.withLock { held in
      if held == nil { continuation.yield(event) } else { held!.append(event) }
    }
  }

  /// Keeps what comes until ``release()``.
  func hold() { held.withLock { $0 = [] } }

  /// - Returns: how many events had been kept.
  func release() -> Int {
    held.withLock { held in
      let events = held ?? []
      held = nil
      for event in events { continuation.yield(event) }
      return events.count
    }
  }

  var traffic: Traffic { counts.withLock { $0 } }

  func forget() { counts.withLock { $0 = Traffic() } }

  func connect() async throws(TransportError) { try await inner.connect() }

  func subscribe(to subject: String, group: String?) async throws(TransportError) {
    try await inner.subscribe(to: subject, group: group)
  }

  func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    // PUB <subject> <size>\r\n<payload>\r\n
    counts.withLock {
      $0.sent += subject.utf8.count + payload.count + "\(payload.count)".utf8.count + 10
    }
    try inner.publish(payload, to: subject)
  }

  func close() async { await inner.close() }
}

extension Logger {
  static let silent = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
}
