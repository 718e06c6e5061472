import GroupActivities
import WatchTogether

/// Films from one participant's copy for those who have none.
extension ScreeningMachine {
  package enum ShareEvent: Hashable, Sendable {
    /// The copies that other participants share now.
    case offered([SharedFilm])
    /// The film can be taken from now on.
    case given(FilmIdentity, ShareQuality?, size: Int)
    /// A film can't be shared, or no longer.
    case failed(String)
    /// A part of the shared film on the screen has arrived.
    case arrived(ArrivedPart)
    /// Another participant's subtitles have arrived.
    case subtitles(SharedSubtitles)
    /// The others can choose this user's subtitles from now on.
    case subtitlesGiven(name: String)
    /// A film was written to a file.
    case kept(String)
    /// A participant wants to compare the sound of another copy of the film with this identifier.
    case soundWanted(of: String)
    /// A copy was compared with the film of a playlist's entry.
    case aligned(FilmIdentity, entry: UInt32, CopyMatch)
    /// The user wants to keep the films that others share, in a folder.
    case keeps(in: String)
  }

  mutating func handle(_ event: ShareEvent) -> [Effect] {
    switch event {
    case .offered(let films):
      sharing.heard(of: films)
      return []
    case .given(let film, let quality, let size):
      guard film.identifier == filmMachine.film?.identifier else { return [] }
      let copy = quality.map { "a copy in \($0.rawValue), at most" } ?? "yours,"
      let text = "Friends without “\(film.title)” can watch \(copy) \(StoryWords.size(size))."
      return [.report(.notice(text))]
    case .failed(let text): return [.report(.warning(text))]
    case .arrived(let part): return arrived(part)
    case .subtitles(let subtitles):
      sharing.subtitles.arrived(subtitles)
      return []
    case .subtitlesGiven(let name):
      return [.report(.notice("Everyone can choose your subtitles “\(name)” now."))]
    case .kept(let path): return [.report(.notice("The film is kept: \(path)"))]
    case .soundWanted(let film):
      guard let own = ownFile, own.identifier == film else { return [] }
      return [.share(.giveSound(own))]
    case .aligned(let film, let entry, let match): return aligned(film, entry: entry, match)
    case .keeps(let folder):
      sharing.keep(in: folder)
      return []
    }
  }

  /// The film on the screen, if this user can share it: a file of its own.
  private var ownFile: FilmIdentity? {
    guard membership.isMember, party?.session == .joined, filmMachine.isShown,
      let film = filmMachine.film, film.canBeGiven, list?.current.item == film.item
    else { return nil }
    return film
  }

  /// The next film of the list, in a copy to which the user agreed; nil if this computer has one.
  private var nextShared: SharedFilm? {
    guard filmMachine.isShown, filmMachine.film?.isShared == true,
      let next = list?.entry(at: 1)?.identifier, consent.copies[next] == nil
    else { return nil }
    return sharing.agreed(for: next)
  }

  /// The question about sharing that the user has to answer; nil for none.
  package var shareQuestion: ShareQuestion? {
    if let missing {
      if let own = choice.offered, own.partys.id == missing.id, own.mayBeVersion {
        return .useOwn(own)
      }
      return sharing.offer(of: missing.identifier).map { .take($0) }
    }
    guard party?.role == .host, let film = ownFile, sharing.mayGive(film.identifier) else {
      return subtitleQuestion
    }
    let names = sharing.lacking(at: now)
    return names.isEmpty ? subtitleQuestion : .give(film, to: names)
  }

