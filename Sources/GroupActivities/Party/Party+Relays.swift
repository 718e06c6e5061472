import Synchronization
import Timekeeping

/// The changes of the party's relays, and the way to this participant's own.
final class PartyRelays: Sendable {
  let changes: AsyncStream<[RelayOffer]>
  private let continuation: AsyncStream<[RelayOffer]>.Continuation
  private let ownAddress = Mutex<Invite.Address?>(nil)
  private let use = Mutex(Use())
  /// The connection with this program's own relay while clients of it are bridged; else nil.
  private let bridge = Mutex<(any GroupTransport)?>(nil)

  /// The relay in use, by its owner; nil for an unknown one.
  private struct Use: Sendable {
    var owner: Participant.ID?
    /// A Boolean value that indicates whether the link to it was lost.
    var isLost = false
  }

  init() {
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The address at which this program reaches the relay that it offers; nil without one.
  var own: Invite.Address? { ownAddress.withLock { $0 } }

  func setOwn(_ address: Invite.Address?) { ownAddress.withLock { $0 = address } }

  func linkLost() { use.withLock { $0.isLost = true } }

  /// - Returns: the owner of the relay that was lost, if this is another one.
  func linkReturned(over owner: Participant.ID?) -> Participant.ID? {
    use.withLock { use in
      defer { use = Use(owner: owner) }
      return use.isLost && use.owner != owner ? use.owner : nil
    }
  }

  /// The connection with this program's own relay while clients of it are bridged; else nil.
  var bridged: (any GroupTransport)? { bridge.withLock { $0 } }

  func setBridged(_ relay: (any GroupTransport)?) { bridge.withLock { $0 = relay } }

  func publish(_ offers: [RelayOffer]) { continuation.yield(offers) }

  func finish() { continuation.finish() }
}

/// The relays that the participants of a party offer, so that the party outlives each of them.
extension Party {
  /// Offers a relay of this participant's program to the party, or other addresses of it. All participants move there
  /// when the better relays are gone.
  ///
  /// - Parameters:
  ///   - addresses: the addresses at which others may reach it, best first; at most four count. Empty to withdraw the
  ///     relay.
  ///   - local: the address at which this program reaches it.
  public func offerRelay(at addresses: [Invite.Address], local: Invite.Address? = nil) {
    relays.setOwn(addresses.isEmpty ? nil : local)
    perform(machine.offerRelay(at: addresses, now: .now()))
  }

  /// Informs the others that this participant's program has connected to an offered relay, and so can use it. From then
  /// on the program tries this address of it again and again, and names it in invites.
  ///
  /// - Parameters:
  ///   - offer: the offer.
  ///   - address: its address at which the program has connected.
  public func relayReached(_ offer: RelayOffer, at address: Invite.Address) {
    perform(machine.relayReached(offer.owner, at: address, now: .now()))
  }

  /// Also speaks to the clients of this program's own relay, through a connection with it, while the party uses another
  /// one that may be of no use to them; nil to end that. They are heard by ``overheard(_:)``.
  package nonisolated func bridges(_ relay: (any GroupTransport)?) { relays.setBridged(relay) }

  /// Processes a message that a client of this program's own relay sent there. It may arrive over the relay in use too,
  /// and counts once.
  package func overheard(_ message: TransportMessage) {
    guard [keys.subjects.everyone, keys.subjects.only(localID)].contains(message.subject) else {
      return
    }
    _ = inbox.put(edges.bridgeSorter.sort(message))
  }

  /// The party's relays, best first, whenever they change; for one consumer. Only the newest list waits.
  public nonisolated var relayChanges: AsyncStream<[RelayOffer]> { relays.changes }

  /// The relays of the party, best first, as this participant would use them.
  public var relayOffers: [RelayOffer] { machine.standby.relays.map(usable) }

  /// Passes changed offers to the transport and the program.
  func publishRelays() {
    guard let offers = machine.takeRelayNews() else { return }
    let usable = offers.map(usable)
    transport.setRelays(routes(usable))
    relays.publish(usable)
  }

