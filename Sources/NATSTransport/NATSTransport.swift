import Concurrency
import GroupActivities
import Logging
import NATSProtocol
import Synchronization
import Timekeeping

/// A `GroupTransport` over any NATS server or cluster.
///
/// Each connection lives once, and a supervisor makes the next one: no message is kept for later, and the events say
/// when the server has the subscriptions again.
///
/// The transport leaves a server that announces its shutdown for another one before it stops.
/// Messages on their way still arrive, over either of the two connections that exist for a moment.
///
/// If the servers refuse the key after it had been admitted (for example a relay that came back for
/// another party), the transport reports that as a `TransportEvent.warning` and tries again
/// every ``NATSConfiguration/patientReconnectWait``: only the caller knows when to give up.
///
/// Call ``close()`` before releasing it.
public final class NATSTransport: GroupTransport {
  let configuration: NATSConfiguration
  let identity: ClientIdentity
  let logger: Logger
  /// The events that wait for the consumer. The limit counts payload bytes, and a fixed number for
  /// each message.
  let queue = BoundedInbox<TransportEvent>(costLimit: 4 << 20)
  /// The messages that were received or sent while there were two connections.
  let recent = RecentMessages()
  let trust: ServerTrust
  let state: Mutex<State>

  /// The phases: `new` → `connecting` → `connected` ⇄ `reconnecting`. A first attempt that fails
  /// leads back to `new`. `closed` can follow all of them and is final.
  enum Phase: Sendable {
    case new
    case connecting(Task<Result<NATSConnection, TransportError>, Never>)
    case connected(NATSConnection)
    case reconnecting
    case closed
  }

  struct State: Sendable {
    var phase = Phase.new
    var servers: KnownServers
    /// The subscriptions in the order in which they were requested.
    var subscriptions: [NATSSubscription] = []
    var supervisor: Task<Void, Never>?
    var server: ServerAddress?
    var nextAttempt: HostTime?
    var relays = Relays()
  }

  /// The server of the current or last connection; nil before the first.
  public var server: ServerAddress? { state.withLock(\.server) }

  /// A Boolean value that indicates whether the server in use is a relay of Matinee's, which serves the page for browsers
  /// too.
  package var servesPage: Bool {
    state.withLock { (try? $0.phase.connection)?.servesPage == true }
  }

  /// The time of the next round of attempts to reconnect; nil while connected, or while a round
  /// is under way.
  public var nextAttempt: HostTime? { state.withLock(\.nextAttempt) }

  /// The connection's events, for one consumer. At most 4 MiB wait for it: when it falls behind,
  /// new messages are dropped.
  public let events: AsyncStream<TransportEvent>

  /// Creates a transport that isn't connected yet.
  ///
  /// - Parameters:
  ///   - configuration: the servers and the credentials.
  ///   - admission: signs the servers' challenge. Not used if there are credentials, or with a server whose address
  ///     holds a user and password, or with one that asks for none.
  ///   - logger: receives what the supervision reports.
  public init(configuration: NATSConfiguration, admission: AdmissionKey, logger: Logger) {
    self.configuration = configuration
    identity = configuration.credentials.map { .credentials($0) } ?? .party(admission)
    self.logger = logger
    trust = ServerTrust(configuration.trustedCertificates)
    state = Mutex(
      State(
        servers: KnownServers(
          given: configuration.servers, demandTLS: configuration.trustedCertificates != nil)))
    events = queue.makeStream()
  }

  // MARK: GroupTransport

  /// Connects to the first server that admits this participant. All addresses are tried side by
  /// side. Cancelling the task gives up; after a failure, another attempt is allowed.
  ///
  /// - Throws: `TransportError` of kind `unreachable`, `refused`, `untrusted`; `closed` after
  ///   ``close()``, and if the transport is connected already.
  public func connect() async throws(TransportError) {
    let servers = configuration.servers
    guard !servers.isEmpty else { throw TransportError(.unreachable, "no relay is given") }
    let attempt = try state.withLock { state throws(TransportError) in
      switch state.phase {
      case .new: break
      case .connecting, .connected, .reconnecting:
        throw TransportError(.closed, "connected before")
      case .closed: throw .transportClosed
      }
      let attempt = Task { [self] in await connectToFirst(of: servers) }
      state.phase = .connecting(attempt)
      return attempt
    }
    let result = await withTaskCancellationHandler {
      await attempt.value
    } onCancel: {
      attempt.cancel()
    }
    switch result {
    case .success(let connection):
      guard await install(connection) == .installed else {
        connection.close()
        resetToNew()
        throw state.withLock({ $0.phase.isClosed })
          ? .transportClosed : TransportError(.unreachable, "\(connection.server): connection lost")
      }
      startSupervising(connection)
    case .failure(let error):
      resetToNew()
      throw state.withLock({ $0.phase.isClosed }) ? .transportClosed : error
    }
  }

