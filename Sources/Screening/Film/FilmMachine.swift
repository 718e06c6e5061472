import Concurrency
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The machine that decides which film is on the screen, and what this participant is apart from the group for.
///
/// Its shell performs the directives in order. Each request has a number, and an answer counts only as long as its
/// request is the newest: another film may have been chosen, or the film closed, while a disk or a server was slow.
///
/// - `Refusal`: the reason why a server needs the user's consent. The machine only keeps it.
package struct FilmMachine<Refusal: Hashable & Sendable>: Sendable {
  /// The number of a request. Larger numbers are newer.
  package typealias Number = Int

  /// The states of the film.
  package enum State: Hashable, Sendable {
    /// No film is on the screen.
    case closed
    /// No film is on the screen, because this participant has no copy of the party's film.
    case missing
    /// A server that the film needs is looked up, for the question to the user. No film is on the screen.
    case describing(Number, Refusal)
    /// The user is asked about a server. No film is on the screen.
    case asking(Number, Refusal)
    case loading(Number)
    case open(Number)
    /// The film's server disappeared. The film is opened again at a time; the last frame stays on the screen.
    case lost(Number, attempt: Int, due: HostTime)
    /// The film is being opened again.
    case reopening(Number, attempt: Int)
    /// The player can't play the film.
    case unplayable
  }

  package private(set) var state = State.closed
  /// The search for this participant's copy of the program's film; nil while there is none. The film before it continues.
  private(set) var search: Number?
  /// A Boolean value that indicates whether this participant chose the film that is looked for.
  private var isOwnSearch = false
  /// A Boolean value that indicates whether the coordinator was left without the film on the screen, because another one
  /// is looked for.
  private var isItemCleared = false
  /// The film on the screen, or the one that is being opened.
  package private(set) var film: FilmIdentity?
  /// The program that was adopted last: the party's, or outside a party this participant's own.
  package private(set) var adopted: Playlist?
  /// The film that this participant watches while the party watches something else; nil while it follows the party.
  package private(set) var ownChoice: FilmIdentity?
  /// The reasons why this participant is apart from the group.
  package private(set) var separations: Set<Separation> = []
  package private(set) var isInParty = false
  /// A Boolean value that indicates whether the player has loaded the film.
  package private(set) var isShown = false

  /// The identifier of the film that plays once it is open.
  private(set) var playsNext: String?
  /// The request whose film plays once it has begun.
  private var beginning: Number?
  /// The number of films that were opened and haven't begun yet.
  private(set) var beginnings = 0
  /// The position at which a film continues once it is open.
  private var resumption: (identifier: String, position: MediaTime)?
  /// The number of successive losses of the server right after the film was opened again, and the time of the last
  /// time it was opened again.
  private var losses: (count: Int, reopenedAt: HostTime?) = (0, nil)
  private var lastNumber: Number = 0

  /// The pauses between attempts to open a film whose server is unreachable. The last one repeats.
  static var pauses: [Duration] { [.seconds(1), .seconds(2), .seconds(4), .seconds(8)] }
  /// The maximum number of successive losses right after the film was opened again. More of them aren't the server's
  /// fault.
  static var lossLimit: Int { 3 }
  /// The time after which a loss is no longer one right after the film was opened again.
  static var rightAfter: Duration { .seconds(10) }

  package init() {}

  // MARK: - Commands that are kept for a film that is on its way

  /// Lets a film play once it is open; nil lets none.
  package mutating func playNext(_ identifier: String?) { playsNext = identifier }

  /// Keeps a play command for the film that is on its way.
  ///
  /// - Parameter item: the coordinator's item.
  /// - Returns: false if there is none: the command applies at once.
  package mutating func keepPlay(besides item: String?) -> Bool {
    guard let coming = coming(besides: item) else { return false }
    playsNext = coming
    return true
  }

  /// Forgets a play command that was kept for the film that is on its way, or for the one that is just beginning.
  package mutating func forgetPlay(besides item: String?) {
    beginning = nil
    if coming(besides: item) != nil { playsNext = nil }
  }

  /// A film that was opened has begun.
  mutating func hasBegun() { beginnings -= 1 }

  /// Returns a Boolean value that indicates whether a film that has begun should play: it is still the newest, and no pause
  /// came meanwhile.
  package func playsOnceBegun(_ number: Number) -> Bool {
    beginning == number && isCurrent(number)
  }

  /// Keeps a position for the film that is on its way.
  ///
  /// - Returns: false if there is none: the command applies at once.
  package mutating func keepSeek(to position: MediaTime, besides item: String?) -> Bool {
    guard let coming = coming(besides: item) else { return false }
    resumption = (coming, max(.zero, position))
    return true
  }

  /// The identifier of the film that is on its way and isn't the coordinator's item yet: in a party the film that was
  /// chosen last, otherwise a stream. A command would apply to the film before it.
  private func coming(besides item: String?) -> String? {
    if search != nil {
      return isInParty && adopted?.current.item != item ? adopted?.current.identifier : nil
    }
    guard isOpening, let film, isInParty ? film.item != item : film.isStream else { return nil }
    return film.identifier
  }

  // MARK: - Events

  /// Handles an event.
  package mutating func handle(_ event: Event, at now: HostTime) -> [Directive] {
    switch event {
    case .enteredParty:
      isInParty = true
      return []
    case .leftParty: return leftParty()
    case .chose(let film, let list, let timing):
      adopted = list
      return open(film, proposing: timing)
    case .choseAlone(let film):
      ownChoice = film
      return begin(.watchingAlone, for: .watchingAlone)
        + open(film, proposing: PlaybackTiming(rate: 1, itemTime: .zero))
    case .adopted(let list, let chooser, let cause):
      return adopt(list, by: chooser, cause: cause)
    case .edited(let list):
      adopted = list
      return [.tellPlaylist]
    case .sessionBegan:
      adopted = nil
      return []
    case .resolved(let number, let resolution):
      guard search == number else { return [] }
      return resolved(resolution)
    case .copyFound(let copy, let entry):
      let current = adopted?.current
      // A stream may be asked about, or on the screen; and a participant may share another copy than before.
      let isReplaced = current?.location != nil || film?.isShared == true && copy.isShared
      guard let current, current.id == entry, state == .missing || isReplaced && !keepsFilm
      else { return [] }
      return open(copy.shown(as: current), proposing: nil)
    case .loaded(let number):
      guard case .loading(number) = state, let film else { return [] }
      return loaded(film, number)
    case .failed(let number, let text):
      guard case .loading(number) = state else { return [] }
      state = .unplayable
      return [.report(failure: text)] + cannotFollow()
    case .cannotLoad(let number, let text):
      guard case .loading(number) = state else { return [] }
      return close() + [.report(failure: text)]
    case .refused(let number, let refusal): return refused(refusal, number)
    case .described(let number, let mayAsk):
      guard case .describing(number, let refusal) = state else { return [] }
      guard mayAsk else {
        state = .unplayable
        return [.tellOfTooManyQuestions] + cannotFollow()
      }
      state = .asking(number, refusal)
      return begin(.undecided, for: .userActionRequired) + [.ask(number, refusal)]
    case .answered(let isAllowed):
      guard case .asking = state else { return [] }
      state = .closed
      guard isAllowed, let adopted else { return end(.undecided) }
      return end(.undecided) + adopt(adopted, by: .user, cause: .chosen)
    case .lostServer: return lostServer(at: now)
    case .reopened(let number):
      // The party may have been left meanwhile. The coordinator still waits for the player.
      if case .open(number) = state { return [.tellReady] }
      guard case .reopening(number, _) = state else { return [] }
      state = .open(number)
      losses.reopenedAt = now
      return end(.disconnected) + end(.stalled) + [.tellReady]
    case .reopeningFailed(let number):
      // The party was left meanwhile, and the player is empty.
      if case .open(number) = state {
        state = .unplayable
        return cannotFollow()
      }
      guard case .reopening(number, let attempt) = state else { return [] }
      return waitForServer(number, attempt: attempt + 1, at: now)
    case .unplayable:
      // A film that is on its way may still open.
      if isOpen || isRecovering { state = .unplayable }
      return cannotFollow()
    case .resumed(let list): return resumed(list)
    case .putBack(let list): return putBack(list)
    case .separated(let separation, let reason):
      // The others' film is still looked for: this participant keeps what is on the screen.
      let keeps = separation.onFilmChange == .keepsFilm && isShown && !isOwnSearch
      return (keeps ? endSearch() : []) + begin(separation, for: reason)
    case .rejoined(let separation, let position): return end(separation, proposing: position)
    case .separationFailed(let separation):
      separations.remove(separation)
      return []
    }
  }
}

