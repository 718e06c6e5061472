import Concurrency
import GroupActivities
import NATSProtocol
import Synchronization
import Timekeeping

/// The host's own connection to the relay in its process: the same rules as over a socket, without
/// a socket.
///
/// It never reconnects: when the relay stops, the transport ends.
public final class LoopbackTransport: GroupTransport {
  /// Kept so that the relay's thread lives as long as this transport may call it.
  private let relay: Relay
  private let admissionPublicKey: [UInt8]
  private let maximumPayload: Int
  private let inbox = Inbox()
  private let state = Mutex(State())

  private struct State: Sendable {
    enum Phase: Sendable {
      case new, connecting
      case connected(ConnectionID)
      case closed
    }
    var phase = Phase.new
  }

  init(relay: Relay, admissionPublicKey: [UInt8]) {
    self.relay = relay
    self.admissionPublicKey = admissionPublicKey
    maximumPayload = relay.configuration.limits.payload
    events = inbox.queue.makeStream()
  }

  /// The connection's events, for one consumer. At most 4 MiB wait for it: when it falls behind, new messages are
  /// dropped.
  public let events: AsyncStream<TransportEvent>

  /// Attaches to the relay, which needn't listen yet. After a refusal another attempt is allowed.
  ///
  /// - Throws: `TransportError` of kind `refused` if the relay doesn't admit the key, `unreachable` if it has
  ///   stopped, `closed` if the transport was attached or closed before.
  public func connect() async throws(TransportError) {
    try state.withLock { state throws(TransportError) in
      switch state.phase {
      case .new: state.phase = .connecting
      case .connecting, .connected: throw TransportError(.closed, "connected before")
      case .closed: throw .loopbackClosed
      }
    }
    let result = try await onLoop { [inbox, admissionPublicKey] loop in
      loop.attach(inbox, admissionPublicKey: admissionPublicKey)
    }
    switch result {
    case .success(let id):
      let isWanted = state.withLock { state in
        guard case .connecting = state.phase else { return false }
        state.phase = .connected(id)
        inbox.queue.putEssential(.connected(server: Inbox.server))
        return true
      }
      guard isWanted else {
        _ = try? await onLoop { $0.detach(id) }
        throw .loopbackClosed
      }
    case .failure(let refusal):
      state.withLock { if case .connecting = $0.phase { $0.phase = .new } }
      switch refusal {
      case .notAdmitted: throw TransportError(.refused, "\(Inbox.server): Authorization Violation")
      case .stopped: throw TransportError(.unreachable, "\(Inbox.server) has stopped")
      }
    }
  }

  /// Subscribes. The relay has the subscription when this returns.
  ///
  /// - Throws: `TransportError` of kind `invalidSubject`, `refused` for a subject of another party or beyond a
  ///   limit, `unreachable`, `notConnected`, `closed`.
  public func subscribe(to subject: String, group: String?) async throws(TransportError) {
    let pattern = Subject(subject)
    guard pattern.isValidPattern, !pattern.hasBlanks else {
      throw TransportError(.invalidSubject, "can't subscribe to \"\(subject)\"")
    }
    let id = try connection()
    if let refusal = try await onLoop({ $0.subscribe(id, to: pattern, group: group) }) {
      throw TransportError(.refused, refusal)
    }
  }

  /// Ends a subscription. Messages that are on their way still arrive.
  public func unsubscribe(from subject: String) {
    guard let id = try? connection() else { return }
    // A subscription that stays does no harm but traffic.
    _ = relay.thread.offer { host in host.unsubscribe(id, from: Subject(subject)) }
  }

  /// Passes one message to the relay's thread, without waiting. Safe to call from any thread.
  ///
  /// - Throws: `TransportError` of kind `invalidSubject`, `payloadTooLarge`, `slow` if too many messages wait for
  ///   the relay, `notConnected`, `closed`.
  public func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    let target = Subject(subject)
    guard target.isLiteral, !target.hasBlanks else {
      throw TransportError(.invalidSubject, "can't publish to \"\(subject)\"")
    }
    guard payload.count <= maximumPayload else {
      throw TransportError(
        .payloadTooLarge, "\(payload.count) bytes exceed the relay's limit of \(maximumPayload)")
    }
    let id = try connection()
    switch relay.thread.offer({ host in host.publish(payload, to: target, from: id) }) {
    case .taken: break
    case .stopped: break  // The end of the relay follows on ``events``.
    case .full:
      throw TransportError(
        .slow, "the relay is too slow: \(RelayThread.offerLimit) messages are waiting to be sent")
    }
  }

  /// Detaches from the relay after all published messages, and ends ``events``. Idempotent.
  public func close() async {
    let phase = state.withLock { state in
      defer { state.phase = .closed }
      return state.phase
    }
    // Messages published before this are ahead of it on the relay's thread.
    if case .connected(let id) = phase { _ = try? await onLoop { $0.detach(id) } }
    inbox.end(nil)
  }

  private func connection() throws(TransportError) -> ConnectionID {
    try state.withLock { state throws(TransportError) in
      switch state.phase {
      case .connected(let id):
        if inbox.isStopped { throw .loopbackClosed }
        return id
      case .new, .connecting: throw TransportError(.notConnected, "not connected yet")
      case .closed: throw .loopbackClosed
      }
    }
  }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (BrokerHost) -> Value
  ) async throws(TransportError) -> Value {
    guard let value = await relay.onLoop(body) else {
      throw TransportError(.unreachable, "\(Inbox.server) has stopped")
    }
    return value
  }
}

extension LoopbackTransport {
  /// The inbox in which the relay puts messages for the attachment.
  final class Inbox: Sendable {
    static let server = "the relay in this process"

    /// The messages that wait for the session. The limit counts payload bytes, and a fixed number
    /// for each message.
    let queue = BoundedInbox<TransportEvent>(costLimit: 4 << 20)
    private let stopped = Atomic(false)

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func received(subject: Subject, payload: ArraySlice<UInt8>) {
      let message = TransportMessage(
        subject: subject.description, payload: Array(payload),
        receivedAt: .now())
      queue.put(.received(message), cost: message.payload.count + 256)
    }

    func warned(_ text: String) { queue.put(.warning(text), cost: text.utf8.count + 256) }

    func relayStopped() { end(TransportError(.closed, "\(Inbox.server) has stopped")) }

    func end(_ error: TransportError?) {
      guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
      queue.putEssential(.closed(error))
      queue.finish()
    }
  }
}

extension TransportError {
  fileprivate static let loopbackClosed = TransportError(.closed, "the connection was closed")
}
