import GroupActivities
import Logging
import NIOCore
import Timekeeping

/// Carries out the broker's decisions on one event loop.
///
/// `@unchecked Sendable`: every member is touched only on ``eventLoop``; each entry checks that.
final class RelayCore: @unchecked Sendable {
  let eventLoop: any EventLoop
  let configuration: RelayConfiguration
  private let logger: Logger
  private var broker: Broker
  private var sinks: [Broker.ConnectionID: Sink] = [:]
  /// Connections that were written to since the last flush.
  private var unflushed: Set<Broker.ConnectionID> = []

  private enum Sink {
    case socket(ConnectionHandler)
    case local(@Sendable (TransportMessage) -> Void)
  }

  init(configuration: RelayConfiguration, eventLoop: any EventLoop, logger: Logger) {
    self.configuration = configuration
    self.eventLoop = eventLoop
    self.logger = logger
    broker = Broker(configuration: configuration, serverID: Self.randomToken(22))
  }

  static func randomToken(_ length: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abcdefghijklmnopqrstuvwxyz")
    return String((0..<length).map { _ in alphabet.randomElement()! })
  }

  var statistics: RelayStatistics {
    eventLoop.preconditionInEventLoop()
    return broker.statistics
  }

  // MARK: - Sockets

  /// - Returns: nil when there is no room.
  func open(_ handler: ConnectionHandler, address: String) -> (Broker.ConnectionID, ByteBuffer)? {
    eventLoop.preconditionInEventLoop()
    guard let (id, info) = broker.open(address: address, nonce: Self.randomToken(16)) else {
      return nil
    }
    sinks[id] = .socket(handler)
    return (id, info)
  }

  func handle(_ operation: ClientOperation, from id: Broker.ConnectionID) {
    perform(broker.handle(operation, from: id))
  }

  func violated(_ violation: ProtocolViolation, by id: Broker.ConnectionID) {
    logger.debug("connection \(id): \(violation)")
    perform(broker.violation(violation, from: id))
    flush()
  }

  func authenticationTimedOut(_ id: Broker.ConnectionID) {
    perform(broker.authenticationTimedOut(id))
    flush()
  }

  func isStale(_ id: Broker.ConnectionID) {
    perform(broker.stale(id))
    flush()
  }

  func isSlow(_ id: Broker.ConnectionID) {
    logger.notice("connection \(id) doesn't read; it is cut off")
    perform(broker.slowConsumer(id))
  }

  func closed(_ id: Broker.ConnectionID) {
    eventLoop.preconditionInEventLoop()
    broker.close(id)
    sinks[id] = nil
    unflushed.remove(id)
  }

  /// Once per batch of reads: what costs is the number of writes to sockets.
  func flush() {
    eventLoop.preconditionInEventLoop()
    let ids = unflushed
    unflushed = []
    for id in ids {
      if case .socket(let handler) = sinks[id] { handler.flush() }
    }
  }

  func lameDuck() {
    perform(broker.lameDuck())
    flush()
  }

  // MARK: - This process

  func attach(
    prefix: String, deliver: @escaping @Sendable (TransportMessage) -> Void
  ) -> Broker.ConnectionID {
    eventLoop.preconditionInEventLoop()
    let id = broker.openLocal(prefix: prefix)
    sinks[id] = .local(deliver)
    return id
  }

  private func perform(_ actions: [Broker.Action]) {
    eventLoop.preconditionInEventLoop()
    for action in actions {
      switch action {
      case .send(let bytes, let id):
        guard case .socket(let handler) = sinks[id] else { continue }
        handler.write(bytes)
        unflushed.insert(id)
      case .deliver(let subject, let payload, let id):
        guard case .local(let deliver) = sinks[id] else { continue }
        deliver(
          TransportMessage(
            subject: subject, payload: Array(payload.readableBytesView), receivedAt: .now()))
      case .close(let id):
        if case .socket(let handler) = sinks[id] { handler.close() }
      case .admitted(let id):
        if case .socket(let handler) = sinks[id] { handler.admitted() }
      }
    }
  }
}