extension FilmMachine: HostedMachine {
  package var nextDeadline: HostTime? {
    if case .lost(_, _, let due) = state { due } else { nil }
  }

  package mutating func timerFired(at now: HostTime) -> [Directive] {
    guard case .lost(let number, let attempt, let due) = state, now >= due, let film else {
      return []
    }
    state = .reopening(number, attempt: attempt)
    return [.reopen(number, film)]
  }
}

// MARK: - Choosing

extension FilmMachine {
  private mutating func adopt(_ list: Playlist, by chooser: Chooser, cause: FilmCause)
    -> [Directive]
  {
    let before = adopted
    adopted = list
    var directives: [Directive] = before == list ? [] : [.tellPlaylist]
    let item = list.current.item
    guard chooser == .user || before?.current.item != item else { return directives }
    let isNext = before?.entry(at: 1)?.id == list.current.id && film?.item == before?.current.item
    let cause = cause == .following && !(isNext && !keepsFilm) ? .chosen : cause
    directives.append(.announce(list.current, by: chooser, cause))
    guard chooser.isOwn || !keepsFilm, chooser == .user || film?.item != item else {
      // The group may have come back to the film on the screen.
      return directives + endSearch()
    }
    ownChoice = nil
    directives += beginFilmChange(chooser.isOwn ? .keepsFilm : .ends)
    switch state {
    case .describing, .asking: state = .closed
    case .closed, .missing, .loading, .open, .lost, .reopening, .unplayable: break
    }
    search = nextNumber()
    isOwnSearch = chooser.isOwn && cause != .following
    return directives + [.resolve(lastNumber, list.current, by: chooser)]
  }

