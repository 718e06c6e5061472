import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A participant without a connection waits for none of the others, because none can answer: its own
/// starts depend on its own player only.
struct LinkChecker: Checker {
  let name = "without a connection there is nobody to wait for"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .waiting(let waiting?) = occurrence, participant.session != nil,
      !participant.party.isConnected
    else { return nil }
    let others = waiting.participants.subtracting([participant.coordinator.me])
    guard let other = others.min() else { return nil }
    return "\(participant.label) has no connection and waits for \(simulation.label(other))"
  }
}