  /// Shares the film on the screen and the next one, fetches what others share, and asks what has to be asked.
  mutating func followSharing() -> [Effect] {
    var effects = loadSubtitles()
    if sharing.isOn, let film = ownFile {
      let next = (list?.entry(at: 1)?.identifier).flatMap { consent.copies[$0] }
      for film in [film, sharing.givesAhead ? next : nil] {
        guard let film, film.canBeGiven else { continue }
        effects += sharing.give(film, lasting: player.duration).map { .share($0) }
      }
    }
    if let missing, let film = sharing.agreed(for: missing.identifier), sharing.take(film) {
      effects += open(film, for: missing)
    }
    if let film = filmMachine.film, let other = sharing.replacement(for: film),
      let entry = list?.current, entry.identifier == film.identifier, sharing.take(other)
    {
      effects += open(other, for: entry)
    }
    if let film = filmMachine.film, film.isShared, filmMachine.isShown,
      let folder = sharing.folder(for: film.identifier)
    {
      effects.append(.share(.keep(film, folder: folder)))
    }
    switch sharing.prepare(nextShared, at: now) {
    case .none: break
    case .search: if let next = list?.entry(at: 1) { effects.append(.library(.findMissing(next))) }
    case .fetch(let film): effects.append(.share(.prepare(film)))
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
      + "without stops if you wait \(time), or if its owner shares a smaller copy (share 480p)."
    return [.report(.warning(text))]
  }

  mutating func share(
    _ isOn: Bool, _ quality: ShareQuality?
  ) throws(ShareProblem) -> [Effect] {
    if isOn, let film = filmMachine.film, filmMachine.isShown, film.isStream || film.isForeign {
      throw .notOwnFile
    }
    return sharing.turn(on: isOn, quality) ? [.share(.withdraw)] : []
  }

  func keep(in folder: String?) throws(ShareProblem) -> [Effect] {
    guard let film = filmMachine.film, film.isShared, filmMachine.isShown else { throw .notShared }
    return [.share(.keep(film, folder: folder))]
  }

  mutating func answer(_ question: ShareQuestion, isAllowed: Bool) -> [Effect] {
    guard isAllowed else {
      if case .useOwn = question { choice.offers(nil) }
      sharing.decline(question)
      return []
    }
    switch question {
    case .useOwn(let comparison):
      choice.offers(nil)
      return [.library(.recallCopy(comparison))]
    case .give:
      _ = sharing.turn(on: true)
      return []
    case .giveSubtitles(let file, let film):
      sharing.subtitles.settle(file)
      return [.share(.giveSubtitles(file, of: film))]
    case .take(let shared):
      guard let missing else { return [] }
      sharing.agree(to: shared)
      return open(shared, for: missing) + [.wait(.fileIsOpen)]
    }
  }

  private mutating func open(_ shared: SharedFilm, for entry: PlaylistEntry) -> [Effect] {
    films(.copyFound(FilmIdentity(shared, titled: entry.title), entry: entry.id))
  }

  /// The question as the faces show it.
  package func asked(_ question: ShareQuestion) -> ScreeningEvent.ShareQuestion {
    switch question {
    case .useOwn(let comparison):
      .init(
        film: comparison.partys.title, size: comparison.film.fileSize,
        copy: comparison.film.location, difference: comparison.difference)
    case .take(let film):
      .init(
        film: missing?.title ?? "", size: film.size, quality: film.quality?.rawValue,
        from: name(of: film.owner))
    case .give(let film, let ids):
      .init(
        film: film.title, size: film.fileSize,
        to: (party?.participants ?? []).filter { ids.contains($0.id) }.map(\.name))
    case .giveSubtitles(let file, let film):
      .init(
        film: film.title, size: nil, subtitles: file.split(separator: "/").last.map(String.init),
        to: (party?.participants ?? []).filter { $0.id != party?.me }.map(\.name))
    }
  }
}

/// The reason why a film or its subtitles can't be shared or kept, as text for the user.
package enum ShareProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case notOwnFile
  case notShared
  case noFilm
  case noSubtitles
  /// A file can't be shared as subtitles, for a reason that begins in the middle of a sentence.
  case subtitles(file: String, String)

  package var description: String {
    switch self {
    case .notOwnFile: "Only a film that is a file on this computer can be shared."
    case .noFilm: "Subtitles are shared for the party's film: open it first."
    case .noSubtitles: "Select subtitles from a file first, or name one: share-subtitles FILE"
    case .subtitles(let file, let reason): "“\(file)” can't be shared: \(reason)"
    case .notShared: "There is nothing to keep: this film doesn't come from another participant."
    }
  }
}
