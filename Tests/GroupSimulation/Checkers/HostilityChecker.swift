import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A participant that may not control has no effect on those that follow the rules, whatever it
/// sends. Each state that they hold was signed by its author in this session and can be true. Their
/// time advances as the creator's clock would show it. The memory that they keep stays within its
/// bounds. They agree on the reference of the clock, which is no participant that only claims to
/// have been here first. No participant counts more of them than there may be, or counts with one
/// that has been silent for long. A co-host that used up its changes of the rules was removed all
/// the same. Sessions of other kinds don't displace the film's.
struct HostilityChecker: Checker {
  let name = "nobody is moved by those who follow no rules"
  /// The possible difference of a guest's clock that really was here longest, with its drift.
  private static let tolerance = Duration.milliseconds(250)
  /// The time by which a participant may claim to have come earlier than it came.
  private static let noticing = Nanoseconds.seconds(11)
  private var arrivals: [Participant.ID: Nanoseconds] = [:]
  private var departures: [Participant.ID: Nanoseconds] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    if case .arrived = occurrence { arrivals[participant.id] = simulation.now }
    if case .gone = occurrence { departures[participant.id] = simulation.now }
    guard !simulation.villains.contains(participant.id), let session = participant.session else {
      return nil
    }
    switch occurrence {
    case .coordinated(let cause, let before):
      for (item, state) in participant.coordinator.states where state.stamp != before.stamps[item] {
        guard state.isSensible(at: participant.groupTime(at: simulation.now)) else {
          return "\(participant.label) holds a state of \(item) that can't be (\(cause))"
        }
        let author = state.stamp.participant
        guard author == participant.id || simulation.proofs.contains(state, in: session) else {
          return "\(participant.label) takes a state of \(item) that "
            + "\(simulation.label(author)) didn't write in this session (\(cause))"
        }
      }
    case .waiting(let waiting?):
      if let ghost = ghost(among: waiting.participants, in: simulation) {
        return "\(participant.label) waits for \(simulation.label(ghost)), who is gone"
      }
    case .tick:
      if participant.party.sessions[session] == nil {
        return "\(participant.label) has lost the film's session"
      }
      let truth = simulation.participants[0].hostTime(at: simulation.now)
      let error =
        participant.groupTime(at: simulation.now) - GroupTime(nanoseconds: truth.nanoseconds)
      if error.magnitude > Self.tolerance {
        return "\(participant.label)'s time was moved by \(error)"
      }
      return excess(at: participant, among: simulation.participants.count)
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    let villains = simulation.villains
    let honest = simulation.running.filter { !villains.contains($0.id) }
    let burners = simulation.scenario.villains.filter { $0.habits.contains(.burns) }
      .compactMap { simulation.participant(numbered: $0.number)?.id }
    for participant in honest where participant.party.joinedAt != nil {
      if let ghost = ghost(among: participant.party.others.map(\.id), in: simulation) {
        return "\(participant.label) still counts \(simulation.label(ghost)), who is gone"
      }
      guard let burner = burners.first(where: { !participant.party.rules.removed.contains($0) })
      else { continue }
      return "\(participant.label) still has \(simulation.label(burner)), whom the host removed"
    }
    var agreed: (reference: Participant.ID, by: SimulatedParticipant)?
    for participant in honest {
      guard let reference = participant.party.keeper.known else { continue }
      if let agreed, agreed.reference != reference {
        return "\(participant.label) goes by \(simulation.label(reference)), and "
          + "\(agreed.by.label) by \(simulation.label(agreed.reference))"
      }
      agreed = (reference, participant)
      guard villains.contains(reference), let came = arrivals[reference] else { continue }
      if honest.contains(where: { (arrivals[$0.id] ?? .max) < came - Self.noticing }) {
        return "\(participant.label) goes by \(simulation.label(reference)), who came late"
      }
    }
    return nil
  }

  /// Returns a participant that has been silent for so long that nobody should believe it here.
  private func ghost(
    among participants: some Sequence<Participant.ID>, in simulation: Simulation
  ) -> Participant.ID? {
    let timing = PartyTiming()
    let interval = RosterPolicy(participants: simulation.participants.count)
      .beaconInterval(for: .quiet, active: 1)
    // Twice the interval is believed, and 4.5 intervals may pass; then comes the delay of the alarm.
    let silence = (interval * 2 * timing.silentIntervals + .seconds(2)).inNanoseconds
    return participants.first { departures[$0].map { $0 + silence < simulation.now } ?? false }
  }

  private func excess(at participant: SimulatedParticipant, among count: Int) -> String? {
    let party = participant.party
    if party.joinedAt != nil, party.participantCount > RosterPolicy.believedShare * count {
      return "\(participant.label) counts \(party.participantCount) participants of \(count)"
    }
    if party.roster.count > Roster.limit
      || party.asked.probes.pending.count > SentProbes.limit
      || participant.coordinator.states.count > CoordinatorMachine.stateLimit
      || party.roster.values.contains(where: { $0.held.count > PeerRecord.heldLimit })
    {
      return "\(participant.label) keeps more than it may"
    }
    return nil
  }
}
