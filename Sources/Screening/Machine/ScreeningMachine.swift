import Concurrency
import GroupActivities
import Timekeeping
import WatchTogether

/// The machine of one participant's program: it decides what a command of the user means, and what follows from
/// events of the player, the coordinator, the party and the other adapters.
///
/// Events go in by ``handle(_:at:)``, and effects for the adapters come out; nothing else can change it. Its parts decide
/// about their own subjects: ``FilmMachine`` about the film on the screen and the separations from the group,
/// ``Playlist`` and ``SharedPlaylist`` about the list of films, ``Consent`` about servers, ``Membership``, ``Standby`` and
/// ``Departure`` about the party, ``Trailers``, ``DrawingPart``, ``PaceLimit``, ``StallMeter`` and ``WatchHistory`` about what
/// their names say.
package struct ScreeningMachine: Sendable {
  package typealias Films = FilmMachine<OriginRefusal>

  // MARK: The parts
  package internal(set) var filmMachine = Films()
  package internal(set) var membership = Membership()
  /// The list of films while this participant is in no party; nil before the first film.
  package private(set) var ownList: Playlist?
  /// The list of the party's session; nil without a session.
  private(set) var sharedList: SharedPlaylist?
  /// The entries that this user added to a list, by identifier.
  private var ownEntries: [UInt32: PlaylistEntry] = [:]
  /// The chosen film whose intent isn't settled.
  var choice = FilmChoice()
  var consent = Consent()
  var sharing = Sharing()
  var standby = Standby()
  var trailers = Trailers([])
  var drawing = DrawingPart()
  var history = WatchHistory()
  var pace = PaceLimit()
  var stalls = StallMeter()

  private(set) var readyCheck = ReadyCheck()
  private var tracks = TrackMemory()
  package private(set) var ducking = Ducking()
  private var echoes = Echoes()
  var end = FilmEnd()
  var straying = Straying()

  // MARK: Facts
  private(set) var player = PlayerFacts()
  private(set) var group = GroupFacts()
  private(set) var party: PartyFacts?
  /// A Boolean value that indicates whether the film on the screen is a live stream.
  package private(set) var isLive = false
  private(set) var pictureLocations = PictureLocations(hasDisplay: false, hasPane: false)

  // MARK: The state
  /// The time of the event that is handled.
  private(set) var now = HostTime(nanoseconds: 0)
  /// A Boolean value that indicates whether the user is looking for something to watch.
  private(set) var isBrowsing = false
  /// The stay in a party that the program's end ended; nil without one.
  package private(set) var farewell: Farewell?
  /// A Boolean value that indicates whether the user was warned that there is no audio device.
  var hasNoSound = false
  var random: any RandomNumberGenerator & Sendable

  package init(random: any RandomNumberGenerator & Sendable) { self.random = random }

  /// A Boolean value that indicates whether this participant may choose films and change the playlist for everyone.
  package var mayChoose: Bool { party?.mayControl ?? true }

  /// A Boolean value that indicates whether this participant's commands apply: to the group, or to this player while it
  /// is apart. The coordinator has the last word.
  var mayControl: Bool { group.mayControl || mayChoose }

  /// The group's time; nil while it isn't known.
  var groupTime: GroupTime? { party?.clock?.groupTime(at: now) }

  /// The list of films: the party's, or outside a party this participant's own; nil without a film.
  package var list: Playlist? { membership.isMember ? sharedList?.playlist : ownList }

  /// A Boolean value that indicates whether another film follows in the list.
  var hasFollowing: Bool {
    guard let list, let film = filmMachine.film, list.current.item == film.item else {
      return false
    }
    return list.entry(at: 1) != nil
  }

  /// The name of a film's chooser, as the choice is reported; nil for this user outside a party.
  package func name(of chooser: Chooser) -> String? {
    switch chooser {
    case .user: nil
    case .participant(let id, _): name(of: id)
    case .unknown: "a participant"
    }
  }

  /// The name of a participant, as its actions are reported.
  package func name(of id: Participant.ID?) -> String {
    guard membership.isMember, let id else { return "you" }
    return membership.name(of: id)
  }
}

// MARK: - Events

