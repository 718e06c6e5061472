import Timekeeping

@testable import GroupActivities

/// Two participants that allow direct paths get one, on which their clock exchanges travel. Nobody else learns their
/// addresses.
struct PathChecker: Checker {
  let name = "two participants that allow direct paths get one, and only they learn their addresses"
  /// The part of half the relay's round trip that the clock's proven error may take with a direct path, whose round trip
  /// is a quarter of the relay's.
  private static let share = 0.6

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .pathOffered(let offer, let id) = occurrence, !offer.candidates.isEmpty else {
      return nil
    }
    guard participant.party.paths.isAllowed else {
      return "\(participant.label) tells its address and doesn't allow paths"
    }
    guard let receiver = simulation.participant(id), !receiver.paths.hasAllowed else { return nil }
    return "\(participant.label) tells its address to \(receiver.label), who never allowed paths"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    guard simulation.scenario.hasPaths else { return nil }
    let present = simulation.running.filter { $0.party.joinedAt != nil }
    for one in present {
      for other in present where other !== one {
        let areAllowed = one.party.paths.isAllowed && other.party.paths.isAllowed
        let isOpen = one.party.paths.path(to: other.id) != nil
        guard areAllowed == isOpen, areAllowed == (one.paths.open[other.id] != nil) else {
          return "\(one.label) has \(isOpen ? "a" : "no") path to \(other.label)"
        }
      }
      if let complaint = checkClock(of: one, in: simulation) { return complaint }
    }
    return nil
  }

  private func checkClock(
    of participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard let id = participant.party.reference, id != participant.id,
      participant.party.paths.path(to: id) != nil, let reference = simulation.participant(id),
      let error = participant.party.provenError(at: participant.hostTime(at: simulation.now))
    else { return nil }
    let (a, b) = (participant.index, reference.index)
    let network = simulation.network
    let roundTrip = network.delay(from: a, to: b) + network.delay(from: b, to: a)
    guard error > .nanoseconds(roundTrip / 2) * Self.share else { return nil }
    return "\(participant.label)'s time may be off by \(error), although a path is open"
  }
}
