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
      (participant.program!.givenSubtitles, participant.program!.heardSubtitles) = ([], [])
      later(.offers, after: moment(), at: participant)
      return .pending
    case .give(let film, let quality):
      later(
        .gives(film, quality, withdrawals: participant.program!.withdrawals),
        after: dice.number(1_000_000...2_000_000_000), at: participant)
      return .pending
    case .withdraw:
      participant.program!.given = []
      participant.program!.withdrawals += 1
      offersChanged()
      return .after(moment(), .done)
    case .prepare: return .after(moment(), .done)
    case .giveSubtitles(let file, let film):
      participant.program!.givenSubtitles.append(
        SharedSubtitles(
          id: newID(), owner: participant.id,
          description: .init(film: film.identifier, name: file, language: nil),
          text: SubtitleText([.init(start: 1, end: 2, text: file)])))
      offersChanged()
      return .after(moment(), EffectAnswer([.share(.subtitlesGiven(name: file))]))
    case .align(let film, let entry):
      let match: CopyMatch =
        dice.chance(0.8)
        ? .aligned(FilmShelf.timeline, agreement: 0.9) : .differs(agreement: 0.1)
      return .after(
        dice.number(1_000_000...2_000_000_000),
        EffectAnswer([.share(.aligned(film, entry: entry, match))]))
    case .giveSound: return .after(moment(), .done)
    case .keep: return .after(moment(), EffectAnswer([.share(.kept("a file"))]))
    }
  }

  func give(
    _ film: FilmIdentity, _ quality: ShareQuality?, _ participant: SimulatedParticipant
  ) {
    guard participant.program!.facts?.session == .joined else { return }
    participant.program!.given.append(
      SharedFilm(
        id: newID(), film: film.identifier, owner: participant.id, size: 1 << 30, quality: quality))
    send(.share(.given(film, quality, size: 1 << 30)), to: participant)
    pump(participant)
    offersChanged()
  }

  private func newID() -> UUID {
    let number = dice.number(1...Int64.max)
    return UUID(
      uuidString: String(
        format: "00000000-0000-0000-%04X-%012X", number & 0xFFFF, number >> 16 & 0xFFFF_FFFF_FFFF))!
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

  /// The subtitles that others share with a participant.
  func subtitles(to participant: SimulatedParticipant) -> [SharedSubtitles] {
    guard participant.program?.facts?.session == .joined else { return [] }
    return running.filter {
      $0.index != participant.index && $0.program?.facts?.session == .joined
    }.flatMap { $0.program!.givenSubtitles }
  }

  func hearOfOffers(_ participant: SimulatedParticipant) {
    guard participant.program!.isMember else { return }
    let offers = offers(to: participant)
    if offers != participant.program!.offers {
      participant.program!.offers = offers
      send(.share(.offered(offers)), to: participant)
    }
    for subtitles in subtitles(to: participant)
    where !participant.program!.heardSubtitles.contains(subtitles.id) {
      participant.program!.heardSubtitles.append(subtitles.id)
      send(.share(.subtitles(subtitles)), to: participant)
    }
    pump(participant)
  }
}