extension ScreeningMachine {
  /// Handles an event.
  ///
  /// - Throws: for a command of the user, the reason why it isn't possible, as text for the user.
  package mutating func handle(_ event: Event, at now: HostTime) throws -> [Effect] {
    self.now = now
    let (policy, shown, keptDoor) = (consent.policy, display, door)
    var effects = try decide(event)
    effects += followSharing()
    if policy != consent.policy { effects.insert(.film(.use(consent.policy)), at: 0) }
    if shown != display { effects.append(.report(.changed)) }
    if keptDoor != door {
      // A door of a guest's program is for later, and it is opened again at the next relay.
      // The same holds for the door of a host after another one, whose relay may just be ending.
      let isFirstHost = party.map { $0.role == .host && $0.isHosting } ?? false
      let problem: FailureEffect =
        isFirstHost ? .warn("Friends can't come in with a browser: ") : .nothing
      // First: an effect that fails ends the rest.
      effects.insert(.attempt([.party(.keepDoor(door))], orElse: problem), at: 0)
    }
    return effects
  }

  private mutating func decide(_ event: Event) throws -> [Effect] {
    switch event {
    case .command(let command):
      if ![.state, .advance(by: 1)].contains(command) { end.passOver() }
      return try handle(command)
    case .chose(let film, let position, let isAnew):
      return choose(film, at: position, isAnew: isAnew)
    case .intentSettled(let number, let intent): return intentSettled(number, intent)
    case .browsing(let isBrowsing):
      self.isBrowsing = isBrowsing
      return []
    case .windowClosed: return windowClosed()
    case .quits: return quit()

    case .started(let hosts, let locations, let trailers, let isEligible):
      self.trailers = Trailers(trailers)
      consent.begin(trusting: hosts, naming: locations)
      return [Self.waiting(by: nil)] + Self.eligibilityChanged(to: isEligible)
    case .named(let films, let isSameFilm):
      consent.named(films, isSameFilm: isSameFilm)
      return []
    case .planned(let films, let resumes, let start):
      return plan(films, resumes: resumes, start: start)
    case .opensPlanned: return openPlanned()

    case .fact(let fact): return take(fact)
    case .playback(let event): return try handle(event)
    case .film(let event): return try handle(event)
    case .party(let event): return try handle(event)
    case .drawing(let event): return handle(event)
    case .vote(let event): return handle(event)
    case .share(let event): return handle(event)
    }
  }

  mutating func take(_ fact: Fact) -> [Effect] {
    switch fact {
    case .player(let facts):
      player = facts
      let item = filmMachine.isOpen && facts.isLoaded ? filmMachine.film?.item : nil
      sharing.subtitles.note(facts.tracks.compactMap(\.file), of: item)
      return tracks.note(facts.tracks, of: item).map { [.player(.prefer($0))] } ?? []
    case .group(let facts): group = facts
    case .party(let facts):
      party = membership.isMember ? facts : nil
      if let party { membership.participantsChanged(to: party.participants) }
    case .live(let isLive): self.isLive = isLive
    case .picture(let locations): pictureLocations = locations
    case .tick: return tick()
    }
    return []
  }
}

// MARK: - The list of films

extension ScreeningMachine {
  /// Plans the films of the command line, in their order. Those for which there is no room are reported.
  mutating func plan(_ films: [FilmIdentity], resumes: Bool, start text: String?) -> [Effect] {
    guard let first = films.first else { return [] }
    var list = newList(first)
    var effects: [Effect] = resumes ? [.library(.findPosition(first))] : []
    let start = text.flatMap { UserCommand(start: $0) }
    if text != nil, start == nil {
      effects.append(
        .report(.warning("The option “start” has no effect. Use a time or a percentage.")))
    }
    history.offer.planned(first.identifier, start: start)
    for film in films.dropFirst() where !append(film, to: &list, at: nil) {
      effects.append(
        .report(.warning("\(PlaylistProblem.full) “\(film.title)” wasn't added.")))
    }
    ownList = list
    return effects
  }

  mutating func newList(_ film: FilmIdentity) -> Playlist {
    Playlist(entry(for: film), at: nil, using: &random)
  }

  private mutating func entry(for film: FilmIdentity) -> PlaylistEntry {
    let entry = PlaylistEntry(film, using: &random)
    if !film.isForeign { ownEntries[entry.id] = entry }
    return entry
  }