  private mutating func resolved(_ resolution: Resolution) -> [Directive] {
    guard let entry = adopted?.current else { return close() }
    switch resolution {
    case .film(let film, let chooser):
      let inPicture: [Directive] = chooser.isOwn ? [] : [.makeRoom]
      return inPicture + open(film.shown(as: entry), proposing: nil)
    case .missing(let text):
      let directives = close()
      state = .missing
      return directives + [.report(failure: text)]
    case .refused(let text): return close() + [.report(failure: text)]
    case .ask(let refusal): return describe(refusal)
    }
  }

  /// Ends the search for another film: the one on the screen stays.
  private mutating func endSearch() -> [Directive] {
    search = nil
    guard isItemCleared, let film, isShown else { return [] }
    isItemCleared = false
    return [.restoreItem(film)]
  }

  private mutating func open(_ film: FilmIdentity, proposing timing: PlaybackTiming?)
    -> [Directive]
  {
    let directives = leaveFilm()
    self.film = film
    state = .loading(nextNumber())
    return directives + [.load(lastNumber, film, proposing: timing)]
  }

  /// Closes the film without another one.
  private mutating func close() -> [Directive] {
    let directives = leaveFilm()
    film = nil
    state = .closed
    return directives + [.close]
  }

  /// Leaves the film that is on the screen.
  private mutating func leaveFilm() -> [Directive] {
    let directives: [Directive] = film.map { isShown ? [.remember($0)] : [] } ?? []
    isShown = false
    isItemCleared = false
    search = nil
    return directives + end(.disconnected) + end(.undecided)
  }

  private mutating func nextNumber() -> Number {
    lastNumber += 1
    return lastNumber
  }

  /// Returns the position at which a film is to continue; nil for its beginning.
  func position(toResume identifier: String) -> MediaTime? {
    resumption?.identifier == identifier ? resumption?.position : nil
  }

  /// The film on the screen is at other times on the party's timeline.
  mutating func retime(_ timeline: CopyTimeline) { film?.timeline = timeline }

  /// Lets a film continue at a position once it is open; nil for its beginning.
  ///
  /// - Parameter identifier: the film's identifier.
  package mutating func resume(_ identifier: String, at position: MediaTime?) {
    resumption = position.map { (identifier, $0) }
  }
}

// MARK: - Opening

extension FilmMachine {
  private mutating func loaded(_ film: FilmIdentity, _ number: Number) -> [Directive] {
    state = .open(number)
    isShown = true
    var position: MediaTime?
    if let resumption, resumption.identifier == film.identifier {
      position = resumption.position
      self.resumption = nil
    }
    let plays = playsNext == film.identifier
    if plays { playsNext = nil }
    beginning = plays ? number : nil
    beginnings += 1
    // A participant who stepped away while the film was loading keeps it, although another one is looked for.
    let kept = keepsFilm && !isOwnSearch ? endSearch() : []
    return kept + end(.unable) + [.begin(number, film, at: position, plays: plays)]
  }

