import Concurrency
import GroupActivities
import Logging
import Timekeeping

/// A party's relays: using the best that answers.
extension NATSTransport {
  /// The relays of a party, and the way to the one in use.
  struct Relays: Sendable {
    var choice = RelayChoice()
    /// The owners of relays that turned out to be at other addresses than they say, by these addresses.
    var aliases: [String: Participant.ID] = [:]
    /// The connection with a second relay, for as long as others may be there: one that was in use before, or one that
    /// is visited.
    var second: NATSConnection?
    /// The attempts to reach other relays than the one in use.
    var prober: Task<Void, Never>?

    /// The largest number of ``aliases``.
    private static let aliasLimit = 32

    func owner(of server: ServerAddress) -> Participant.ID? {
      choice.owner(at: server.description) ?? aliases[server.description]
    }

    mutating func note(_ server: ServerAddress, isOf owner: Participant.ID) {
      if aliases.count >= Self.aliasLimit { aliases = [:] }
      aliases[server.description] = owner
      choice.connected(to: owner)
    }
  }

  /// The time for which the participants of a relay that stops wait before they move, so that it isn't the same instant
  /// for all.
  static let departureSpread = Duration.milliseconds(300)
  /// The time for which messages go over both relays after a move to a better one. By then the others have found that
  /// one too.
  static let relayOverlap = RelayChoice.probeInterval * 2
  /// The same after a move away from a relay that stops, whose participants move at the same time.
  static let departureOverlap = Duration.seconds(1)

  /// Replaces the party's relays, best first. While there are any, they count instead of the configured servers.
  public func setRelays(_ relays: [RelayRoute]) {
    let connection = state.withLock { state -> NATSConnection? in
      state.relays.choice.relaysChanged(to: relays)
      guard case .connected(let connection) = state.phase else { return nil }
      state.relays.choice.connected(to: state.relays.owner(of: connection.server))
      return connection
    }
    if let connection { probe(insteadOf: connection) }
  }

  /// Connects to the first relay that answers. Each has a head start over those that follow.
  func connectToRelay(
    _ attempts: [(route: RelayRoute, delay: Duration)]
  ) async -> Result<NATSConnection, TransportError> {
    await withTaskGroup(of: Result<NATSConnection, TransportError>.self) { group in
      for (route, delay) in attempts {
        // An address that this program can't use is one attempt fewer.
        let servers = route.addresses.compactMap { try? ServerAddress($0.text) }
        guard !servers.isEmpty else { continue }
        group.addTask { [self] in
          // Cancelled, `connectToFirst` ends at once.
          if delay > .zero { try? await Task.sleep(for: delay) }
          return await connectToFirst(of: servers)
        }
      }
      var failure = TransportError(.unreachable, "no relay is known")
      for await result in group {
        switch result {
        case .success:
          group.cancelAll()
          return result
        case .failure(let error):
          if failure.kind == .unreachable { failure = error }
        }
      }
      return .failure(failure)
    }
  }

  /// Tries the better relays again and again while there are any, and hands the first connection to the supervisor.
  /// Visits the relays of silent owners.
  func probe(insteadOf connection: NATSConnection) {
    let task = Task { [weak self] in
      while (try? await Task.sleep(for: RelayChoice.probeInterval)) != nil {
        guard let self, !(await self.hasFinished(lookingBeside: connection)) else { return }
      }
    }
    let old = state.withLock { state -> Task<Void, Never>? in
      guard case .connected(let current) = state.phase, current === connection else { return task }
      defer { state.relays.prober = task }
      return state.relays.prober
    }
    old?.cancel()
  }

  /// - Returns: true if there is nothing more to try.
  private func hasFinished(lookingBeside connection: NATSConnection) async -> Bool {
    let (better, visits, isVisiting) = state.withLock { state in
      let now = HostTime.now()
      return (
        state.relays.choice.better(at: now), state.relays.choice.visits(at: now),
        state.relays.second != nil
      )
    }
    if !better.isEmpty, case .success(let next) = await connectToRelay(better),
      !leads(next, toServerOf: connection)
    {
      connection.observer.foundBetter(next)
      return true
    }
    if !visits.isEmpty, !isVisiting, case .success(let other) = await connectToRelay(visits),
      !leads(other, toServerOf: connection)
    {
      await visit(other, besides: connection)
    }
    return state.withLock { $0.relays.choice.isSettled }
  }

  /// Returns whether a new connection leads only to another address of the relay in use. Then it is closed.
  private func leads(_ other: NATSConnection, toServerOf connection: NATSConnection) -> Bool {
    guard other.serverID == connection.serverID else { return false }
    other.close()
    state.withLock { state in
      guard let owner = state.relays.owner(of: other.server) else { return }
      state.relays.note(connection.server, isOf: owner)
    }
    return true
  }

  /// Sends and listens over another relay too for a while. Participants that are there hear of this one, and both find
  /// out which of the relays is the better one.
  private func visit(_ other: NATSConnection, besides connection: NATSConnection) async {
    recent.begin()
    let subscriptions = state.withLock(\.subscriptions)
    let isReady = await other.place(subscriptions)
    let isVisiting = state.withLock { state in
      guard isReady, state.relays.second == nil, case .connected(let current) = state.phase,
        current === connection
      else { return false }
      state.relays.second = other
      return true
    }
    if isVisiting { logger.info("visits", metadata: ["server": "\(other.server)"]) }
    leave(other, for: connection, after: isVisiting ? Self.relayOverlap : .zero)
  }

  /// Moves to another relay while the connection with this one still works. For a while messages go over both, since
  /// the other participants move at other instants. A message that arrives over both counts once.
  ///
  /// - Returns: false if the new connection can't be used.
  func move(
    from old: NATSConnection, to next: NATSConnection, overlap: Duration
  ) async -> Bool {
    recent.begin()
    state.withLock { $0.relays.second = old }
    guard next.serverID != old.serverID, await install(next) == .installed else {
      state.withLock { $0.relays.second = nil }
      next.close()
      recent.end()
      return false
    }
    logger.info("moved", metadata: ["from": "\(old.server)", "to": "\(next.server)"])
    leave(old, for: next, after: overlap)
    return true
  }

  /// Closes the connection with a second relay after a while.
  private func leave(_ second: NATSConnection, for used: NATSConnection, after overlap: Duration) {
    // Bounded. Closing the transport doesn't shorten it: the connection in use is closed elsewhere.
    Task { [self] in
      try? await Task.sleep(for: overlap)
      state.withLock { if $0.relays.second === second { $0.relays.second = nil } }
      // The answer means that the relay has read all that was sent.
      await second.flush(within: .milliseconds(500))
      second.close()
      await used.flush(within: .seconds(10))
      recent.end()
    }
  }

  /// Connects to an address of a relay once, with the party's key, to find out whether this program can use it.
  ///
  /// - Parameters:
  ///   - address: the relay's address.
  ///   - admission: the party's key, which the relay must admit.
  ///   - logger: the logger of the connection.
  public static func reaches(
    _ address: Invite.Address, admission: AdmissionKey, logger: Logger
  ) async -> Bool {
    guard let server = try? ServerAddress(address.text) else { return false }
    let transport = NATSTransport(
      configuration: NATSConfiguration(servers: [server]), admission: admission, logger: logger)
    defer { Task { await transport.close() } }
    do throws(TransportError) {
      try await transport.connect()
      return true
    } catch {
      return false
    }
  }
}