  /// Returns the activity with a list that this user set. Joining implies consent to the server of a host's own film:
  /// an address of another participant doesn't become the host's because the host adds a film to the list, moves on to
  /// the next one, or takes the list to another party.
  func activity(_ list: Playlist) -> FilmActivity {
    let (own, current) = (ownEntries[list.currentID], list.current)
    // Others may change an entry that this user added.
    let isOwn = own?.identifier == current.identifier && own?.location == current.location
    return FilmActivity(list, isOwnFilm: isOwn)
  }

  private mutating func append(
    _ film: FilmIdentity, to list: inout Playlist, at now: GroupTime?
  ) -> Bool {
    list.append(entry(for: film), at: now, using: &random)
  }

  /// An edit of the list.
  enum Edit: Hashable, Sendable {
    case append(FilmIdentity)
    /// Make a film the current one, after the one that was current.
    case open(FilmIdentity)
    case makeCurrent(UInt32)
    case move(from: Int, to: Int)
    case remove(at: Int)
  }

  private mutating func perform(
    _ edit: Edit, on list: inout Playlist, at now: GroupTime?
  ) throws(PlaylistProblem) {
    switch edit {
    case .append(let film):
      guard append(film, to: &list, at: now) else { throw .full }
    case .open(let film):
      list.open(entry(for: film), at: now, using: &random)
    case .makeCurrent(let id): _ = list.makeCurrent(id, at: now, using: &random)
    case .move(let from, let to):
      guard list.move(from: from, to: to, at: now, using: &random) else { throw .noSuchEntry }
    case .remove(let index):
      guard list.remove(at: index, now: now, using: &random) else { throw .noSuchEntry }
    }
  }

  /// Edits the party's list, or outside a party this participant's own.
  ///
  /// - Parameter plays: true if the edit lets the next film play.
  mutating func edit(
    _ edit: Edit, plays: Bool = false
  ) throws -> [Effect] {
    guard let before = list else { throw PlaylistProblem.empty }
    var changed = before
    try perform(edit, on: &changed, at: groupTime)
    guard membership.isMember else {
      ownList = changed
      guard changed.current.id == before.current.id else { return adopt(changed) }
      return films(.edited(changed))
    }
    guard let shared = sharedList else { throw PartyError.sessionOver }
    sharedList?.edited(changed)
    let set = Effect.party(
      .setList(ListEdit(activity: activity(changed), before: shared, plays: plays)))
    guard let notice = Self.notice(of: edit, in: changed) else { return [set] }
    return [set, .attempt([.party(.showNotice(notice))], orElse: .warn(""))]
  }

  /// The others' notice of an edit; nil for a choice of the current film, which they see anyway.
  ///
  /// - Parameter list: the list after the edit.
  private static func notice(of edit: Edit, in list: Playlist) -> GroupSessionEvent.Action? {
    switch edit {
    case .append(let film): return .updatedQueue(.added(film.title))
    case .move(from: _, to: let place):
      guard place == list.currentIndex + 1 else { return .updatedQueue(nil) }
      return .updatedQueue(.setUpNext(list.entries[place].title))
    case .remove: return .updatedQueue(nil)
    case .open, .makeCurrent: return nil
    }
  }

  /// The session's list couldn't be set.
  mutating func listNotSet(_ edit: ListEdit) {
    sharedList?.editFailed(since: edit.before)
    if edit.plays { filmMachine.playNext(nil) }
  }

  /// Makes a film the current one in this participant's own list.
  ///
  /// - Returns: the list.
  mutating func openInOwnList(_ film: FilmIdentity) -> Playlist {
    var list: Playlist
    if let ownList {
      list = ownList
      list.open(entry(for: film), at: nil, using: &random)
    } else {
      list = newList(film)
    }
    ownList = list
    return list
  }

  /// Adopts a list for this user, who wants its film opened in any case.
  mutating func adopt(_ list: Playlist) -> [Effect] {
    films(.adopted(list, by: .user, .chosen)) + [.wait(.fileIsOpen)]
  }
}

// MARK: - The session's list

