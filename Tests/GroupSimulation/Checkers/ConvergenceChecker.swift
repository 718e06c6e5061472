import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// Ten seconds after the last fault all participants are in the party and in its session, and all
/// participants with one item hold the identical timeline. The players of participants that are not
/// suspended are within 5 ms of it in the reference's time.
///
/// Half of a path's asymmetry is the lower bound of a clock exchange's error, so that much is
/// allowed in addition. If a start still waits within its due date, all this holds two seconds
/// after it. A participant that left without an announcement is known until its silence has lasted
/// long enough for the size of the party.
struct ConvergenceChecker: Checker {
  let name = "the group converges"
  private static let tolerance = Nanoseconds.milliseconds(5)
  private var gone: [Participant.ID: Nanoseconds] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    if case .gone = occurrence { gone[participant.id] = simulation.now }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    let running = simulation.running
    guard running.contains(where: { $0.party.joinedAt != nil }) else { return nil }
    // Participants that follow no rules may be seen or not, and may hold any state.
    let villains = simulation.villains
    let everybody = Set(running.map(\.id)).subtracting(villains)
    // 4.5 beacon intervals without a sign of life, and the delay of the alarm.
    let timing = PartyTiming()
    let size = simulation.participants.count
    let interval = RosterPolicy(participants: size).beaconInterval(for: .quiet, active: 1)
    let silence = (interval * timing.silentIntervals + .seconds(1)).inNanoseconds
    // Silence while a participant's own link was down doesn't count against the others.
    let mayBeKnown = gone.filter {
      max($0.value, simulation.scenario.calmAt) + silence > simulation.now
    }.keys
    let honest = running.filter { !villains.contains($0.id) }
    let sessions = honest.lazy.flatMap(\.party.sessions.all)
      .filter { $0.activityIdentifier == "watch" }
    guard let session = sessions.max(by: { $0.stamp < $1.stamp }) else { return nil }
    var agreed: [String: (state: ItemState, holder: SimulatedParticipant)] = [:]
    for participant in honest {
      guard participant.party.joinedAt != nil else { return "\(participant.label) has not arrived" }
      let known = Set(participant.party.others.map(\.id)).union([participant.id])
      if known.subtracting(mayBeKnown).subtracting(villains) != everybody {
        return "\(participant.label) knows \(known.count) of \(everybody.count)"
      }
      if participant.session != session.id { return "\(participant.label) is in another session" }
      guard let item = participant.coordinator.currentItem,
        isControlled(item, as: participant, in: simulation)
      else { continue }
      let state = participant.coordinator.states[item]!
      if let (other, holder) = agreed[item] {
        if state != other {
          return "\(participant.label) holds another state of \(item) than \(holder.label)"
        }
      } else {
        agreed[item] = (state, participant)
      }
      if let complaint = misplacement(
        participant, participant.coordinator.settled(state), simulation)
      {
        return complaint
      }
    }
    return nil
  }

  /// Returns a Boolean value that indicates whether the item has a common state. If only hosts
  /// control and none of them has the item, each participant keeps its own state of it.
  private func isControlled(
    _ item: String, as participant: SimulatedParticipant, in simulation: Simulation
  ) -> Bool {
    guard let controllers = participant.party.rules.controllers else { return true }
    return simulation.running.contains {
      controllers.contains($0.id) && !$0.isSuspended && $0.coordinator.currentItem == item
    }
  }

  private func misplacement(
    _ participant: SimulatedParticipant, _ state: ItemState, _ simulation: Simulation
  ) -> String? {
    let player = participant.player
    guard !participant.isSuspended, player.item != nil else { return nil }
    if player.isMoving != state.isPlaying, !isAtEnd(participant, simulation) {
      return "\(participant.label)'s player \(player.isMoving ? "moves" : "stands"), "
        + "the group \(state.isPlaying ? "plays" : "pauses")"
    }
    guard state.isPlaying, let reference = participant.party.reference,
      let clock = simulation.participant(reference), simulation.mayTrustWallClocks(participant)
    else { return nil }
    let end = Scenario.durations[state.item]!
    let line = state.itemTime(at: clock.groupTime(at: simulation.now)).nanoseconds
    let expected = min(max(line, 0), end)
    let error = participant.itemTime(at: simulation.now).nanoseconds - expected
    let asymmetry =
      (participant.person.delayUp - participant.person.delayDown
      + clock.person.delayDown - clock.person.delayUp).magnitude
    let allowed = Double(Self.tolerance) + Double(asymmetry) / 2
    if Double(error.magnitude) > allowed * max(1, state.rate) {
      let clockError =
        participant.groupTime(at: simulation.now).nanoseconds
        - clock.groupTime(at: simulation.now).nanoseconds
      return "\(participant.label)'s player is \(Double(error) / 1e6) ms ahead of the line, "
        + "its clock \(Double(clockError) / 1e6) ms of that of \(clock.label)"
    }
    return nil
  }

  private func isAtEnd(_ participant: SimulatedParticipant, _ simulation: Simulation) -> Bool {
    participant.player.isAtEnd(at: participant.hostTime(at: simulation.now))
  }
}
