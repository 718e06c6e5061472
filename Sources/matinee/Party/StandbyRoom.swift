import GroupActivities
import Logging
import NATSTransport
import Reachability
import Relay
import Screening
import Timekeeping

/// The relays with which a party outlives its host's program: this program's own, and the connections to the others'
/// that prove that they work.
@ScreeningActor
final class StandbyRoom {
  /// The party's relays, best first.
  private(set) var offers: [RelayOffer] = []
  private var party: Party?
  /// This program's standby relay; nil for none, or if the host's relay is this program's.
  private var relay: Relay?
  private var mayServe = false
  /// The relay that this participant uses, as its last `connected` event named it; nil while the link is down.
  private var server: String?
  /// The addresses of this program's relay; nil without one.
  private(set) var own: OwnRelay?
  private var bridge: (bridge: RelayBridge, server: String)?
  /// A Boolean value that indicates whether clients were at the relay at the last look.
  private var hasWaiting = false
  /// The offers that this program has considered, by their owners, and the times from which it tries them; nil to leave
  /// that to others.
  private var considered: [Participant.ID: (addresses: [Invite.Address], from: HostTime?)] = [:]
  private var trials = RelayTrials()
  /// The attempts under way.
  private var attempts: [Invite.Address: Task<Void, Never>] = [:]
  private var tasks: [Task<Void, Never>] = []
  /// Called when the relays changed.
  private let changed: @ScreeningActor () async -> Void

  /// The participants of a larger party that connect to each relay to verify it, besides the owners of others.
  private static let witnesses = 16.0
  /// The number of relays from which on a participant offers no further one.
  private static let relayLimit = 6

  init(changed: @escaping @ScreeningActor () async -> Void) { self.changed = changed }

  /// The best relay that takes over when this program ends; nil for none.
  ///
  /// While this program's relay is in use, none of the better ones answers. Their owners may not count as gone yet.
  var successor: RelayOffer? {
    let me = party?.localID
    let own = isInUse ? offers.firstIndex { $0.owner == me } : nil
    return offers[(own ?? 0)...].first { $0.owner != me && $0.isPresent && $0.isReached }
  }

  /// Begins to follow the relays of a party.
  ///
  /// - Parameters:
  ///   - own: the addresses of this program's relay, if it is the host's; nil for a guest.
  ///   - mayServe: whether this program may offer a relay as a guest.
  func begin(in party: Party, own: OwnRelay?, mayServe: Bool) async {
    self.party = party
    self.mayServe = mayServe && own == nil
    if let own { await offer(own) }
    let changes = party.relayChanges
    tasks.append(
      Task { [weak self] in
        for await offers in changes { await self?.handle(offers) }
      })
    tasks.append(
      Task { [weak self] in
        while (try? await Task.sleep(for: Self.trialPace)) != nil { self?.tryRelays() }
      })
  }

  /// The addresses of this program's own relay.
  struct OwnRelay: Sendable {
    var addresses: [Invite.Address]
    var port: Int
    var listensOn: String

    /// The address at which this program reaches it.
    var local: Invite.Address? {
      let host = ["*", "0.0.0.0", "::"].contains(listensOn) ? "127.0.0.1" : listensOn
      return Invite.Address(host: listensOn == "::" ? "::1" : host, port: port)
    }
  }

  func offer(_ own: OwnRelay) async {
    self.own = own
    await party?.offerRelay(at: own.addresses, local: own.local)
  }

  /// The link leads over this relay now; nil while it is down.
  func linkChanged(to server: String?) { self.server = server }

  /// Announces that the relay is about to stop, and waits until the others have moved.
  func retire() async {
    await relay?.retire(within: PartyHosting.retirementLimit)
  }

  /// Ends the relay.
  func end() async {
    for task in tasks + attempts.values { task.cancel() }
    (tasks, attempts) = ([], [:])
    (party, offers, considered, server, own) = (nil, [], [:], nil, nil)
    let (relay, bridge) = (relay, bridge)
    (self.relay, self.bridge) = (nil, nil)
    await bridge?.bridge.stop()
    await relay?.shutdown()
  }

  /// A Boolean value that indicates whether the party uses this program's standby relay.
  var isInUse: Bool { relay != nil && server != nil && server == own?.local?.text }