  /// Handles a server that the film needs and that the user hasn't agreed to, while the film is opened or plays.
  private mutating func refused(_ refusal: Refusal, _ number: Number) -> [Directive] {
    switch state {
    case .loading(number), .open(number), .reopening(number, _), .lost(number, _, _):
      return describe(refusal)
    case .closed, .missing, .describing, .asking, .loading, .open, .lost, .reopening, .unplayable:
      return []
    }
  }

  private mutating func describe(_ refusal: Refusal) -> [Directive] {
    let directives = close()
    state = .describing(nextNumber(), refusal)
    return directives + [.describe(lastNumber, refusal)]
  }

  /// Lets the group continue without this player until the player has a film again.
  private mutating func cannotFollow() -> [Directive] {
    // The player may still have the film before it.
    guard isInParty else { return close() }
    return begin(.unable, for: .coordinatedPlaybackNotPossible)
  }

  private mutating func lostServer(at now: HostTime) -> [Directive] {
    guard case .open(let number) = state else { return [] }
    guard isInParty else { return [.endEarly] }
    let isAgain = losses.reopenedAt.map { now - $0 < Self.rightAfter } ?? false
    losses.count = isAgain ? losses.count + 1 : 0
    guard losses.count < Self.lossLimit else {
      state = .unplayable
      return [.tellOfRepeatedLoss] + cannotFollow()
    }
    return waitForServer(number, attempt: 0, at: now)
      + begin(.disconnected, for: .stallRecovery) + [.tellOfLoss(isFirst: !isAgain)]
  }

  private mutating func waitForServer(_ number: Number, attempt: Int, at now: HostTime)
    -> [Directive]
  {
    let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
    state = .lost(number, attempt: attempt, due: now + pause)
    return []
  }
}

// MARK: - Apart from the group

extension FilmMachine {
  private mutating func begin(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) -> [Directive] {
    guard separations.insert(separation).inserted else { return [] }
    return [.separate(separation, for: reason)]
  }

  private mutating func end(_ separation: Separation, proposing position: MediaTime? = nil)
    -> [Directive]
  {
    guard separations.remove(separation) != nil else { return [] }
    return [.rejoin(separation, proposing: position)]
  }

  /// Ends the separations that don't outlive the film on the screen.
  private mutating func beginFilmChange(_ effect: Separation.FilmChange) -> [Directive] {
    let ending = Separation.allCases.filter {
      separations.contains($0) && [effect, .ends].contains($0.onFilmChange)
    }
    guard !ending.isEmpty else { return [] }
    // Without an item the return moves neither this player nor the group.
    isItemCleared = true
    return [.clearItem] + ending.flatMap { end($0) }
  }

  private mutating func resumed(_ list: Playlist?) -> [Directive] {
    let kept = keepsFilm
    ownChoice = nil
    guard isInParty, kept, film?.item != list?.current.item else {
      return end(.steppedAway) + end(.watchingAlone) + end(.tooSlow)
    }
    let directives = beginFilmChange(.keepsFilm)
    guard let list else { return directives + close() }
    return directives + adopt(list, by: .user, cause: .chosen)
  }

  /// Opens the film again that the user had before an own change in mpv.
  private mutating func putBack(_ list: Playlist?) -> [Directive] {
    if let film = ownChoice ?? (keepsFilm ? film : nil) { return open(film, proposing: nil) }
    guard let list else { return close() }
    return adopt(list, by: .user, cause: .chosen)
  }

  private mutating func leftParty() -> [Directive] {
    isInParty = false
    ownChoice = nil
    var closing: [Directive] = []
    switch state {
    case .describing, .asking: state = .closed
    // An attempt to open the film again has emptied the player.
    case .lost(_, attempt: 1..., _): closing = close()
    // The film is stuck. Its server may answer the next seek.
    case .lost(let number, _, _), .reopening(let number, _): state = .open(number)
    case .closed, .missing, .loading, .open, .unplayable: break
    }
    // Without a party there is no group to be apart from; trailers continue.
    return closing + Separation.allCases.filter { $0 != .interstitial }.flatMap { end($0) }
  }
}
