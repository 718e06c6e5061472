import Timekeeping

@testable import GroupActivities

/// The reference's time lies within the uncertainty that each other participant shows, whatever the ways between them,
/// and whatever their wall clocks say, as long as less than half of the others' clocks are wrong. A participant whose own
/// wall clock is wrong can't know that while it contradicts nothing that is proven.
///
/// Participants that came, left or changed the reference a moment ago are still measuring.
struct ClockChecker: Checker {
  let name = "the group's time lies within the shown uncertainty"
  private static let settling = Nanoseconds.seconds(3)
  private static let rounding = Duration.microseconds(2)

  /// The reference of each participant, and the time since when.
  private var references: [Participant.ID: (reference: Participant.ID?, since: Nanoseconds)] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .met, .lost, .tick: break
    default: return nil
    }
    let now = simulation.now
    let reference = participant.inParty { $0.reference }
    if case .tick = occurrence, let known = references[participant.id],
      known.reference == reference
    {
      return complaint(about: participant, since: known.since, in: simulation)
    }
    references[participant.id] = (reference, now)
    return nil
  }

  private func complaint(
    about participant: SimulatedParticipant, since: Nanoseconds, in simulation: Simulation
  ) -> String? {
    let now = simulation.now
    guard participant.inParty({ !$0.isReference && $0.joinedAt != nil }),
      let reference = participant.inParty({ $0.reference }).flatMap(simulation.participant),
      reference.isRunning, reference.inParty({ $0.isReference }),
      let other = references[reference.id],
      max(since, other.since, reference.thawedAt) + Self.settling < now,
      simulation.mayTrustWallClocks(participant),
      let shown = reading(of: participant, in: simulation),
      let truth = reading(of: reference, in: simulation)
    else { return nil }
    let off = shown.time - truth.time
    guard off.magnitude > shown.uncertainty + truth.uncertainty + Self.rounding else { return nil }
    return "\(participant.label)'s time is \(off) off, and it shows ± \(shown.uncertainty)"
  }

  private func reading(
    of participant: SimulatedParticipant, in simulation: Simulation
  ) -> (time: GroupTime, uncertainty: Duration)? {
    let host = participant.hostTime(at: simulation.now)
    return participant.inParty { $0.clockReading(at: host) }
      .map { ($0.groupTime(at: host), $0.uncertainty) }
  }
}
