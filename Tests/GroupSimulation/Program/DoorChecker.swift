import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The host's program keeps a door open, and so do others while there are guests who came through one, so that a guest
/// finds another door when its keeper is gone. Each door shows its keeper's film.
struct DoorChecker: Checker {
  let name = "a guest through a door finds another one"
  /// The doors as the programs ordered them last.
  private var doors: [Int: KeptDoor] = [:]
  /// The participants who have met a guest that came through a door, in this stay.
  private var metGuests: Set<Int> = []
  private var changedAt = Nanoseconds.zero

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .program(.effect(.party(.keepDoor(let door)))): doors[participant.index] = door
    case .met(let other):
      changedAt = simulation.now
      let isGuest = simulation.participant(other)?.person.isDoorGuest == true
      if isGuest { metGuests.insert(participant.index) }
    case .program(.event(.party(.entered))): metGuests.remove(participant.index)
    case .lost, .arrived, .gone, .rulesChanged: changedAt = simulation.now
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    guard simulation.now - changedAt > .seconds(3) else { return nil }
    let members = simulation.running.filter {
      $0.program?.isMember == true && $0.outages == 0 && $0.party.rules.admits($0.id)
    }
    for participant in members where !participant.person.isDoorGuest {
      let program = participant.program!
      guard program.isSettled(at: simulation.now) else { continue }
      let door = doors[participant.index]
      let others = participant.inParty { $0.others }
      let isHost = participant.party.rules.host == participant.id
      let hasGuests = metGuests.contains(participant.index)
      let keepers = others.filter { $0.door == nil && !$0.isHost }
      let isWanted = isHost || hasGuests && keepers.count(where: { $0.id < participant.id }) < 2
      guard (door?.rank != nil) == isWanted else {
        return "\(participant.label) \(isWanted ? "keeps no door" : "keeps a door for nobody")"
      }
      let films = program.machine.filmMachine
      if let door, door.film != (films.isShown ? films.film : nil) {
        return "the door of \(participant.label) shows \(door.film?.title ?? "nothing")"
      }
    }
    return nil
  }
}
