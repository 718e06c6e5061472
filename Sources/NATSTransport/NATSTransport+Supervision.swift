import Concurrency
import GroupActivities
import Timekeeping

/// Keeping a connection: replacing a lost one, and moving to another server in time.
extension NATSTransport {
  /// Waits for each turn of the connection, and replaces the connection, until ``close()``.
  func supervise(_ first: NATSConnection) async {
    var connection = first
    var departure: Task<Void, Never>?
    defer { departure?.cancel() }
    while let turn = await connection.observer.turn() {
      departure?.cancel()
      switch turn {
      case .leaving:
        let hasRelays = state.withLock { !$0.relays.choice.isEmpty }
        let wait =
          (hasRelays ? Self.departureSpread : configuration.departureSpread)
          * Double.random(in: 0..<1)
        departure = Task { [observer = connection.observer] in
          if (try? await Task.sleep(for: wait)) != nil { observer.departureIsDue() }
        }
      case .departure:
        if let next = await move(from: connection) { connection = next }
      case .better(let next):
        if await move(from: connection, to: next, overlap: Self.relayOverlap) { connection = next }
        probe(insteadOf: connection)
      case .over(let reason):
        guard let next = await replace(connection, lost: reason) else { return }
        connection = next
      }
    }
  }

  /// - Returns: nil if it wasn't in use any more, or the transport was closed.
  private func replace(_ ended: NATSConnection, lost reason: String) async -> NATSConnection? {
    let discovered = ended.discoveredServers()
    ended.close()
    let wasInUse = state.withLock { state in
      guard case .connected(let current) = state.phase, current === ended else { return false }
      state.phase = .reconnecting
      state.relays.choice.linkLost()
      state.servers.learn(discovered)
      queue.putEssential(.disconnected(reason: reason))
      return true
    }
    guard wasInUse else { return nil }
    logger.notice(
      "connection lost", metadata: ["server": "\(ended.server)", "reason": "\(reason)"])
    let next = await regain(after: ended.server)
    if let next { logger.info("connected again", metadata: ["server": "\(next.server)"]) }
    return next
  }

  /// - Returns: nil if cancelled.
  private func regain(after lost: ServerAddress) async -> NATSConnection? {
    var random = SystemRandomNumberGenerator()
    var schedule = ReconnectSchedule(configuration)
    var refusal: TransportError?
    while true {
      let wait = schedule.next(
        isRefused: refusal != nil, chance: Double.random(in: 0..<1, using: &random))
      state.withLock { $0.nextAttempt = .now() + wait }
      defer { state.withLock { $0.nextAttempt = nil } }
      guard (try? await Task.sleep(for: wait)) != nil else { return nil }
      state.withLock { $0.nextAttempt = nil }
      let (servers, relays) = state.withLock { state in
        (state.servers, state.relays.choice.attempts(at: .now()))
      }
      let result =
        relays.isEmpty
        ? await connectToFirst(of: servers.successors(of: lost, using: &random))
        : await connectToRelay(relays)
      switch result {
      case .success(let connection):
        if await install(connection) == .installed {
          probe(insteadOf: connection)
          return connection
        }
        connection.close()
        refusal = nil
      case .failure(let error):
        if Task.isCancelled { return nil }
        logger.debug("no connection yet", metadata: ["error": "\(error)"])
        guard error.kind == .refused || error.kind == .untrusted else {
          refusal = nil
          continue
        }
        // The texts of several servers come in any order, so only the first refusal is reported.
        if refusal == nil {
          queue.put(.warning(error.description), cost: error.description.utf8.count + 256)
          logger.warning("the relay refuses this party", metadata: ["error": "\(error)"])
        }
        refusal = error
      }
    }
  }

  /// Moves to another relay of the party, or another server of the cluster, while the connection with this one still
  /// works.
  ///
  /// For a moment there are two connections, since a cluster takes some milliseconds to learn a new
  /// subscription. A message that arrives over both counts once.
  ///
  /// - Returns: nil if there is no other server, or none that answers: then this one is used to its
  ///   end.
  private func move(from old: NATSConnection) async -> NATSConnection? {
    let relays = state.withLock { $0.relays.choice.alternatives(at: .now()) }
    if !relays.isEmpty {
      guard case .success(let next) = await connectToRelay(relays),
        await move(from: old, to: next, overlap: Self.departureOverlap)
      else { return nil }
      probe(insteadOf: next)
      return next
    }
    var random = SystemRandomNumberGenerator()
    let discovered = old.discoveredServers()
    let others = state.withLock { state in
      state.servers.learn(discovered)
      return state.servers.others(than: old.server, using: &random)
    }
    guard !others.isEmpty else { return nil }
    recent.begin()
    guard case .success(let next) = await connectToFirst(of: others) else {
      recent.end()
      return nil
    }
    // The new connection leads to the same server by another of its addresses, or can't be used.
    guard next.serverID != old.serverID, await install(next) == .installed else {
      next.close()
      recent.end()
      return nil
    }
    logger.info(
      "went over", metadata: ["from": "\(old.server)", "to": "\(next.server)"])
    // Closing the transport doesn't shorten this: the new connection is then closed elsewhere.
    try? await Task.sleep(for: Self.overlap)
    // Messages that the old connection delivers until it is closed have arrived over the new one
    // too, or still wait there.
    Task { [recent] in
      old.close()
      await next.flush(within: .seconds(10))
      recent.end()
    }
    return next
  }

  /// Many times the time that a cluster needs to make a subscription known.
  private static let overlap = Duration.milliseconds(500)
}