  /// The link leads over a relay, which may have replaced a lost one.
  func noteRelay(_ server: String) {
    machine.linkLeads(to: Invite.Address(server))
    publishRelays()
    let owner = routes(relayOffers).first { $0.addresses.contains { $0.text == server } }?.owner
    guard let lost = relays.linkReturned(over: owner) else { return }
    machine.relayLost(of: lost, at: .now())
    schedule()
  }

  /// The relays in the order in which to use them. The creator's is also where the invite leads, unless another
  /// participant's is there.
  private func routes(_ offers: [RelayOffer]) -> [RelayRoute] {
    guard !offers.isEmpty else { return [] }
    let standbys = offers.filter { !$0.isCreators }.flatMap(\.addresses)
    let invited = invite.addresses.filter { !standbys.contains($0) }
    let creators = offers.first { $0.isCreators }
    let known = creators?.addresses ?? []
    let first = RelayRoute(
      owner: invite.party, addresses: known + invited.filter { !known.contains($0) },
      reached: (creators?.reached ?? []) + invited, isPresent: creators?.isExpected ?? false)
    let routes = offers.map { $0.isCreators ? first : self.route($0) }
    return (creators == nil && !invited.isEmpty ? [first] + routes : routes).map(closest)
  }

  /// The user's own invite is as good as a visit.
  private func route(_ offer: RelayOffer) -> RelayRoute {
    RelayRoute(
      owner: offer.owner, addresses: offer.addresses,
      reached: offer.reached + offer.addresses.filter(invite.addresses.contains),
      isPresent: offer.isExpected)
  }

  /// This participant's own relay is closer than its addresses for others.
  private func closest(_ route: RelayRoute) -> RelayRoute {
    guard route.owner == localID, let own = relays.own else { return route }
    return RelayRoute(owner: localID, addresses: [own], reached: [own], isPresent: true)
  }

  /// Drops the addresses that mean this machine, whichever machine the relay is on. They count only in a party on one
  /// machine.
  private func usable(_ offer: RelayOffer) -> RelayOffer {
    guard !invite.addresses.allSatisfy(\.isLoopback) else { return offer }
    var usable = offer
    usable.addresses.removeAll(where: \.isLoopback)
    return usable
  }
}

extension Invite {
  /// A Boolean value that indicates whether the invite works on one machine only.
  public var isForOneMachine: Bool { addresses.allSatisfy(\.isLoopback) }

  /// Returns an invite that also names the party's other relays that this participant has reached. It has sixteen
  /// addresses and 1 KiB at most: of another's relay the one at which it was reached, of this participant's own all.
  ///
  /// The holders of the invite contact these addresses, so the claims of others don't count.
  ///
  /// - Parameters:
  ///   - addresses: the current addresses of the creator's relay; nil for those of this invite.
  ///   - offers: the party's relays, best first.
  public func naming(_ addresses: [Address]?, and offers: [RelayOffer]) -> Invite {
    let creators = addresses ?? offers.first { $0.isCreators }?.reached ?? []
    let standbys = offers.filter { !$0.isCreators && $0.isExpected }.flatMap(\.reached)
    var all: [Address] = []
    // Without the creator, the relay in use comes first.
    for address in creators + standbys + (addresses == nil ? self.addresses : [])
    where !all.contains(address) {
      all.append(address)
    }
    return at(Self.fitting(all, in: Self.namingLimit))
  }

  /// Returns the invite that a participant other than the creator passes on. It is short enough for one line: it has
  /// three addresses at most, those of the creator's relay first. Participants learn the others after they have joined.
  ///
  /// - Parameter offers: the party's relays, best first.
  package func abridged(knowing offers: [RelayOffer]) -> Invite {
    let known = naming(nil, and: offers).addresses
    let standbys = offers.filter { !$0.isCreators }.flatMap(\.addresses)
    let isCreatorHere = offers.first { $0.isCreators }?.isExpected ?? false
    let creators = isCreatorHere ? known.filter { !standbys.contains($0) } : []
    return at(Array((creators + known.filter { !creators.contains($0) }).prefix(3)))
  }

  /// The length of the longest invite that names relays of others, in bytes.
  private static let namingLimit = 1024
}
