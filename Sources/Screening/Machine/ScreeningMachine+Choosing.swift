import GroupActivities
import Timekeeping

/// The films that the user chooses in a list, without a choice between the party and this user alone.
extension ScreeningMachine {
  /// The user chose a film. In a party with others the intent is settled first, unless the film can only be this user's
  /// copy of the party's film.
  ///
  /// - Parameters:
  ///   - position: the remembered position to continue at; nil for the beginning.
  ///   - isAnew: true if the film begins at its start, whatever is remembered.
  package mutating func choose(
    _ film: FilmIdentity, at position: MediaTime?, isAnew: Bool, in reading: ScreeningReading
  ) -> [Directive] {
    if film.identifier == filmMachine.film?.identifier {
      // The film is already open, so there is no position to resume.
      return isAnew ? [.then(.seek(to: .zero))] : open(film, in: reading)
    }
    let position = isAnew ? nil : position
    guard let party = reading.party, membership.isMember, party.participants.count > 1 else {
      return resuming(at: position) + open(film, at: position, in: reading)
    }
    guard !isCurrent(film, in: reading) else { return open(film, in: reading) }
    return [.prepareActivation(choice.chose(film, at: position), newList(film))]
  }

  /// The intent of the user, or of the party's rules, is settled.
  package mutating func intentSettled(
    _ number: FilmChoice.Number, _ intent: GroupActivityActivationResult,
    in reading: ScreeningReading
  ) -> [Directive] {
    guard let chosen = choice.settled(number) else { return [] }
    switch intent {
    case .activationPreferred:
      return resuming(at: chosen.position) + open(chosen.film, at: chosen.position, in: reading)
    case .activationDisabled:
      return resuming(at: chosen.position)
        + openAlone(chosen.film, at: chosen.position, in: reading)
    case .cancelled: return []
    }
  }

  func resuming(at position: MediaTime?) -> [Directive] {
    position.map { [.report(.resuming(at: $0))] } ?? []
  }
}
