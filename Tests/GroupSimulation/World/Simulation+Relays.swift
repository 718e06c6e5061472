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
  /// The times at which it finds out whether it reaches the offered relays.
  var triedAt: [Participant.ID: Nanoseconds] = [:]
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
      for owner in running where owner.relays.hasOffered {
        guard let used = owner.relays.current else { continue }
        if all.contains(used) { all.insert(owner.index) }
        if all.contains(owner.index) { all.insert(used) }
      }
      if all.count == before { return all }
    }
  }

  private func relays(of participant: SimulatedParticipant) -> [Int] {
    [participant.relays.current, participant.relays.second?.relay].compactMap { $0 }
      .filter { reaches(participant, $0) }
  }

  private func reaches(_ participant: SimulatedParticipant, _ relay: Int) -> Bool {
    let pair = [participant.person.number, participants[relay].person.number]
    guard isServing(relay), !scenario.blockedRelays.contains(pair) else { return false }
    return relay == participant.index || network.isOpen(between: participant.index, relay)
  }

  private func isServing(_ relay: Int) -> Bool {
    participants[relay].isRunning || participants[relay].relays.keptFrom.map { $0 <= now } ?? false
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
      let address = Invite.Address(host: "relay-\(participant.index)", port: 4222)
    else { return }
    participant.relays.hasOffered = true
    act(participant) { $0.offerRelay(at: [address], now: $1) }
  }

  private func noteRelays(_ participant: SimulatedParticipant) {
    if let offers = participant.party.takeRelayNews() {
      participant.relays.choice.relaysChanged(
        to: offers.map(\.route))
      participant.relays.choice.connected(
        to: participant.relays.current.map { participants[$0].id })
    }
    for offer in participant.party.standby.relays where !offer.isReached && offer.isPresent {
      guard let owner = self.participant(offer.owner) else { continue }
      let due =
        participant.relays.triedAt[offer.owner] ?? now + dice.number(0...Self.longestTrial)
      participant.relays.triedAt[offer.owner] = due
      guard now >= due, reaches(participant, owner.index) else { continue }
      act(participant) { $0.relayReached(offer.owner, at: offer.addresses, now: $1) }
    }
  }

  private func first(
    of routes: [(route: RelayRoute, delay: Duration)], for participant: SimulatedParticipant
  ) -> Int? {
    routes.lazy.compactMap { self.participant($0.route.owner)?.index }
      .first { self.reaches(participant, $0) }
  }

  private func regainRelay(_ participant: SimulatedParticipant) {
    guard let relay = first(of: participant.relays.choice.attempts, for: participant) else {
      return
    }
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
    guard let relay = first(of: participant.relays.choice.better, for: participant) else {
      guard mutation.visitsRelays, participant.relays.second == nil,
        let relay = first(of: participant.relays.choice.visits, for: participant)
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
  }
}
