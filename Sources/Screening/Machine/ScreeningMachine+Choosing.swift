import GroupActivities
import Timekeeping
import WatchTogether

/// The films that the user chooses in a list, without a choice between the party and this user alone.
extension ScreeningMachine {
  /// The user chose a film. In a party with others the intent is settled first, unless the film can only be this user's
  /// copy of the party's film.
  ///
  /// - Parameters:
  ///   - position: the remembered position to continue at; nil for the beginning.
  ///   - isAnew: true if the film begins at its start, whatever is remembered.
  mutating func choose(
    _ film: FilmIdentity, at position: MediaTime?, isAnew: Bool
  ) -> [Effect] {
    if film.identifier == filmMachine.film?.identifier {
      // The film is already open, so there is no position to resume.
      return isAnew ? [.look(.command(.seek(to: .zero)))] : open(film)
    }
    let position = isAnew ? nil : position
    guard let party, membership.isMember, party.participants.count > 1 else {
      return tryOut(film, at: position)
    }
    guard !isCurrent(film) else { return open(film) }
    let number = choice.chose(film, at: position)
    guard let missing else { return [.prepareActivation(number, newList(film))] }
    return [.film(.compare(film, with: missing, .question(number, newList(film))))]
  }

  // MARK: - In place of a film that is missing

  /// The film that the user chose last, beside the party's, of which this participant has no copy; nil for none.
  package var comparison: CopyComparison? { choice.comparison }

  /// Opens a film for everyone, unless it is a mistake for the party's film, of which the user has no copy.
  mutating func watch(_ film: FilmIdentity) -> [Effect] {
    guard let missing, !isCurrent(film), party?.participants.count ?? 0 > 1 else {
      return tryOut(film)
    }
    return [.film(.compare(film, with: missing, .refusal))]
  }

  /// Asks the user about the server of the party's film.
  func askAboutServer() -> [Effect] {
    guard let question else { return [] }
    return [.report(.mayOpen(question.asked)), .party(.requestForeground)]
  }

  /// Uses the lengths of a film that the user named and of the party's film.
  mutating func compared(
    _ comparison: CopyComparison, for purpose: CopyComparison.Purpose
  ) -> [Effect] {
    let (film, partys) = (comparison.film, comparison.partys)
    let difference =
      "“\(film.title)” isn't the party's film, “\(partys.title)” (\(comparison.facts))."
    switch purpose {
    case .question(let number, let list):
      guard choice.compared(comparison, number) else { return [] }
      return [.prepareActivation(number, list)]
    case .refusal:
      let use = comparison.mayBeVersion ? "To watch yours in its place: same-film. " : ""
      return [
        .report(
          .failed(
            "\(difference) \(use)For you alone: load-alone. For everyone instead: load … --for-everyone"
          ))
      ]
    case .use: return [.library(.recallCopy(comparison))]
    case .offer:
      guard list?.current.id == partys.id else { return [] }
      if missing != nil {
        choice.offers(comparison)
        return []
      }
      if question != nil {
        consent.compared(comparison.mayBeSame ? comparison : nil)
        return askAboutServer()
      }
      guard comparison.isUsable, filmMachine.isShown, filmMachine.film?.isForeign == true else {
        return []
      }
      let text =
        "Your “\(film.title)” is as long as this film. To watch it instead: same-film \(film.location)"
      return [.report(.warning(text))]
    }
  }

  // MARK: - Trying out

  /// The intent of the user, or of the party's rules, is settled.
  mutating func intentSettled(
    _ number: FilmChoice.Number, _ intent: GroupActivityActivationResult
  ) -> [Effect] {
    guard let chosen = choice.settled(number) else { return [] }
    switch intent {
    case .activationPreferred: return tryOut(chosen.film, at: chosen.position)
    case .activationDisabled: return tryOut(chosen.film, at: chosen.position, isAlone: true)
    case .cancelled: return []
    }
  }

  /// Opens a film that the user chose once it is known that it can be opened: a failure leaves everyone where they are
  /// (rule 41). Without another film there is nothing to lose.
  mutating func tryOut(
    _ film: FilmIdentity, at position: MediaTime? = nil, isAlone: Bool = false
  ) -> [Effect] {
    let number = choice.chose(film, at: position, isAlone: isAlone)
    guard !isCurrent(film), membership.isMember || filmMachine.film != nil else {
      return canPlay(number)
    }
    return [.film(.tryOut(film, number))]
  }

  /// The film that the user chose last can be opened.
  mutating func canPlay(_ number: FilmChoice.Number) -> [Effect] {
    guard let chosen = choice.settled(number) else { return [] }
    let (film, position) = (chosen.film, chosen.position)
    // A position that was looked up has been reported.
    let isKnown = position == filmMachine.position(toResume: film.identifier)
    return (isKnown ? [] : resuming(at: position))
      + (chosen.isAlone ? openAlone(film, at: position) : open(film, at: position))
  }

  /// The film that the user chose can't be opened: nothing changes.
  mutating func cannotPlay(_ film: FilmIdentity, _ text: String) -> [Effect] {
    if filmMachine.playsNext == film.identifier { filmMachine.playNext(nil) }
    let film = filmMachine.film.map(\.title) ?? list?.current.title
    let rest =
      film.map { membership.isMember ? " The party stays at “\($0)”." : " “\($0)” stays open." }
      ?? ""
    return [.report(.failed(text.hasSuffix(".") ? text + rest : text + "." + rest))]
  }

  func resuming(at position: MediaTime?) -> [Effect] {
    position.map { [.report(.resuming(at: $0))] } ?? []
  }
}
