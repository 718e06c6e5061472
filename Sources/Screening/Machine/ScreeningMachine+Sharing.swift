import GroupActivities
import WatchTogether

/// Films from one participant's copy for those who have none.
extension ScreeningMachine {
  package enum ShareEvent: Hashable, Sendable {
    /// The copies that other participants share now.
    case offered([SharedFilm])
    /// The film can be taken from now on.
    case given(FilmIdentity, size: Int)
    /// A film can't be shared, or no longer.
    case failed(String)
    /// A part of the shared film on the screen has arrived.
    case arrived(ArrivedPart)
    /// A film was written to a file.
    case kept(String)
  }

  mutating func handle(_ event: ShareEvent) -> [Effect] {
    switch event {
    case .offered(let films):
      sharing.heard(of: films)
      return []
    case .given(let film, let size):
      let text = "Friends without “\(film.title)” can watch yours now (\(StoryWords.size(size)))."
      return [.report(.warning(text))]
    case .failed(let text): return [.report(.warning(text))]
    case .arrived(let part): return arrived(part)
    case .kept(let path): return [.report(.warning("The film is kept: \(path)"))]
    }
  }

  /// The film on the screen, if this user can share it: a file of its own.
  private var ownFile: FilmIdentity? {
    guard membership.isMember, party?.session == .joined, filmMachine.isShown,
      let film = filmMachine.film, !film.isStream, !film.isForeign, !film.isOtherCopy,
      list?.current.item == film.item
    else { return nil }
    return film
  }

  /// The question about sharing that the user has to answer; nil for none.
  package var shareQuestion: ShareQuestion? {
    if let missing { return sharing.offer(of: missing.identifier).map { .take($0) } }
    guard party?.role == .host, let film = ownFile, sharing.mayGive(film.identifier) else {
      return nil
    }
    let names = sharing.lacking(at: now)
    return names.isEmpty ? nil : .give(film, to: names)
  }

  /// Shares the film on the screen, and asks what has to be asked.
  mutating func followSharing() -> [Effect] {
    var effects: [Effect] = []
    if sharing.isOn, let film = ownFile, sharing.give(film.identifier) {
      effects.append(.share(.give(film)))
    }
    let question = shareQuestion
    guard sharing.shows(question) else { return effects }
    return effects + [question.map { .report(.mayShare(asked($0))) } ?? .report(.changed)]
  }

  /// Notes the participants who lack the film on the screen.
  mutating func noteLacking() {
    guard let party, ownFile != nil else { return sharing.lack([], at: now) }
    // A door's guests get the film from their keeper.
    let others = party.participants.filter { $0.id != party.me && $0.door == nil }.map(\.id)
    sharing.lack(Set(others).subtracting(group.withFilm), at: now)
  }

  /// Reports a link that can't carry the film, before the film stops for the first time.
  private mutating func arrived(_ part: ArrivedPart) -> [Effect] {
    guard let film = filmMachine.film, film.isShared, let end = player.duration,
      let shortage = sharing.arrived(
        part, of: film, end: end, at: player.itemTime ?? .zero, now: now)
    else { return [] }
    func rate(_ bits: Double) -> String { String(format: bits < 1e7 ? "%.1f" : "%.0f", bits / 1e6) }
    let minutes = Int((shortage.wait.inSeconds / 60).rounded(.up))
    let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
    let text =
      "The link carries \(rate(shortage.link)) Mbit/s, and this film needs \(rate(shortage.film)): it plays "
      + "without stops if you wait \(time)."
    return [.report(.warning(text))]
  }

  mutating func share(_ isOn: Bool) throws(ShareProblem) -> [Effect] {
    if isOn, let film = filmMachine.film, filmMachine.isShown, film.isStream || film.isForeign {
      throw .notOwnFile
    }
    sharing.turn(on: isOn)
    return isOn ? [] : [.share(.withdraw)]
  }

  func keep(in folder: String?) throws(ShareProblem) -> [Effect] {
    guard let film = filmMachine.film, film.isShared, filmMachine.isShown else { throw .notShared }
    return [.share(.keep(film, folder: folder))]
  }

  mutating func answer(_ question: ShareQuestion, isAllowed: Bool) -> [Effect] {
    guard isAllowed else {
      sharing.decline(question)
      return []
    }
    switch question {
    case .give:
      sharing.turn(on: true)
      return []
    case .take(let shared):
      guard let missing else { return [] }
      let film = FilmIdentity(shared, titled: PartyText.clean(missing.title, limit: 200))
      consent.remember([film])
      return films(.copyFound(film, entry: missing.id)) + [.wait(.fileIsOpen)]
    }
  }

  /// The question as the faces show it.
  package func asked(_ question: ShareQuestion) -> ScreeningEvent.ShareQuestion {
    switch question {
    case .take(let film):
      .init(film: missing?.title ?? "", size: film.size, from: name(of: film.owner))
    case .give(let film, let ids):
      .init(
        film: film.title, size: film.fileSize,
        to: (party?.participants ?? []).filter { ids.contains($0.id) }.map(\.name))
    }
  }
}

/// The reason why a film can't be shared or kept, as text for the user.
package enum ShareProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case notOwnFile
  case notShared

  package var description: String {
    switch self {
    case .notOwnFile: "Only a film that is a file on this computer can be shared."
    case .notShared: "There is nothing to keep: this film doesn't come from another participant."
    }
  }
}