extension ScreeningMachine {
  /// The participant joined a session of the party. The network of its film's server may have to be found first.
  mutating func sessionBegan(_ start: SessionStart) -> [Effect] {
    let isFirst = !membership.hasTakenPart
    sharedList = SharedPlaylist(start.list)
    membership.tookPart()
    sharing.sessionBegan()
    return [.share(.follow)] + askForEarlierChat(isFirst: isFirst) + begin(start, isFirst: isFirst)
  }

  private mutating func askForEarlierChat(isFirst: Bool) -> [Effect] {
    guard isFirst, let party,
      let id = membership.chat.ask(among: party.participants, as: party.me)
    else { return [] }
    // The film matters more: the chat is complete without an answer.
    return [.attempt([.party(.askForEarlierChat(id))], orElse: .nothing)]
  }

  private mutating func begin(_ start: SessionStart, isFirst: Bool) -> [Effect] {
    // Opening a party, or watching a film, implies no consent: a guest may choose the party's first film.
    guard isFirst, let party, !party.isHosting, filmMachine.film == nil,
      let origin = consent.arrival(at: start, party.rules)
    else { return watch(start) }
    return [.film(.findArrivalNetwork(origin, start))]
  }

  mutating func watch(_ start: SessionStart) -> [Effect] {
    guard sharedList != nil else { return [] }
    // The participants may watch at a position already.
    if start.chooser != party?.me { history.offer.ended() }
    let cause = membership.cause(
      ofSessionAt: now, isOwn: start.chooser != nil && start.chooser == party?.me)
    return films(.sessionBegan) + adopt(start.list, by: start.chooser, cause)
  }

  private mutating func adopt(
    _ list: Playlist, by id: Participant.ID?, _ cause: FilmCause
  ) -> [Effect] {
    let chooser = id.map { Chooser.participant($0, isLocal: $0 == party?.me) } ?? .unknown
    return films(.adopted(list, by: chooser, cause))
  }

  mutating func sessionOver() { sharedList = nil }

  /// A participant, perhaps this one, set the session's list.
  mutating func listChanged(to list: Playlist, by id: Participant.ID?) -> [Effect] {
    let (time, mayEdit) = (groupTime, mayChoose)
    let action = sharedList?.sessionChanged(
      to: list, groupTime: time, mayEdit: mayEdit, now: now)
    guard let action else { return [] }
    switch action {
    case .refuse:
      let text = "\(name(of: id)) sent a playlist dated in the future. It was ignored."
      return [.report(.warning(text))]
    case .none, .set, .giveUp:
      guard let merged = self.list else { return [] }
      return restore(action) + adopt(merged, by: id, player.isOver ? .following : .chosen)
    }
  }

  /// Restores edits that are missing from the session's list, or gives them up.
  mutating func restoreIfDue() -> [Effect] {
    let mayEdit = mayChoose
    let action = sharedList?.deadlinePassed(mayEdit: mayEdit, now: now)
    guard case .giveUp(let list) = action else { return restore(action) }
    return adopt(list, by: nil, player.isOver ? .following : .chosen)
  }

  private func restore(_ action: SharedPlaylist.Action?) -> [Effect] {
    guard case .set(let list) = action else { return [] }
    return [
      .attempt([.party(.restore(list))], orElse: .warn("The playlist couldn't be shared: "))
    ]
  }

  /// The program ends, and this participant's stay in its party with it.
  mutating func say(_ farewell: Farewell) { self.farewell = farewell }

  /// This participant leaves its party: the party's list becomes its own.
  ///
  /// - Returns: false if it is in no party.
  mutating func beginLeaving(
    after ending: PartyEnding? = nil, keepingRoom keepsRoom: Bool = false
  ) -> Bool {
    let list = list
    guard membership.beginLeaving(after: ending, keepingRoom: keepsRoom) else { return false }
    ownList =
      if filmMachine.keepsFilm, let film = filmMachine.film, film.item != list?.current.item {
        newList(film)
      } else { list }
    sharedList = nil
    readyCheck.ended()
    return true
  }
}

// MARK: - Remarks of earlier evenings

extension ScreeningMachine {
  /// Looks for the remarks about a film that begins.
  mutating func recallRemarks(about film: FilmIdentity) -> [Effect] {
    echoes.began(film.identifier)
    return [.library(.recallRemarks(film.identifier))]
  }

