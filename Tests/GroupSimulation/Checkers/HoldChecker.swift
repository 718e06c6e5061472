import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// The group's position waits while the player of every participant who counts waits for data, as far as one of them
/// knows, and the film goes on when there is data.
struct HoldChecker: Checker {
  let name = "when nobody plays, nothing passes"
  /// The time since when nobody plays, as far as each participant knows.
  private var since: [Int: Nanoseconds] = [:]
  /// The group's state as each participant knew it last.
  private var known: [Int: ItemState] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .tick = occurrence else { return nil }
    // A user who lets the film play, although nobody has data, moves the position until it is held again.
    let isCommanded = isCommanded(participant)
    guard isUnwatched(participant, simulation), !isCommanded else {
      since[participant.index] = nil
      return nil
    }
    let begun = max(since[participant.index] ?? simulation.now, participant.thawedAt)
    since[participant.index] = begun
    // If one of them is gone, the next one follows.
    let patience = .milliseconds(400) * Nanoseconds(simulation.participants.count) + .seconds(1)
    guard simulation.now - begun > patience, let state = participant.coordinator.groupState,
      state.isPlaying
    else { return nil }
    return
      "nobody plays for \((simulation.now - begun).secondsText) s as \(participant.label) knows, "
      + "and the group plays"
  }

  /// Returns whether a user's command has reached a participant since its last tick.
  private mutating func isCommanded(_ participant: SimulatedParticipant) -> Bool {
    let (before, state) = (known[participant.index], participant.coordinator.groupState)
    known[participant.index] = state
    guard let before, let state else { return false }
    return !state.follows(before)
  }

  private func isUnwatched(
    _ participant: SimulatedParticipant, _ simulation: Simulation
  ) -> Bool {
    let machine = participant.coordinator
    guard participant.player.isStalled, machine.mayControl(participant.id),
      let state = machine.groupState, !machine.suspensions.isEmpty,
      machine.suspensions.allSatisfy({ $0.reason == .stallRecovery }),
      state.itemTime(at: participant.groupTime(at: simulation.now)) < participant.end
    else { return false }
    return !participant.party.isConnected
      || machine.others.values.allSatisfy { $0.item != state.item || !$0.suspensions.isEmpty }
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running where !participant.isSuspended {
      guard case .starting(_, let due) = participant.coordinator.state?.phase,
        participant.player.item != nil, !participant.player.isStalled
      else { continue }
      // Without anyone here who may publish the start, it happens by itself.
      let machine = participant.coordinator
      if !([participant.id] + machine.countingOthers).contains(where: machine.mayControl),
        participant.groupTime(at: simulation.now) < due + CoordinatorMachine.overdueWait
      {
        continue
      }
      // A start may wait longer for people who are away.
      let awaited = awaited(participant, simulation)
      if awaited.contains(where: { simulation.participant($0)?.isSuspended ?? false }) { continue }
      return "\(participant.label) could play, and waits"
    }
    return nil
  }

  /// Returns the participants that somebody with the same start waits for. Each remembers by itself who made it wait too
  /// often, and the one who publishes the start decides.
  private func awaited(
    _ participant: SimulatedParticipant, _ simulation: Simulation
  ) -> Set<Participant.ID> {
    let start = participant.coordinator.state?.stamp
    let same = simulation.running.filter { $0.coordinator.state?.stamp == start }
    return same.reduce(into: []) { awaited, other in
      awaited.formUnion(other.coordinator.reported.waiting?.participants ?? [])
    }
  }
}
