@testable import GroupActivities
@testable import PlaybackCoordination

/// A participant's way to the others in a scenario with relays.
struct RelayUse {
  var choice = RelayChoice()
  /// The participant whose relay it uses; nil while it has none.
  var current: Int?
  /// A second relay, on which others may be, until a time.
  var second: (relay: Int, until: Nanoseconds)?
  /// The time at which it last reached its relay.
  var reachedAt = Nanoseconds.zero
  var probesAt = Nanoseconds.zero
  /// The times from which on it finds out whether it reaches the offered relays.
  var triesFrom: [Participant.ID: Nanoseconds] = [:]
  var trials = RelayTrials()
  /// The number of its connections to addresses that it had never reached.
  var strangeTries = 0
  var hasOffered = false
  /// The owner of a relay that was lost, until another one is in use.
  var lost: Participant.ID?
  /// The time from which its relay serves again, after its owner has left; nil if it ends with its owner.
  var keptFrom: Nanoseconds?
}

/// The relays that the participants' programs offer: the work of `NATSTransport` and the program around it.
extension Simulation {
  /// The time between two looks of a participant at its relays.
  private static let relayStep = Nanoseconds.milliseconds(250)
  /// The time after which a silent relay counts as gone: the transport's pings.
  private static let relayPatience = Nanoseconds.milliseconds(2500)
  private static let relayOverlap = Nanoseconds.seconds(3)
  /// The time from its arrival at which a participant offers a relay.
  private static let offerDelay = Nanoseconds.seconds(1)
  /// The longest time after which a participant tries an offered relay.
  private static let longestTrial = Nanoseconds.milliseconds(1100)
  /// The time in which another process takes over a relay's port.
  private static let changeOver = Nanoseconds.milliseconds(800)

  /// The participant begins at the relay of the creator, to which its invite leads.
  func beginRelays(of participant: SimulatedParticipant) {
    participant.relays.current = 0
    participant.relays.reachedAt = now
    participant.party.linkLeads(to: address(of: 0))
    schedule(.relays(participant.index), at: now + Self.relayStep)
  }

  func lookAtRelays(_ participant: SimulatedParticipant) {
    schedule(.relays(participant.index), at: now + Self.relayStep)
    offerRelay(participant)
    noteRelays(participant)
    if let second = participant.relays.second, now >= second.until {
      participant.relays.second = nil
    }
    guard let current = participant.relays.current else { return regainRelay(participant) }
    guard !reaches(participant, current) else {
      participant.relays.reachedAt = now
      return probeRelays(participant)
    }
    // The end of a program ends its connections at once; a cut line only falls silent.
    guard
      !isServing(current)
        || now - participant.relays.reachedAt >= Self.relayPatience
    else { return }
    participant.relays.current = nil
    participant.relays.lost = participants[current].id
    participant.relays.choice.linkLost()
    disconnect(participant)
  }

  /// Returns whether a message of one participant reaches the other one: both use one relay, or two that an owner
  /// connects.
  func sharesRelay(_ a: SimulatedParticipant, _ b: SimulatedParticipant) -> Bool {
    guard scenario.hasRelays else { return true }
    return !Set(relays(of: b)).isDisjoint(with: bridged(Set(relays(of: a))))
  }

  /// Returns relays with those that are connected to them: an owner that uses another relay connects it with its own,
  /// for those that reach only this one.
  private func bridged(_ relays: Set<Int>) -> Set<Int> {
    var all = relays
    while true {
      let before = all.count
      for owner in running where owner.relays.hasOffered && !drops(owner.index) {
        guard let used = owner.relays.current, !drops(used) else { continue }
        if all.contains(used) { all.insert(owner.index) }
        if all.contains(owner.index) { all.insert(used) }
      }
      if all.count == before { return all }
    }
  }

  private func relays(of participant: SimulatedParticipant) -> [Int] {
    let own = participant.relays.hasOffered ? participant.index : nil
    return [participant.relays.current, participant.relays.second?.relay, own].compactMap { $0 }
      .filter { reaches(participant, $0) && !drops($0) }
  }

  /// Returns whether a relay answers, and passes nothing on.
  func drops(_ relay: Int) -> Bool { habits(of: participants[relay]).contains(.drops) }

  private func reaches(_ participant: SimulatedParticipant, _ relay: Int) -> Bool {
    let pair = [participant.person.number, participants[relay].person.number]
    guard isServing(relay), !scenario.blockedRelays.contains(pair) else { return false }
    return relay == participant.index || network.isOpen(between: participant.index, relay)
  }

  private func isServing(_ relay: Int) -> Bool {
    let owner = participants[relay]
    return owner.isRunning || owner.relays.keptFrom.map { $0 <= now } ?? false
      || drops(relay) && owner.relays.hasOffered
  }

