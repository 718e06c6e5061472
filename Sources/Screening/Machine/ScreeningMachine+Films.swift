import Concurrency
import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The films: what the film machine decides, and the ways to the films of others.
extension ScreeningMachine {
  mutating func handle(_ event: FilmEvent) throws -> [Effect] {
    switch event {
    case .answer(let event): return films(event)
    case .identified(let film, .resume) where !isCurrent(film):
      return [.library(.findPosition(film)), .then(.film(.resumes(film)))]
    case .identified(let film, let purpose): return try identified(film, purpose)
    case .canPlay(let number): return canPlay(number)
    case .compared(let comparison, let purpose): return compared(comparison, for: purpose)
    case .recalled(let comparison): return use(comparison)
    case .listed(let locations, let purpose):
      // The films of a list follow one another.
      let others = [.watchAlone, .sameFilm].contains(purpose) ? [] : locations.dropFirst()
      return locations.prefix(1).map { .film(.identify($0, purpose, isEntry: true)) }
        + others.map { .film(.identify($0, .enqueue, isEntry: true)) }
    case .searched(let number, let entry, let chooser, let copy, let isFresh):
      return searched(number, entry, by: chooser, copy: copy, isFresh: isFresh)
    case .copyFound(let film, let entry):
      consent.remember([film])
      return films(.copyFound(film, entry: entry))
    case .libraryChanged:
      guard case .missing = filmMachine.state, let entry = filmMachine.adopted?.current else {
        return []
      }
      return [.library(.findMissing(entry))]
    case .foundBeside(let film, let films):
      guard film == filmMachine.film else { return [] }
      end.found(Sequel.of(film.location, among: films))
      return openRoomsChoice(among: films)
    case .positionFound(let film, let position): return found(position, in: film)
    case .remarksFound(let remarks, let film):
      recalled(remarks, about: film)
      return []
    case .resumes(let film):
      return tryOut(film, at: filmMachine.position(toResume: film.identifier))
    case .networkFound(let network, let refusal, let number):
      return describe(refusal, in: network, number)
    case .arrivalNetworkFound(let network, let origin, let start):
      consent.arrive(at: origin, in: network)
      return watch(start)
    case .filmStarts(let number): return filmStarts(number)
    case .trailer(let event): return follow(trailers.handle(event))
    }
  }

  private mutating func found(_ position: MediaTime?, in film: FilmIdentity) -> [Effect] {
    if history.offer.found(position, in: film.identifier) {
      return offeredPosition.map { [.report(.resumeOffered(at: $0))] } ?? []
    }
    guard let position else { return [] }
    filmMachine.resume(film.identifier, at: position)
    return resuming(at: position)
  }

  /// Gives the film machine an event.
  mutating func films(_ event: Films.Event) -> [Effect] {
    follow(filmMachine.handle(event, at: now))
  }

  mutating func follow(_ directives: [Films.Directive]) -> [Effect] {
    directives.flatMap { follow($0) }
  }

  private mutating func follow(_ directive: Films.Directive) -> [Effect] {
    switch directive {
    case .resolve(let number, let entry, let chooser):
      if let copy = consent.copies[entry.identifier] {
        return films(.resolved(number, .film(copy, chooser)))
      }
      return [
        .library(
          .findCopy(
            number, entry, by: chooser, named: Array(consent.copies.values),
            streams: consent.readableStreams(for: entry)))
      ]
    case .load(let number, let film, let timing):
      stalls = StallMeter()
      sharing.subtitles.filmOpens()
      return [.film(.load(number, film, proposing: timing))]
    case .reopen(let number, let film):
      sharing.subtitles.filmOpens()
      return [.film(.reopen(number, film))]
    case .begin(let number, let film, let position, _): return begin(film, number, at: position)
    case .makeRoom:
      // A player without a window has no small picture.
      return isBrowsing && player.picture == .window ? [.player(.setPictureInPicture(true))] : []
    case .remember(let film): return [.look(.remember(film))]
    case .close: return [.clearItem, .film(.close)]
    case .clearItem: return [.clearItem]
    case .restoreItem(let film): return [.film(.restoreItem(film))]
    case .describe(let number, let refusal):
      if let network = refusal.network { return describe(refusal, in: network, number) }
      return [.film(.findNetwork(of: refusal, number))]
    case .ask: return compareNamed() ?? askAboutServer()
    case .separate(let separation, let reason): return [.separate(separation, for: reason)]
    case .rejoin(let separation, let position): return [.rejoin(separation, proposing: position)]
    case .tellReady: return [.tellReady]
    case .endEarly:
      return [
        .report(.warning("The film stopped early. The rest of the file is missing.")),
        .look(.endHere),
      ]
    case .announce, .tellPlaylist, .report, .tellOfTooManyQuestions, .tellOfRepeatedLoss,
      .tellOfLoss:
      return tell(directive)
    }
  }

