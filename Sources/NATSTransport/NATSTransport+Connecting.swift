import Concurrency
import GroupActivities

/// Making one connection, to any of the servers.
extension NATSTransport {
  /// Connects to all servers of the list and returns the connection of the first that answers. The
  /// attempts begin a little apart, in order.
  func connectToFirst(
    of list: [ServerAddress]
  ) async -> Result<NATSConnection, TransportError> {
    // A server that is listed twice is tried once.
    var listed: Set<String> = []
    let servers = list.filter { listed.insert($0.description).inserted }
    return await withTaskGroup(
      of: (server: ServerAddress, result: Result<NATSConnection, TransportError>).self
    ) { group in
      for (index, server) in servers.enumerated() {
        group.addTask { [self] in
          // Cancelled, an attempt ends at once. A late winner is released, which closes it.
          if index > 0 { try? await Task.sleep(for: configuration.attemptStagger * index) }
          return (server, await open(server))
        }
      }
      var failures: [String: TransportError] = [:]
      for await (server, result) in group {
        switch result {
        case .success:
          group.cancelAll()
          return result
        case .failure(let error): failures[server.description] = error
        }
      }
      let inOrder = servers.compactMap { failures[$0.description] }
      let kind = [.refused, .untrusted].first { kind in inOrder.contains { $0.kind == kind } }
      return .failure(
        TransportError(
          kind ?? .unreachable, inOrder.map(\.description).joined(separator: "; ")))
    }
  }

  /// Connects to one server, with TLS if the user, the party's past, or the server asks for it.
  private func open(_ server: ServerAddress) async -> Result<NATSConnection, TransportError> {
    let requiresTLS = state.withLock { $0.servers.usesTLS(server) }
    return await open(
      server, requiresTLS: requiresTLS, speaksFirst: server.scheme == .nats && !requiresTLS)
  }

  private func open(
    _ server: ServerAddress, requiresTLS: Bool, speaksFirst: Bool
  ) async -> Result<NATSConnection, TransportError> {
    var attempt = ConnectionAttempt(
      server: server, requiresTLS: requiresTLS,
      configuration: configuration, identity: identity, trust: trust,
      link: Link(observer: ConnectionObserver(queue: queue, recent: recent)))
    attempt.speaksFirst = speaksFirst
    do throws(NATSError) {
      let connection = try await NATSConnection.open(attempt)
      if connection.isVerified { state.withLock { $0.servers.haveTLS() } }
      return .success(connection)
    } catch {
      switch error {
      case .spokeTooSoon:
        state.withLock { $0.servers.asksForTLS(server) }
        return await open(server, requiresTLS: requiresTLS, speaksFirst: false)
      case .certificate, .tls: state.withLock { $0.servers.asksForTLS(server) }
      case .unreachable, .unknownHost, .silent, .lost, .stale, .notReading, .server, .violation,
        .flood, .unsigned, .noTLS, .noWebSocket, .closed:
        break
      }
      return .failure(
        TransportError(connectingTo: server, configuration: configuration, failed: error))
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
      guard await connection.place(missing) else { return .failed }
      placed.formUnion(missing)
    }
  }
}