  /// Subscribes, now and after every reconnection. Returns once the server has the subscription,
  /// at the latest after five seconds.
  ///
  /// - Throws: `TransportError` of kind `invalidSubject`, `notConnected`, `refused` if the
  ///   server doesn't permit it, `closed`.
  public func subscribe(to subject: String, group: String?) async throws(TransportError) {
    let pattern = Subject(subject)
    guard pattern.isValidPattern, !pattern.hasBlanks else {
      throw TransportError(.invalidSubject, "can't subscribe to \"\(subject)\"")
    }
    let wanted = NATSSubscription(subject: subject, group: group)
    let (connection, isNew) = try state.withLock { state throws(TransportError) in
      let connection = try state.phase.connection
      if state.subscriptions.contains(wanted) { return (connection, false) }
      state.subscriptions.append(wanted)
      return (connection, true)
    }
    let isPlaced = await connection.place(isNew ? [wanted] : [])
    let refusal = connection.refusal(ofSubscriptionTo: subject)
    if isPlaced, refusal == nil { return }
    if isNew { state.withLock { $0.subscriptions.removeAll { $0 == wanted } } }
    throw refusal.map { TransportError(.refused, $0) }
      ?? TransportError(.notConnected, "\(connection.server) doesn't answer")
  }

  /// Ends a subscription without a group. Messages that are on their way still arrive.
  public func unsubscribe(from subject: String) {
    let unwanted = NATSSubscription(subject: subject, group: nil)
    let connection = state.withLock { state in
      state.subscriptions.removeAll { $0 == unwanted }
      return try? state.phase.connection
    }
    connection?.remove(unwanted)
  }

  /// Queues one message for sending, without waiting. Safe to call from any thread.
  ///
  /// - Throws: `TransportError` of kind `invalidSubject`, `notConnected` while there is no
  ///   connection, `payloadTooLarge` over the server's limit, `slow` if the queue is full,
  ///   `closed`.
  public func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    let target = Subject(subject)
    guard target.isLiteral, !target.hasBlanks else {
      throw TransportError(.invalidSubject, "can't publish to \"\(subject)\"")
    }
    let (connection, second) = try state.withLock { state throws(TransportError) in
      (try state.phase.connection, state.relays.second)
    }
    guard payload.count <= connection.maximumPayload else {
      throw TransportError(
        .payloadTooLarge,
        "\(payload.count) bytes exceed the relay's limit of \(connection.maximumPayload)")
    }
    recent.noteSent(payload, to: subject)
    try connection.publish(payload, to: target)
    // For the participants that aren't at the relay in use yet. A lost copy is repaired as any other message.
    if let second, second !== connection {
      try? second.publish(payload, to: target)
    }
  }

  /// Sends the queued messages, for a second at most, closes the connection and ends ``events``.
  /// The last event, `TransportEvent.closed`, always reaches the consumer. Idempotent.
  public func close() async {
    let (phase, tasks) = state.withLock { state in
      defer {
        state.phase = .closed
        state.supervisor = nil
        state.relays.prober = nil
      }
      return (state.phase, [state.supervisor, state.relays.prober])
    }
    for task in tasks { task?.cancel() }
    switch phase {
    case .closed: return
    case .connecting(let attempt): attempt.cancel()
    case .connected(let connection):
      // The answer means that the server has read all that was sent.
      await connection.flush(within: .seconds(1))
      connection.close()
    case .new, .reconnecting: break
    }
    queue.putEssential(.closed(nil))
    queue.finish()
  }

  private func resetToNew() {
    state.withLock { if !$0.phase.isClosed { $0.phase = .new } }
  }

  private func startSupervising(_ connection: NATSConnection) {
    logger.info("connected", metadata: ["server": "\(connection.server)"])
    state.withLock { state in
      guard !state.phase.isClosed else { return }
      state.supervisor = Task { [self] in await supervise(connection) }
    }
  }
}

extension NATSTransport.Phase {
  var isClosed: Bool {
    if case .closed = self { true } else { false }
  }

  /// The connection in use.
  var connection: NATSConnection {
    get throws(TransportError) {
      switch self {
      case .connected(let connection): return connection
      case .new, .connecting: throw TransportError(.notConnected, "not connected yet")
      case .reconnecting:
        throw TransportError(.notConnected, "the connection is lost; reconnecting")
      case .closed: throw .transportClosed
      }
    }
  }
}

extension TransportError {
  fileprivate static let transportClosed = TransportError(.closed, "the connection was closed")
}
