import EventQueue
import GroupActivities
import Logging
import Synchronization
import Timekeeping

/// A ``GroupTransport`` over any NATS server or cluster, through libnats.
///
/// libnats carries the messages; losing and regaining a connection is decided here, because a
/// libnats that reconnects by itself keeps messages for later, gives up after two refusals and
/// doesn't say when the server has its subscriptions again. So each libnats connection lives once,
/// and a supervisor makes the next one.
///
/// When the servers refuse the key after it had been admitted (a relay that came back for another
/// party, say), that is reported as a ``TransportEvent/warning(_:)`` and tried again every
/// ``NATSConfiguration/patientReconnectWait``: only the caller knows when to give up.
///
/// Call ``close()`` before letting go of it.
public final class NATSTransport: GroupTransport {
  private let configuration: NATSConfiguration
  private let admission: AdmissionKey
  private let logger: Logger
  /// The payload bytes, and a little for each message itself, that may wait for the consumer.
  private let queue = EventQueue<TransportEvent>(costLimit: 4 << 20)
  private let publisher = Publisher()
  private let state = Mutex(State())

  /// `new` → `connecting` → `connected` ⇄ `reconnecting`; a first attempt that fails leads back to
  /// `new`; `closed` can follow on all of them and is the end.
  fileprivate enum Phase: Sendable {
    case new
    case connecting(Task<Result<NATSConnection, TransportError>, Never>)
    case connected(NATSConnection)
    case reconnecting
    case closed
  }

  private struct State: Sendable {
    var phase = Phase.new
    /// In the order in which they were asked for.
    var subjects: [String] = []
    var supervisor: Task<Void, Never>?
    var server: ServerAddress?
  }

  /// The server that it is connected to, or was last; nil before the first.
  public var server: ServerAddress? { state.withLock(\.server) }

  public let events: AsyncStream<TransportEvent>

  /// - Parameter admission: signs the servers' challenge. Not used with a server whose address holds
  ///   a user and password, or that asks for nothing.
  public init(configuration: NATSConfiguration, admission: AdmissionKey, logger: Logger) {
    self.configuration = configuration
    self.admission = admission
    self.logger = logger
    events = queue.makeStream()
  }

  // MARK: GroupTransport

