import CNATS
import Concurrency
import GroupActivities

/// Making one connection, to any of the servers.
extension NATSTransport {
  /// Connects to all servers of the list and returns the connection of the first that answers. The
  /// attempts begin a little apart, in order.
  func connectToFirst(
    of list: [ServerAddress]
  ) async -> Result<NATSConnection, TransportError> {
    // At most two outcomes for each server: its own, and the one at the limit.
    let (outcomes, continuation) = AsyncStream.makeStream(
      of: (server: ServerAddress, result: Result<NATSConnection, TransportError>).self,
      bufferingPolicy: .bufferingOldest(2 * list.count))
    let isDecided = ThreadFlag()
    // A server that is listed twice is tried once.
    var listed: Set<String> = []
    let servers = list.filter { listed.insert($0.description).inserted }
    defer {
      isDecided.set()
      // A late winner is released, which closes it.
      continuation.finish()
    }
    for (index, server) in servers.enumerated() {
      guard state.withLock({ $0.attempted.insert(server.description).inserted }) else {
        continuation.yield((server, .failure(.stillUnanswered(server))))
        continue
      }
      let delay = configuration.attemptStagger * index
      OwnedThread.start("nats-connect") { [self] in
        isDecided.wait(atMost: delay)
        let result = isDecided.isSet ? nil : open(server)
        state.withLock { _ = $0.attempted.remove(server.description) }
        if let result { continuation.yield((server, result)) }
      }
    }
    // A thread that hangs in a handshake can't be cancelled, and ends when the connection does.
    let limit = configuration.attemptLimit + configuration.attemptStagger * servers.count
    let alarm = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      for server in servers { continuation.yield((server, .failure(.stillUnanswered(server)))) }
    }
    defer { alarm.cancel() }

    var failures: [String: TransportError] = [:]
    for await (server, result) in outcomes {
      switch result {
      case .success: return result
      case .failure(let error):
        if failures[server.description] == nil { failures[server.description] = error }
      }
      if servers.allSatisfy({ failures[$0.description] != nil }) { break }
    }
    let inOrder = servers.compactMap { failures[$0.description] }
    guard inOrder.count == servers.count else {
      return .failure(TransportError(.unreachable, "connecting was cancelled"))
    }
    let kind = [.refused, .untrusted].first { kind in inOrder.contains { $0.kind == kind } }
    return .failure(
      TransportError(
        kind ?? .unreachable, inOrder.map(\.description).joined(separator: "; ")))
  }

  /// Connects to one server, with TLS if the user, the party's past, or the server asks for it. Blocks.
  private func open(_ server: ServerAddress) -> Result<NATSConnection, TransportError> {
    OpenSSL.keepUntilExit()
    guard IncomingGuard.isInstalled else {
      return .failure(
        TransportError(
          .unreachable,
          "this build can't check what NATS servers send: link libnats as a shared library"))
    }
    func attempt(usesTLS: Bool) throws(NATSError) -> NATSConnection {
      try NATSConnection.open(
        server, usesTLS: usesTLS, configuration: configuration,
        observer: ConnectionObserver(identity: identity, queue: queue, recent: recent))
    }
    return Result { () throws(TransportError) in
      do throws(NATSError) {
        if !state.withLock({ $0.servers.usesTLS(server) }) {
          do throws(NATSError) {
            return try attempt(usesTLS: false)
          } catch {
            guard error.isStatus(NATS_SSL_ERROR) else { throw error }
            state.withLock { $0.servers.asksForTLS(server) }
          }
        }
        let connection = try attempt(usesTLS: true)
        state.withLock { $0.servers.haveTLS() }
        return connection
      } catch {
        throw TransportError(connectingTo: server, configuration: configuration, failed: error)
      }
    }
  }

  enum Installation { case installed, failed }

  /// Subscribes to all subjects on a new connection, and only then makes it the one in use:
  /// messages that others publish after `.connected` arrive.
  func install(_ connection: NATSConnection) async -> Installation {
    var placed: Set<NATSSubscription> = []
    while true {
      let missing = state.withLock { state -> [NATSSubscription] in
        if state.phase.isClosed { return [] }
        let missing = state.subscriptions.filter { !placed.contains($0) }
        if missing.isEmpty {
          state.phase = .connected(connection)
          state.server = connection.server
          state.relays.choice.connected(to: state.relays.owner(of: connection.server))
          queue.putEssential(.connected(server: connection.server.description))
        }
        return missing
      }
      if missing.isEmpty { return state.withLock { $0.phase.isClosed } ? .failed : .installed }
      guard await OwnedThread.run("nats-subscribe", { connection.place(missing) }) else {
        return .failed
      }
      placed.formUnion(missing)
    }
  }
}

extension TransportError {
  fileprivate static func stillUnanswered(_ server: ServerAddress) -> TransportError {
    TransportError(.unreachable, "\(server) accepts connections, but doesn't answer")
  }
}