  mutating func recalled(_ remarks: [Echoes.Echo], about film: String) {
    let said = membership.evening.remarks(about: film)
    let all = membership.evening.remarks(about: film, with: remarks)
    echoes.recalled(Array(all.dropFirst(said.count)), of: film)
  }

  /// Writes the chat and the reactions about the film on the screen to a file, those of earlier evenings too.
  func export(to path: String) throws -> [Effect] {
    guard let film = filmMachine.film else { throw PlaylistProblem.empty }
    let file = try EveningFile(path: path)
    let remarks = membership.evening.remarks(about: film.identifier, with: echoes.echoes)
    guard !remarks.isEmpty else { throw NothingToDo.noRemarks }
    return [.library(.write(file.text(of: remarks, titled: film.title), to: path))]
  }

  mutating func toggleEchoes() -> [Effect] {
    echoes.toggle()
    let text = echoes.isOn ? "shown" : "hidden"
    return [.report(.notice("Remarks of earlier evenings are \(text)."))]
  }

  mutating func followEchoes() -> [Effect] {
    let position = filmMachine.isShown && group.isPlaying ? player.itemTime : nil
    return echoes.due(at: position).map { .report(.echo(.init($0))) }
  }
}

// MARK: - Calls

extension ScreeningMachine {
  /// Lowers the film while a call is audible from here on, or no longer.
  mutating func duck(_ isOn: Bool) -> [Effect] {
    let wasLowered = ducking.isLowered
    guard ducking.turn(isOn) else { return [] }
    return [.player(.listenForCalls(isOn))] + (wasLowered ? [.player(.lower(false))] : [])
      + [
        .report(
          .notice(
            isOn
              ? "The film is lowered while someone talks in a call program."
              : "The film keeps its volume while someone talks.")), .report(.changed),
      ]
  }

  mutating func callHeard(_ isHeard: Bool) -> [Effect] {
    let wasLowered = ducking.isLowered
    ducking.heard(isHeard)
    guard wasLowered != ducking.isLowered else { return [] }
    return [.player(.lower(ducking.isLowered)), .report(.changed)]
  }
}

// MARK: - The ready check

extension ScreeningMachine {
  /// Pauses the film, and asks the others.
  mutating func askWhetherReady(countdown: Int) -> [Effect] {
    readyCheck.asked(countdown: countdown)
    return pauseIfPlaying() + [.party(.askWhetherReady)]
  }

  /// Shows the answers to the user, and starts the film when all are.
  mutating func followReadyCheck() -> [Effect] {
    follow(readyCheck.note(group.notReady, at: now))
  }

  private mutating func follow(_ action: ReadyCheck.Action) -> [Effect] {
    switch action {
    case .none: return []
    case .count(let seconds): return [.report(.countdown(seconds)), .party(.countDown(seconds))]
    case .start: return [.attempt(play(), orElse: .report(""))]
    case .show:
      let others = (party?.participants ?? []).filter { $0.id != party?.me }
      let answers = others.map { $0.name + (group.notReady.contains($0.id) ? " …" : " ✓") }
      return [.report(.notice("Ready: \(answers.joined(separator: ", "))"))]
    }
  }

  mutating func endReadyCheck() { readyCheck.ended() }
}

// MARK: - Time

extension ScreeningMachine: HostedMachine {
  package var nextDeadline: HostTime? {
    [
      filmMachine.nextDeadline, sharedList?.deadline, standby.nextDeadline, readyCheck.nextDeadline,
    ].compactMap { $0 }.min()
  }

  package mutating func timerFired(at now: HostTime) -> [Effect] {
    self.now = now
    let effects = follow(filmMachine.timerFired(at: now)) + restoreIfDue()
    return effects + follow(standby.timerFired(at: now)) + follow(readyCheck.timerFired(at: now))
  }
}

extension PlaylistEntry {
  package init(_ film: FilmIdentity, using random: inout some RandomNumberGenerator) {
    self.init(
      id: film.entry ?? .random(in: .min ... .max, using: &random), identifier: film.identifier,
      title: film.title, location: film.isStream && !film.isShared ? film.location : nil,
      fileSize: film.fileSize)
  }
}