  public func connect() async throws(TransportError) {
    let servers = configuration.servers
    guard !servers.isEmpty else { throw TransportError(.unreachable, "no server is given") }
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
      publisher.start()
      guard await install(connection) == .installed else {
        startThread(named: "nats-close") { connection.close() }
        resetToNew()
        throw state.withLock({ $0.phase.isClosed })
          ? .transportClosed : TransportError(.unreachable, "\(connection.server): connection lost")
      }
      startSupervising(connection, servers: servers)
    case .failure(let error):
      resetToNew()
      throw state.withLock({ $0.phase.isClosed }) ? .transportClosed : error
    }
  }

  public func subscribe(to subject: String) async throws(TransportError) {
    guard SubjectText.isPattern(subject) else {
      throw TransportError(.invalidSubject, "\"\(subject)\" can't be subscribed to")
    }
    let (connection, isNew) = try state.withLock { state throws(TransportError) in
      let connection = try state.phase.connection
      if state.subjects.contains(subject) { return (connection, false) }
      state.subjects.append(subject)
      return (connection, true)
    }
    let failure = await blocking("nats-subscribe") { () -> TransportError? in
      do throws(NATSError) {
        if isNew { try connection.subscribe(to: subject) }
        try connection.flush(timeout: .seconds(5))
      } catch {
        return TransportError(.notConnected, "\(connection.server): \(error)")
      }
      return connection.refusal(ofSubscriptionTo: subject).map { TransportError(.refused, $0) }
    }
    if let failure {
      if isNew { state.withLock { $0.subjects.removeAll { $0 == subject } } }
      throw failure
    }
  }

  public func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    guard SubjectText.isLiteral(subject) else {
      throw TransportError(.invalidSubject, "\"\(subject)\" can't be published to")
    }
    let connection = try state.withLock { state throws(TransportError) in
      try state.phase.connection
    }
    guard payload.count <= connection.maximumPayload else {
      throw TransportError(
        .payloadTooLarge,
        "\(payload.count) bytes are over the broker's limit of \(connection.maximumPayload)")
    }
    try publisher.enqueue(payload, to: subject, over: connection)
  }

  public func close() async {
    let (phase, supervisor) = state.withLock { state in
      defer {
        state.phase = .closed
        state.supervisor = nil
      }
      return (state.phase, state.supervisor)
    }
    supervisor?.cancel()
    switch phase {
    case .closed: return
    case .connecting(let attempt): attempt.cancel()
    case .connected(let connection):
      await publisher.stop()
      await blocking("nats-close") {
        // The answer means that the server has taken all that was sent.
        try? connection.flush(timeout: .milliseconds(500))
        connection.close()
      }
    case .new, .reconnecting: break
    }
    await publisher.stop()
    queue.pushEssential(.closed(nil))
    queue.finish()
  }

  // MARK: Connections

  private func resetToNew() {
    state.withLock { if !$0.phase.isClosed { $0.phase = .new } }
  }

  /// The server that answers first wins; the attempts begin a little apart, in order.
  private func connectToFirst(
    of servers: [ServerAddress]
  ) async -> Result<NATSConnection, TransportError> {
    let (outcomes, continuation) = AsyncStream.makeStream(
      of: Result<NATSConnection, TransportError>.self)
    let isDecided = Flag()
    defer {
      isDecided.set()
      // A late winner is let go of, which closes it.
      continuation.finish()
    }
    for (index, server) in servers.enumerated() {
      let delay = configuration.attemptStagger * index
      startThread(named: "nats-connect") { [configuration, admission, queue] in
        isDecided.wait(atMost: delay)
        guard !isDecided.isSet else { return }
        let observer = ConnectionObserver(admission: admission, queue: queue)
        continuation.yield(
          Result { () throws(TransportError) in
            try NATSConnection.open(server, configuration: configuration, observer: observer)
          })
      }
    }
    var failures: [TransportError] = []
    for await outcome in outcomes {
      switch outcome {
      case .success: return outcome
      case .failure(let error): failures.append(error)
      }
      if failures.count == servers.count { break }
    }
    guard failures.count == servers.count else {
      return .failure(TransportError(.unreachable, "connecting was cancelled"))
    }
    let kind =
      failures.contains { $0.kind == .refused } ? TransportError.Kind.refused : .unreachable
    return .failure(
      TransportError(kind, failures.map(\.description).joined(separator: "; ")))
  }

  private enum Installation { case installed, failed }

  /// Puts all subscriptions in place on a new connection, and only then makes it the one in use: what
  /// others publish after `.connected` reaches us.
  private func install(_ connection: NATSConnection) async -> Installation {
    var placed: Set<String> = []
    while true {
      let missing = state.withLock { state -> [String] in
        if state.phase.isClosed { return [] }
        let missing = state.subjects.filter { !placed.contains($0) }
        if missing.isEmpty {
          state.phase = .connected(connection)
          state.server = connection.server
          queue.pushEssential(.connected(server: connection.server.description))
        }
        return missing
      }
      if missing.isEmpty { return state.withLock { $0.phase.isClosed } ? .failed : .installed }
      let isPlaced = await blocking("nats-subscribe") {
        do throws(NATSError) {
          for subject in missing { try connection.subscribe(to: subject) }
          try connection.flush(timeout: .seconds(5))
          return true
        } catch {
          return false
        }
      }
      guard isPlaced else { return .failed }
      placed.formUnion(missing)
    }
  }

  private func startSupervising(_ connection: NATSConnection, servers: [ServerAddress]) {
    logger.info("connected", metadata: ["server": "\(connection.server)"])
    state.withLock { state in
      guard !state.phase.isClosed else { return }
      state.supervisor = Task { [self] in await supervise(connection, servers: servers) }
    }
  }

  /// Until ``close()``: waits for the connection's end and makes the next one.
  private func supervise(_ first: NATSConnection, servers: [ServerAddress]) async {
    var connection = first
    var known = servers
    while let reason = await connection.observer.end() {
      let ended = connection
      let wasInUse = state.withLock { state in
        guard case .connected(let current) = state.phase, current === ended else { return false }
        state.phase = .reconnecting
        queue.pushEssential(.disconnected(reason: reason))
        return true
      }
      guard wasInUse else { return }
      logger.notice(
        "connection lost", metadata: ["server": "\(ended.server)", "reason": "\(reason)"])
      known = servers
      for server in await blocking("nats-close", { ended.discoveredAndClosed() })
      where !known.contains(where: { $0.description == server.description }) {
        known.append(server)
      }
      guard let next = await regain(known) else { return }
      logger.info("connected again", metadata: ["server": "\(next.server)"])
      connection = next
    }
  }

  /// - Returns: nil when cancelled.
  private func regain(_ servers: [ServerAddress]) async -> NATSConnection? {
    var rounds = 0
    var refusal: TransportError?
    while true {
      let isPatient = refusal != nil || rounds >= configuration.patientRounds
      let wait: Duration =
        rounds == 0
        ? .zero
        : isPatient ? configuration.patientReconnectWait : configuration.reconnectWait
      let jitter = configuration.reconnectJitter * Double.random(in: 0..<1)
      guard (try? await Task.sleep(for: wait + jitter)) != nil else { return nil }
      rounds += 1
      switch await connectToFirst(of: servers.shuffled()) {
      case .success(let connection):
        if await install(connection) == .installed { return connection }
        startThread(named: "nats-close") { connection.close() }
        refusal = nil
      case .failure(let error):
        if Task.isCancelled { return nil }
        logger.debug("no connection yet", metadata: ["error": "\(error)"])
        // The texts of several servers come in any order; that they refuse is what matters.
        if error.kind == .refused, refusal == nil {
          queue.push(.warning(error.description), cost: error.description.utf8.count + 256)
          logger.warning("the broker refuses this party", metadata: ["error": "\(error)"])
        }
        refusal = error.kind == .refused ? error : nil
      }
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
      case .reconnecting: throw TransportError(.notConnected, "the connection is lost for now")
      case .closed: throw .transportClosed
      }
    }
  }
}

extension TransportError {
  fileprivate static let transportClosed = TransportError(.closed, "the connection was closed")
}
