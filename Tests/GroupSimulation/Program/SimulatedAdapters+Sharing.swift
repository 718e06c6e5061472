import Foundation
import Timekeeping

@testable import GroupActivities
@testable import Screening

/// The copies of films that the people share. A copy is there as long as its owner is in the session.
extension Simulation {
  func perform(_ order: ShareOrder, at participant: SimulatedParticipant) -> Performance {
    switch order {
    case .follow:
      participant.program!.given = []
      later(.offers, after: moment(), at: participant)
      return .pending
    case .give(let film):
      later(.gives(film), after: dice.number(1_000_000...2_000_000_000), at: participant)
      return .pending
    case .withdraw:
      participant.program!.given = []
      offersChanged()
      return .after(moment(), .done)
    case .keep: return .after(moment(), EffectAnswer([.share(.kept("a file"))]))
    }
  }

  func give(_ film: FilmIdentity, _ participant: SimulatedParticipant) {
    guard participant.program!.facts?.session == .joined else { return }
    let number = dice.number(1...Int64.max)
    let id = UUID(
      uuidString: String(
        format: "00000000-0000-0000-%04X-%012X", number & 0xFFFF, number >> 16 & 0xFFFF_FFFF_FFFF))!
    participant.program!.given.append(
      SharedFilm(id: id, film: film.identifier, owner: participant.id, size: 1 << 30))
    send(.share(.given(film, size: 1 << 30)), to: participant)
    pump(participant)
    offersChanged()
  }

  private func offersChanged() {
    for participant in running where participant.program?.isMember == true {
      later(.offers, after: dice.number(1_000_000...300_000_000), at: participant)
    }
  }

  /// The copies that others share with a participant.
  func offers(to participant: SimulatedParticipant) -> [SharedFilm] {
    guard participant.program?.facts?.session == .joined else { return [] }
    return running.filter {
      $0.index != participant.index && $0.program?.facts?.session == .joined
    }.flatMap { $0.program!.given }
  }

  func hearOfOffers(_ participant: SimulatedParticipant) {
    guard participant.program!.isMember else { return }
    let offers = offers(to: participant)
    guard offers != participant.program!.offers else { return }
    participant.program!.offers = offers
    send(.share(.offered(offers)), to: participant)
    pump(participant)
  }
}