  private func handle(_ offers: [RelayOffer]) async {
    guard let party else { return }
    self.offers = offers
    let count = await party.participantCount
    for offer in offers where offer.owner != party.localID && offer.isPresent {
      guard considered[offer.owner]?.addresses != offer.addresses else { continue }
      // The connections of all participants don't come at once.
      let delay = Duration.seconds(Double.random(in: 0..<(count > 4 ? 3 : 1)))
      let isWitness = own != nil || Double.random(in: 0..<1) * Double(count) < Self.witnesses
      considered[offer.owner] = (offer.addresses, isWitness ? .now() + delay : nil)
    }
    if mayServe, offers.count < Self.relayLimit, !offers.isEmpty {
      mayServe = false
      // In a larger party the first relays are known by the time at which the others would be offered.
      serve(after: .seconds(count > Self.relayLimit ? Double.random(in: 0.5..<1) : 0))
    }
    await changed()
  }

  /// The interval between two looks at the relays that this program hasn't reached.
  private static let trialPace = Duration.milliseconds(200)

  /// Connects to relays that this program hasn't reached. While the link is down, the party's transport does.
  private func tryRelays() {
    guard let party, server != nil else { return }
    let now = HostTime.now()
    let new = offers.filter { offer in
      offer.owner != party.localID && offer.isPresent && !offer.isReached
        && considered[offer.owner]?.from.map { now >= $0 } == true
    }
    for address in trials.due(new.map(\.addresses), at: now) {
      guard let offer = new.first(where: { $0.addresses.contains(address) }) else { continue }
      attempt(offer, at: address, in: party)
    }
  }

  private func attempt(_ offer: RelayOffer, at address: Invite.Address, in party: Party) {
    let admission = PartyKeys(secret: party.invite.secret, party: party.invite.party).admission
    attempts[address] = Task { [weak self] in
      if await NATSTransport.reaches(address, admission: admission, logger: .ofTransport),
        !Task.isCancelled
      {
        await party.relayReached(offer, at: address)
      }
      self?.attempted(address)
    }
  }

  private func attempted(_ address: Invite.Address) { attempts[address] = nil }

  /// Starts a relay for the party, and offers it.
  private func serve(after delay: Duration) {
    tasks.append(
      Task { [weak self] in
        guard (try? await Task.sleep(for: delay)) != nil else { return }
        await self?.serve()
      })
  }

  private func serve() async {
    guard let party, relay == nil else { return }
    var options = PartyHosting.Options()
    if party.invite.isForOneMachine { (options.host, options.port) = ("127.0.0.1", 0) }
    let key = PartyKeys(secret: party.invite.secret, party: party.invite.party).admission.publicKey
    // A guest that can't listen is one relay fewer, which is no problem of its user.
    guard
      let (relay, port) = try? await PartyHosting.listen(options, key: key, logger: .ofTransport)
    else { return }
    let reach = Reach(
      host: options.host, port: port, interfaces: InterfaceAddress.all(), mapping: nil)
    let addresses = reach.places.filter { $0.kind != .machine || party.invite.isForOneMachine }
      .map(\.address)
    guard self.party === party, self.relay == nil, !addresses.isEmpty else {
      return await relay.shutdown()
    }
    self.relay = relay
    await offer(OwnRelay(addresses: addresses, port: port, listensOn: options.host))
    tasks.append(
      Task { [weak self] in
        while (try? await Task.sleep(for: Self.bridgePace)) != nil { await self?.checkBridge() }
      })
  }

  // MARK: - Participants that reach only this relay

  /// The interval between two looks at the clients of the relay. A connection that only verifies the relay is over by
  /// the second one.
  private static let bridgePace = Duration.milliseconds(500)

  /// Begins or ends the bridge between this program's relay and the one in use.
  private func checkBridge() async {
    guard let relay, let party else { return }
    let isNeeded = await relay.clientCount() > 0 && server != nil && !isInUse
    if let old = bridge, !isNeeded || old.server != server {
      bridge = nil
      await old.bridge.stop()
    }
    guard isNeeded, hasWaiting else { return hasWaiting = isNeeded }
    guard bridge == nil, let server, let new = RelayBridge(relay: relay, party: party, to: server)
    else { return }
    bridge = (new, server)
    do throws(TransportError) {
      try await new.start()
    } catch {
      if bridge?.bridge === new { bridge = nil }
    }
  }
}
