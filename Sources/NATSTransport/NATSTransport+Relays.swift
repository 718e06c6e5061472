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
    /// The connection with the relay that was in use before, for as long as others may still be there.
    var former: NATSConnection?
    /// The attempts to reach a better relay than the one in use.
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
  func probe(insteadOf connection: NATSConnection) {
    let task = Task { [weak self] in
      while (try? await Task.sleep(for: RelayChoice.probeInterval)) != nil {
        guard let self, !(await self.triedBetter(than: connection)) else { return }
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
  private func triedBetter(than connection: NATSConnection) async -> Bool {
    let better = state.withLock { $0.relays.choice.better }
    guard !better.isEmpty else { return true }
    guard case .success(let next) = await connectToRelay(better) else { return false }
    guard next.serverID == connection.serverID else {
      connection.observer.foundBetter(next)
      return true
    }
    // The relay in use has other addresses too.
    OwnedThread.start("nats-close") { next.close() }
    return state.withLock { state in
      guard let owner = state.relays.owner(of: next.server) else { return false }
      state.relays.note(connection.server, isOf: owner)
      return state.relays.choice.better.isEmpty
    }
  }

  /// Moves to another relay while the connection with this one still works. For a while messages go over both, since
  /// the other participants move at other instants. A message that arrives over both counts once.
  ///
  /// - Returns: false if the new connection can't be used.
  func move(
    from old: NATSConnection, to next: NATSConnection, overlap: Duration
  ) async -> Bool {
    recent.begin()
    state.withLock { $0.relays.former = old }
    guard next.serverID != old.serverID, await install(next) == .installed else {
      state.withLock { $0.relays.former = nil }
      OwnedThread.start("nats-close") { [recent] in
        next.close()
        recent.end()
      }
      return false
    }
    logger.info("moved", metadata: ["from": "\(old.server)", "to": "\(next.server)"])
    // Bounded. Closing the transport doesn't shorten it: the new connection is closed elsewhere.
    Task { [self] in
      try? await Task.sleep(for: overlap)
      state.withLock { if $0.relays.former === old { $0.relays.former = nil } }
      OwnedThread.start("nats-close") { [recent] in
        // The answer means that the relay has read all that was sent.
        try? old.flush(timeout: .milliseconds(500))
        old.close()
        next.catchUp(within: .seconds(10))
        recent.end()
      }
    }
    return true
  }

  /// Connects to a relay once, with the party's key, to find out whether this program can use it.
  ///
  /// - Parameters:
  ///   - addresses: the relay's addresses, best first.
  ///   - admission: the party's key, which the relay must admit.
  ///   - logger: the logger of the connection.
  public static func reaches(
    _ addresses: [Invite.Address], admission: AdmissionKey, logger: Logger
  ) async -> Bool {
    let servers = addresses.compactMap { try? ServerAddress($0.text) }
    let transport = NATSTransport(
      configuration: NATSConfiguration(servers: servers), admission: admission, logger: logger)
    defer { Task { await transport.close() } }
    do throws(TransportError) {
      try await transport.connect()
      return true
    } catch {
      return false
    }
  }
}
