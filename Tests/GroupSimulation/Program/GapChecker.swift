import Timekeeping

@testable import PlaybackCoordination
@testable import Screening

/// A player whose copy lacks what the group sees is apart from it, with that reason, and only as long.
struct GapChecker: Checker {
  let name = "copies wait where they lack the film"

  /// The intervals in a row in which a participant was apart, or wasn't, against the rule.
  private var wrong: [Int: Int] = [:]
  /// Facts, decisions and the coordinator follow one another.
  private static let limit = 2

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    // Each interval ends with one of these.
    switch occurrence {
    case .program(.effect(.sync(.correct))), .program(.effect(.sync(.forget))): break
    default: return nil
    }
    let machine = participant.program!.machine
    guard machine.membership.isMember, machine.filmMachine.isShown, machine.filmMachine.isOpen,
      let film = machine.filmMachine.film, machine.group.item == film.item,
      let timeline = film.timeline, let place = machine.group.groupItemTime
    else {
      wrong[participant.index] = nil
      return nil
    }
    let lacks = timeline.gapEnd(at: place) != nil
    let reasons = participant.coordinator.visibleReasons
    guard lacks ? reasons.isEmpty : reasons.contains(.notInCopy) else {
      wrong[participant.index] = nil
      return nil
    }
    wrong[participant.index, default: 0] += 1
    guard wrong[participant.index]! > Self.limit else { return nil }
    return lacks
      ? "\(participant.label) plays what its copy lacks"
      : "\(participant.label) stays apart, although its copy has what the group sees"
  }
}
