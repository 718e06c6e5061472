@testable import GroupActivities
@testable import Screening

/// A player has the subtitles that others share for its film, and none for another film.
struct SubtitleChecker: Checker {
  let name = "shared subtitles are with their film"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard
      case .program(.effect(.player(.addSubtitles(let subtitles, titled: _, to: let item)))) =
        occurrence, participant.player.item == item,
      let film = participant.program!.machine.filmMachine.film, film.item == item
    else { return nil }
    return film.identifier == subtitles.description.film
      ? nil : "\(participant.label) adds subtitles of another film to \(film.title)"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      let program = participant.program!
      guard program.isMember, program.isSettled(at: simulation.now),
        program.machine.filmMachine.isShown, program.machine.filmMachine.isOpen,
        let film = program.machine.filmMachine.film
      else { continue }
      let shared = simulation.subtitles(to: participant).filter {
        $0.description.film == film.identifier
      }
      guard shared.prefix(4).allSatisfy({ program.loadedSubtitles.contains($0.id) }) else {
        return "\(participant.label) lacks subtitles that others share for \(film.title)"
      }
    }
    return nil
  }
}
