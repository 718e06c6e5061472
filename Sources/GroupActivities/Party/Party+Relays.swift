import Synchronization
import Timekeeping

/// The changes of the party's relays, and the way to this participant's own.
final class PartyRelays: Sendable {
  let changes: AsyncStream<[RelayOffer]>
  private let continuation: AsyncStream<[RelayOffer]>.Continuation
  private let ownAddress = Mutex<Invite.Address?>(nil)
  private let use = Mutex(Use())

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

  /// Informs the others that this participant's program has connected to an offered relay, and so can use it.
  public func relayReached(_ offer: RelayOffer) {
    perform(machine.relayReached(offer.owner, at: offer.addresses, now: .now()))
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
    gatherPaths()
    relays.publish(usable)
  }

  /// The link leads over a relay, which may have replaced a lost one.
  func noteRelay(_ server: String) {
    let owner = routes(relayOffers).first { $0.addresses.contains { $0.text == server } }?.owner
    guard let lost = relays.linkReturned(over: owner) else { return }
    machine.relayLost(of: lost, at: .now())
    schedule()
  }

  /// The relays in the order in which to use them. The creator's is also where the invite leads, unless another
  /// participant's is there.
  private func routes(_ offers: [RelayOffer]) -> [RelayRoute] {
    guard !offers.isEmpty else { return [] }
    let others = offers.filter { !$0.isCreators }
    let creators = offers.first { $0.isCreators }
    let known = creators?.addresses ?? []
    let more = invite.addresses.filter { address in
      !known.contains(address) && !others.contains { $0.addresses.contains(address) }
    }
    let first = RelayRoute(
      owner: invite.party, addresses: known + more, isPresent: creators?.isExpected ?? false)
    return (first.addresses.isEmpty ? [] : [route(first)])
      + others.map { route($0.route) }
  }

  /// This participant's own relay is closer than its addresses for others.
  private func route(_ route: RelayRoute) -> RelayRoute {
    guard route.owner == localID, let own = relays.own else { return route }
    return RelayRoute(owner: localID, addresses: [own], isPresent: true)
  }

  /// Drops the addresses that mean this machine, whichever machine the relay is on. They count only in a party on one
  /// machine.
  private func usable(_ offer: RelayOffer) -> RelayOffer {
    guard !invite.addresses.allSatisfy(\.isLoopback) else { return offer }
    return RelayOffer(
      owner: offer.owner, addresses: offer.addresses.filter { !$0.isLoopback },
      isCreators: offer.isCreators, isPresent: offer.isPresent, isKept: offer.isKept,
      reachedBy: offer.reachedBy,
      isReached: offer.isReached, reach: offer.reach, joinedAt: offer.joinedAt)
  }
}

extension Invite {
  /// A Boolean value that indicates whether the invite works on one machine only.
  public var isForOneMachine: Bool { addresses.allSatisfy(\.isLoopback) }

  /// Returns an invite that also names the party's other relays, sixteen addresses at most.
  ///
  /// - Parameters:
  ///   - addresses: the current addresses of the creator's relay; nil for those of this invite.
  ///   - offers: the party's relays, best first.
  public func naming(_ addresses: [Address]?, and offers: [RelayOffer]) -> Invite {
    let creators = addresses ?? offers.first { $0.isCreators }?.addresses
    let standbys =
      offers
      .filter { !$0.isCreators && ($0.isPresent && $0.isVerified || $0.isKept) }
      .flatMap(\.addresses)
    var all: [Address] = []
    // Without the creator, the relay in use comes first.
    for address in (creators ?? []) + standbys + (addresses == nil ? self.addresses : [])
    where !all.contains(address) {
      all.append(address)
    }
    return at(Array(all.prefix(Self.addressLimit)))
  }
}

extension Invite.Address {
  /// A Boolean value that indicates whether the address means the machine on which it is used.
  var isLoopback: Bool {
    host == "localhost" || host == "::1" || host == "::" || host == "0.0.0.0"
      || host.hasPrefix("127.") || host.lowercased().hasPrefix("::ffff:127.")
  }
}
