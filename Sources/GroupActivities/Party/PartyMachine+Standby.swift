import Timekeeping

/// The party's relays: the offers of all participants, and the findings of this one.
extension PartyMachine {
  /// The time after which the relay of a participant that fell silent is forgotten.
  private static let memory = Duration.seconds(600)

  /// Offers this participant's relay to all, or withdraws it.
  mutating func offerRelay(at addresses: [Invite.Address], now: HostTime) -> [PartyAction] {
    latest = now
    standby.offer(addresses)
    return joinedAt == nil ? [] : tellNews(at: now)
  }

  /// Informs the others that this participant has reached a relay.
  mutating func relayReached(
    _ owner: Participant.ID, at address: Invite.Address, now: HostTime
  ) -> [PartyAction] {
    latest = now
    standby.reached(owner, at: address)
    return joinedAt == nil ? [] : tellNews(at: now)
  }

  /// The link leads to the relay at an address; nil for an unknown one.
  mutating func linkLeads(to address: Invite.Address?) { standby.linkLeads(to: address) }

  /// The link leads over another relay now, without an interruption. The others may be there already, or not yet.
  mutating func relayChanged(at now: HostTime) -> [PartyAction] {
    latest = now
    return joinedAt == nil ? [] : tellNews(at: now)
  }

  /// Handles the loss of a relay. If `owner` doesn't appear at the next relay soon, it is treated as gone too.
  mutating func relayLost(of owner: Participant.ID, at now: HostTime) {
    guard roster[owner]?.isPresent == true else { return }
    roster.relayLost(
      of: owner, grace: Self.relayGrace, reference: keeper.known, limits: silenceLimits(at: now),
      at: now)
    presence.admitted(at: now)
  }

  /// The time in which the owner of a lost relay shows that it is still there.
  private static let relayGrace = Duration.milliseconds(1500)

  /// Notes a participant's report, which not every beacon carries.
  mutating func note(_ beacon: Beacon, of id: Participant.ID, isIntroduction: Bool) {
    if isIntroduction {
      standby.arrived()
      standby.changed()
    }
    guard let report = beacon.standby, roster.standbyReported(report, by: id) else { return }
    standby.changed()
  }

  /// A newcomer learns at once of this participant's relay. It may need it before the next beacon, when the host's
  /// program ends.
  mutating func tellNewcomer(at now: HostTime) -> [PartyAction] {
    standby.isOffered && joinedAt != nil ? tellNews(at: now) : []
  }

  /// Updates the report that follows this participant's next beacon.
  ///
  /// Silent participants count too. Otherwise each half of a split party would rank its own relays anew, and not look for
  /// the other half at a better one.
  mutating func countReach(at now: HostTime) {
    let others = roster.values.filter { isRemembered($0) && rules.admits($0.id) }
    standby.counted(
      others.count { $0.hasReached(configuration.id) },
      of: others.count { $0.beaconSource.standby != nil }, at: now)
  }

  /// Returns whether a participant is in the party, or fell silent not long ago.
  private func isRemembered(_ peer: PeerRecord) -> Bool {
    !peer.hasLeft && peer.absentSince.map { latest - $0 < Self.memory } ?? true
  }

  /// Returns the relays, best first, if they have changed since the last call.
  mutating func takeRelayNews() -> [RelayOffer]? {
    standby.looked(isAlone: isAlone, at: latest)
    return standby.isStale ? standby.takeNews(offers, to: configuration.id) : nil
  }

  /// A Boolean value that indicates whether all others fell silent on the relay in use.
  private var isAlone: Bool {
    isConnected && joinedAt != nil
      && !roster.present.contains { standby.doubts.isHeard($0.id, at: latest) }
      && roster.values.contains { isRemembered($0) && rules.admits($0.id) }
  }

  private var offers: [RelayOffer] {
    let others = roster.values.compactMap(offer)
    guard let joinedAt else { return others }
    let own = standby.own(
      configuration.id, isCreators: isCreator, joinedAt: joinedAt.nanoseconds)
    return others + [own].compactMap { $0 }
  }

  private func offer(of peer: PeerRecord) -> RelayOffer? {
    guard let report = peer.beaconSource.standby, !report.addresses.isEmpty,
      let joinedAt = peer.beacon?.joinedAt, rules.admits(peer.id)
    else { return nil }
    let reached = standby.reachedAddress(of: peer.id, among: report.addresses)
    let reachedBy = roster.count(reaching: peer.id) + (reached == nil ? 0 : 1)
    let counts =
      if peer.hasLeft {
        // A claim alone would let a participant that leaves send all others to any address permanently.
        peer.keepsRelay && reachedBy > 0
      } else {
        isRemembered(peer)
      }
    guard counts else { return nil }
    return RelayOffer(
      owner: peer.id, addresses: report.addresses, isCreators: peer.id == configuration.party,
      isPresent: peer.isPresent, isKept: peer.keepsRelay,
      reached: reached.map { [$0] } ?? [], reach: report.reach, joinedAt: joinedAt.nanoseconds)
  }
}
