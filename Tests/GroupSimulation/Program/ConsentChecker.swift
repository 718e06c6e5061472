import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// A program connects to a server of a film that another participant chose only after its user agreed: by naming a film
/// there, by an answer, or by joining a party whose host had named its film, on the internet.
struct ConsentChecker: Checker {
  let name = "no server is contacted without its user's consent"

  private struct User {
    var agreed: Set<FilmOrigin> = []
    /// The server of the last question on the screen.
    var asked: FilmOrigin?
    var hasNamedFilm = false
    var isHosting = false
    /// A Boolean value that indicates whether the party had no session since the user entered it.
    var isNew = false

    mutating func agree(_ origin: FilmOrigin?) {
      agreed.formUnion([origin, origin?.secured].compactMap { $0 })
    }
  }

  private var users: [Int: User] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(let occurrence) = occurrence else { return nil }
    var user = users[participant.index] ?? User()
    defer { users[participant.index] = user }
    switch occurrence {
    case .planned(let locations):
      for location in locations { user.agree(FilmOrigin(of: location)) }
      user.hasNamedFilm = !locations.isEmpty
    case .typed(let command, let isAsked): note(command, isAsked: isAsked, &user)
    case .effect(.report(.mayOpen(let question))): user.asked = FilmOrigin(of: question.origin)
    case .effect(.film(.load(_, let film, _)))
    where film.isForeign && film.isStream && !film.isShared:
      guard let origin = FilmOrigin(of: film.location), user.agreed.contains(origin) else {
        return "\(participant.label) loads \(film.location), to which its user hasn't agreed"
      }
    case .effect(.library(.findCopy(_, _, by: _, named: _, let streams))):
      for stream in streams where stream.isForeign {
        guard let origin = FilmOrigin(of: stream.location), user.agreed.contains(origin) else {
          return "\(participant.label) reads \(stream.location), to which its user hasn't agreed"
        }
      }
    case .contacted(let origin) where !user.agreed.contains(origin):
      return "\(participant.label) connects to \(origin), to which its user hasn't agreed"
    case .event(.film(.identified)): user.hasNamedFilm = true
    case .event(.party(.entered(let entered))):
      (user.isNew, user.isHosting) = (true, entered.facts.isHosting)
    case .event(.party(.sessionBegan(let start))):
      if user.isNew, !user.isHosting, !user.hasNamedFilm, implies(start, at: participant) {
        user.agree(start.list.current.location.flatMap(FilmOrigin.init))
      }
      user.isNew = false
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      guard let question = participant.program?.machine.question,
        users[participant.index]?.asked != question.origin
      else { continue }
      return "\(participant.label) isn't asked about \(question.origin)"
    }
    return nil
  }

  private func note(_ command: UserCommand, isAsked: Bool, _ user: inout User) {
    switch command {
    case .load(let location), .loadForEveryone(let location), .loadResumed(let location),
      .loadAlone(let location), .sameFilm(let location), .enqueue(let location):
      user.agree(FilmOrigin(of: location))
    case .answer(true, _) where isAsked: user.agree(user.asked)
    case .library(.forgetHost(let host)):
      user.agreed = user.agreed.filter { !URLPolicy.isMeant($0.description, by: host) }
    default: break
    }
  }

  /// Returns whether joining a party implies consent to the server of its film.
  private func implies(_ start: SessionStart, at participant: SimulatedParticipant) -> Bool {
    guard let chooser = start.chooser, let rules = participant.program?.facts?.rules,
      let host = start.list.current.location.flatMap(FilmOrigin.init)?.host
    else { return false }
    return start.isOwnFilm && start.precedesJoining && rules.role(of: chooser) != .guest
      && FilmShelf.network(of: host) == .internet
  }
}