  /// The participant leaves, and another process takes over its relay.
  func leaveRelayBehind(_ participant: SimulatedParticipant) {
    let isAnnounced = mutation.announcesKeptRelays
    act(participant) { machine, _ in machine.leave(keepsRelay: isAnnounced) }
    stop(participant)
    participant.relays.keptFrom = now + Self.changeOver
  }

  private func offerRelay(_ participant: SimulatedParticipant) {
    guard !participant.relays.hasOffered, participant.party.joinedAt != nil,
      scenario.relayOwners?.contains(participant.person.number) ?? true,
      now >= participant.person.arrivesAt + Self.offerDelay,
      participant.relays.current != nil
    else { return }
    participant.relays.hasOffered = true
    act(participant) { $0.offerRelay(at: [self.address(of: participant.index)], now: $1) }
  }

  private func address(of relay: Int) -> Invite.Address {
    Invite.Address(host: "10.0.0.\(relay)", port: 4222)!
  }

  /// Returns the participant with a relay; nil for an address at which none is.
  private func owner(at address: Invite.Address) -> Int? {
    participants.indices.first { self.address(of: $0) == address }
  }

  private func noteRelays(_ participant: SimulatedParticipant) {
    if !mutation.doubtsRelays { participant.party.standby.doubts = RelayDoubts() }
    if let offers = participant.party.takeRelayNews() {
      participant.relays.choice.relaysChanged(to: offers.map { route($0, of: participant) })
      participant.relays.choice.connected(
        to: participant.relays.current.map { participants[$0].id })
    }
    guard participant.relays.current != nil else { return }
    var new = participant.party.standby.relays.filter { !$0.isReached && $0.isPresent }
    for offer in new where participant.relays.triesFrom[offer.owner] == nil {
      participant.relays.triesFrom[offer.owner] = now + dice.number(0...Self.longestTrial)
    }
    new.removeAll { participant.relays.triesFrom[$0.owner]! > now }
    for address in participant.relays.trials.due(
      new.map(\.addresses), at: participant.hostTime(at: now))
    {
      participant.relays.strangeTries += 1
      guard let offer = new.first(where: { $0.addresses.contains(address) }),
        let relay = owner(at: address), reaches(participant, relay)
      else { continue }
      act(participant) { $0.relayReached(offer.owner, at: address, now: $1) }
    }
  }

  /// The invite leads to the creator's relay.
  private func route(_ offer: RelayOffer, of participant: SimulatedParticipant) -> RelayRoute {
    var reached = offer.reached + (offer.isCreators ? [address(of: 0)] : [])
    if mutation.believesOffers { reached = offer.addresses }
    return RelayRoute(
      owner: offer.owner, addresses: offer.addresses, reached: reached, isPresent: offer.isExpected)
  }

  /// Returns the first relay that answers.
  private func first(
    of routes: [(route: RelayRoute, delay: Duration)], for participant: SimulatedParticipant
  ) -> Int? {
    for (route, _) in routes {
      let offer = participant.party.standby.relays.first { $0.owner == route.owner }
      let isCreators = route.owner == participants[0].id
      for address in route.addresses {
        let isKnown = isCreators || offer?.reached.contains(address) == true
        if !isKnown { participant.relays.strangeTries += 1 }
        if let relay = owner(at: address), reaches(participant, relay) { return relay }
      }
    }
    return nil
  }

  private func regainRelay(_ participant: SimulatedParticipant) {
    let attempts = participant.relays.choice.attempts(at: participant.hostTime(at: now))
    guard let relay = first(of: attempts, for: participant) else { return }
    use(relay, participant)
    reconnect(participant)
    guard let lost = participant.relays.lost, lost != participants[relay].id else { return }
    participant.relays.lost = nil
    act(participant) { machine, now in
      machine.relayLost(of: lost, at: now)
      return []
    }
  }

  private func probeRelays(_ participant: SimulatedParticipant) {
    guard now >= participant.relays.probesAt, mutation.probesRelays else { return }
    participant.relays.probesAt = now + .milliseconds(1500)
    guard let old = participant.relays.current else { return }
    let host = participant.hostTime(at: now)
    let better = participant.relays.choice.better(at: host)
    guard let relay = first(of: better, for: participant) else {
      let visits = participant.relays.choice.visits(at: host)
      guard mutation.visitsRelays, participant.relays.second == nil,
        let relay = first(of: visits, for: participant)
      else { return }
      story.add("\(participant.label) visits the relay of \(participants[relay].label)", at: now)
      return participant.relays.second = (relay, now + Self.relayOverlap)
    }
    participant.relays.second = (old, now + Self.relayOverlap)
    use(relay, participant)
    act(participant) { $0.relayChanged(at: $1) }
    mutation.movedRelay(&participant.party)
  }

  private func use(_ relay: Int, _ participant: SimulatedParticipant) {
    story.add("\(participant.label) uses the relay of \(participants[relay].label)", at: now)
    participant.relays.current = relay
    participant.relays.reachedAt = now
    participant.relays.choice.connected(to: participants[relay].id)
    participant.party.linkLeads(to: address(of: relay))
  }
}