  /// The reports of the film machine to the user.
  private func tell(_ directive: Films.Directive) -> [Effect] {
    let remember = list.map { [Effect.party(.rememberList($0))] } ?? []
    switch directive {
    case .announce(let entry, let chooser, let cause):
      guard let name = name(of: chooser) else { return remember }
      return remember + [.report(.activity(.init(entry), by: name, cause))]
    case .tellPlaylist:
      return remember + [.report(.playlist(ScreeningEvent.ListedFilm.all(of: list)))]
    case .report(let text):
      let hasNext = list?.entry(at: 1) != nil
      return [.report(.failed(hasNext ? "\(text) – for the next film: > (next)" : text))]
    case .tellOfTooManyQuestions: return [.report(.failed(QuestionLimit.text))]
    case .tellOfRepeatedLoss:
      let text = "The rest of the film can't be loaded. Open it again to retry."
      return [.report(.failed(text))]
    case .tellOfLoss(let isFirst):
      let text = "Lost the film's server. You rejoin everyone when it is back."
      return [.sync(.forget)] + (isFirst ? [.report(.warning(text))] : [])
    case .resolve, .load, .reopen, .begin, .makeRoom, .remember, .close, .clearItem, .restoreItem,
      .describe, .ask, .separate, .rejoin, .tellReady, .endEarly:
      return []
    }
  }

  // MARK: - Finding

  private mutating func searched(
    _ number: FilmOrder.Number, _ entry: PlaylistEntry, by chooser: Chooser,
    copy: FilmIdentity?, isFresh: Bool
  ) -> [Effect] {
    // The user may have named a copy in the meantime.
    if var copy = copy ?? consent.copies[entry.identifier] {
      // The party's identifier names the same content.
      copy.identifier = entry.identifier
      consent.remember([copy])
      return films(.resolved(number, .film(copy, chooser)))
    }
    if let shared = sharing.agreed(for: entry.identifier) {
      let film = FilmIdentity(shared, titled: entry.title)
      return films(.resolved(number, .film(film, chooser)))
    }
    let effects = films(.resolved(number, consent.way(to: entry, by: chooser, isFresh: isFresh)))
    return effects + (missing == nil ? [] : compareNamed() ?? [])
  }

  private mutating func describe(
    _ refusal: OriginRefusal, in network: HostNetwork, _ number: FilmOrder.Number
  ) -> [Effect] {
    guard filmMachine.isCurrent(number), let film = filmMachine.adopted?.current.identifier else {
      return []
    }
    let mayAsk = consent.describe(refusal, in: network, film: film)
    return films(.described(number, mayAsk: mayAsk))
  }

  /// The question that the user has to answer; nil if there is none.
  package var question: AddressQuestion? { filmMachine.isAsking ? consent.question : nil }

  /// The question that the user answered with no, as long as the film that it is about is the current one; nil without
  /// one.
  package var declined: AddressQuestion? {
    guard filmMachine.state == .closed, let item = list?.current.item, item == consent.declinedItem
    else { return nil }
    return consent.question
  }

  /// The position at which the user may continue the film, for everyone; nil without that offer.
  package var offeredPosition: MediaTime? {
    mayControl && !showsTrailer ? history.offer.position(in: filmMachine.film?.identifier) : nil
  }

  /// A Boolean value that indicates whether Enter accepts that offer. With others it writes to them.
  package var resumesByEnter: Bool { party.map { $0.participants.count < 2 } ?? true }

  /// The party's film, while this participant has no copy of it; nil otherwise.
  package var missing: PlaylistEntry? {
    guard membership.isMember, filmMachine.state == .missing else { return nil }
    return list?.current
  }

