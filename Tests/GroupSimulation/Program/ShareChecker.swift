import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// A program takes films from another participant, or gives one, only after its user agreed; and it asks.
struct ShareChecker: Checker {
  let name = "films are shared with their users' consent"

  private struct User {
    var shares = false
    /// The participants whose copies it takes.
    var owners: Set<Participant.ID> = []
  }

  private var users: [Int: User] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(let occurrence) = occurrence else { return nil }
    var user = users[participant.index] ?? User()
    defer { users[participant.index] = user }
    switch occurrence {
    case .typed(.share(let isOn, _), _): user.shares = isOn
    case .typed(.answer(true, _), isAsked: false):
      switch participant.program!.machine.shareQuestion {
      case .give: user.shares = true
      case .take(let film): user.owners.insert(film.owner)
      case .useOwn, .giveSubtitles, nil: break
      }
    case .effect(.share(.give(let film, _))) where !user.shares:
      return "\(participant.label) shares \(film.title), to which its user hasn't agreed"
    case .effect(.film(.load(_, let film, _))) where film.isShared:
      let offers = participant.program!.machine.sharing.offers
      let copy = offers.first { $0.location == film.location }
      guard copy.map({ user.owners.contains($0.owner) }) != false else {
        return "\(participant.label) takes \(film.title) from another, without a question"
      }
    case .effect(.share(.prepare(let film?))) where !user.owners.contains(film.owner):
      return "\(participant.label) fetches a film to which its user hasn't agreed"
    case .event(.party(.left)): user = User()
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      let program = participant.program!
      if program.isMember, users[participant.index]?.shares != true, !program.given.isEmpty {
        return "\(participant.label) still shares films, after its user's no"
      }
      guard program.isMember, program.isSettled(at: simulation.now),
        let missing = program.machine.missing
      else { continue }
      let offered = simulation.offers(to: participant).filter { $0.film == missing.identifier }
      let known = program.machine.sharing.offers
      guard offered.allSatisfy(known.contains) else {
        return "\(participant.label) lacks \(missing.title), and doesn't know who shares it"
      }
    }
    return nil
  }
}
