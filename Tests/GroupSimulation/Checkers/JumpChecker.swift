@testable import GroupActivities
@testable import PlaybackCoordination

/// A gap in an item's time stamps stops nobody: two seconds after a player has jumped over it, the player moves along the
/// group's line, unless something else happened.
struct JumpChecker: Checker {
  let name = "a gap in a film's time stamps stops nobody"
  private static let settling = Nanoseconds.seconds(2)
  private static let tolerance = Nanoseconds.milliseconds(100)

  private var jumps: [Int: (at: Nanoseconds, state: ItemState)] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    let index = participant.index
    switch occurrence {
    case .jumped:
      guard jumps[index] == nil, let state = participant.coordinator.groupState, state.isPlaying,
        !participant.isSuspended
      else { break }
      jumps[index] = (simulation.now, state)
    case .gone: jumps[index] = nil
    case .tick:
      guard let (at, before) = jumps[index], simulation.now - at >= Self.settling else { break }
      jumps[index] = nil
      guard let state = participant.coordinator.groupState, state.follows(before),
        !participant.isSuspended, isUndisturbed(simulation, since: at)
      else { break }
      guard participant.player.isMoving else {
        return "\(participant.label)'s player has jumped over a gap, and stands"
      }
      guard let error = participant.syncError(at: simulation.now),
        Double(error.magnitude) > Double(Self.tolerance) * max(1, state.rate)
      else { break }
      return "\(participant.label)'s player has jumped over a gap, and is "
        + "\(error.secondsText) s ahead of the group"
    default: break
    }
    return nil
  }

  private func isUndisturbed(_ simulation: Simulation, since: Nanoseconds) -> Bool {
    !simulation.scenario.faults.contains { $0.from <= simulation.now && $0.until >= since }
  }
}