  // MARK: - Beginning

  /// Lets a film begin that has been loaded.
  private mutating func begin(
    _ film: FilmIdentity, _ number: FilmOrder.Number, at position: MediaTime?
  ) -> [Effect] {
    end = FilmEnd()
    endReadyCheck()
    // A drawing belongs to its film.
    let drawn: [Effect] = drawing.current == nil ? [] : [.report(.drawing(.init(drawingStatus)))]
    let seek = history.offer.begins(film.identifier, at: position).map {
      Effect.attempt(
        [.look(.command($0))],
        orElse: .warn("Can't resume, starting from the beginning: "))
    }
    return [.look(.tracks), .report(.opened(item: film.identifier, title: film.title))] + drawn
      + recallRemarks(about: film)
      + (seek.map { [$0] } ?? []) + [.then(.film(.filmStarts(number)))]
      + (history.offer.needsPosition ? [.library(.findPosition(film))] : [])
      + (film.isForeign ? compareNamed() ?? [] : [])
  }

  private mutating func filmStarts(_ number: FilmOrder.Number) -> [Effect] {
    filmMachine.hasBegun()
    guard filmMachine.isCurrent(number) else { return [] }
    // Before the trailers: while they are shown, this participant's commands don't concern the others.
    let play: [Effect] =
      filmMachine.playsOnceBegun(number) ? [.attempt([.look(.playFilm)], orElse: .report(""))] : []
    return [.tellReady] + play + follow(trailers.handle(.filmBegan))
  }

  /// Returns whether the condition holds for which effects wait.
  ///
  /// A stream isn't waited for, because it may never open (a server that promises more and sends nothing), and the
  /// user's next choice must still be handled.
  package func holds(_ condition: Condition) -> Bool {
    switch condition {
    case .fileIsOpen:
      filmMachine.beginnings == 0 && (!filmMachine.isOnItsWay || filmMachine.isStreamOnItsWay)
    case .departed: !membership.isLeaving
    }
  }

  // MARK: - The film that continues the last one

  /// The name, without its ending, of the file that continues the film that ended; the command `next` opens it. Nil for
  /// none.
  package var sequel: String? { nextBeside.map { Sequel.title($0) } }

  /// The location of the ``sequel``.
  var nextBeside: String? {
    mayOfferSequel && !filmMachine.isOnItsWay ? end.sequel : nil
  }

  /// Returns the effect that looks for a film that continues the one that ended, if the user may open it for everyone
  /// and the list has no other.
  func findSequel() -> [Effect] {
    guard mayOfferSequel, !end.isEarly, let film = filmMachine.film, !film.isStream else {
      return []
    }
    return [.library(.findBeside(film))]
  }

  private var mayOfferSequel: Bool { mayChoose && !hasFollowing && group.reasons.isEmpty }

  // MARK: - Trailers

  mutating func follow(_ directives: [Trailers.Directive]) -> [Effect] {
    directives.flatMap { directive -> [Effect] in
      switch directive {
      case .separate:
        return films(.separated(.interstitial, for: .playingInterstitial))
          + [.then(.film(.trailer(.separated)))]
      case .openPlayer: return [.trailer(.open)]
      case .play(let location): return [.trailer(.play(location))]
      case .closePlayer: return [.trailer(.close)]
      case .showFilm: return [.trailer(.showFilm)]
      case .rejoin: return films(.rejoined(.interstitial, proposing: nil))
      case .warn(let text): return [.report(.warning(text))]
      }
    }
  }

  /// A Boolean value that indicates whether a trailer is shown.
  package var showsTrailer: Bool { trailers.isShown }

  // MARK: - Display

  /// The parts of the state whose change the faces show.
  struct Display: Hashable, Sendable {
    var state: Films.State
    var film: FilmIdentity?
    var separations: Set<Separation>
    var trailers: Trailers.State
    var sequel: String?
  }

  var display: Display {
    Display(
      state: filmMachine.state, film: filmMachine.film, separations: filmMachine.separations,
      trailers: trailers.state, sequel: sequel)
  }
}

extension PlaylistEntry {
  /// The film of an entry of this user's own.
  var film: FilmIdentity {
    var film = FilmIdentity(identifier: identifier, title: title, location: location ?? "")
    film.fileSize = fileSize
    return film
  }
}
