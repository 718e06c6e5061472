import GroupActivities
import Timekeeping
import WatchTogether

/// The machine of one participant's screening: it decides what a command of the user means, and what follows from the
/// reports of the player, the coordinator and the party.
///
/// Its parts decide about their own subjects: ``FilmMachine`` about the film on the screen and the separations from the
/// group, ``Playlist`` and ``SharedPlaylist`` about the list of films, ``Membership`` about the party.
///
/// - `Refusal`: the reason why a server needs the user's consent. The machine only keeps it.
package struct ScreeningMachine<Refusal: Hashable & Sendable>: Sendable {
  package var filmMachine = FilmMachine<Refusal>()
  package var membership = Membership()
  /// The list of films while this participant is in no party; nil before the first film.
  package private(set) var ownList: Playlist?
  /// The list of the party's session; nil without a session.
  package private(set) var sharedList: SharedPlaylist?
  /// The entries that this user added to a list, by identifier.
  private var ownEntries: [UInt32: PlaylistEntry] = [:]
  /// The chosen film whose intent isn't settled.
  var choice = FilmChoice()
  /// A Boolean value that indicates whether this player's copy has ended before the group's film.
  package internal(set) var waitsAtOwnEnd = false
  /// The last times at which the player strayed, three at most.
  var strays: [HostTime] = []
  /// A Boolean value that indicates whether the film has begun or moved since its last reported end.
  var isEndNews = false
  /// A Boolean value that indicates whether the end of this player's copy came early.
  var isEndEarly = false
  /// A Boolean value that indicates whether the user was warned that there is no audio device.
  var hasNoSound = false
  var random: any RandomNumberGenerator & Sendable

  package init(random: any RandomNumberGenerator & Sendable) { self.random = random }

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
    case .unknown: "somebody"
    }
  }

  /// The name of a participant, as its actions are reported.
  package func name(of id: Participant.ID?) -> String {
    guard membership.isMember, let id else { return "you" }
    return membership.name(of: id)
  }
}

// MARK: - The list of films

extension ScreeningMachine {
  /// Plans the films of the command line, in their order.
  ///
  /// - Returns: the films for which there is no room.
  package mutating func plan(_ films: [FilmIdentity]) -> [FilmIdentity] {
    guard let first = films.first else { return [] }
    var list = newList(first)
    var rest: [FilmIdentity] = []
    for film in films.dropFirst() where !append(film, to: &list, at: nil) { rest.append(film) }
    ownList = list
    return rest
  }

  package mutating func newList(_ film: FilmIdentity) -> Playlist {
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
  package func activity(_ list: Playlist) -> FilmActivity {
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
    _ edit: Edit, plays: Bool = false, in reading: ScreeningReading
  ) throws -> [Directive] {
    guard let before = list else { throw PlaylistProblem.empty }
    var changed = before
    try perform(edit, on: &changed, at: reading.party?.groupTime)
    guard membership.isMember else {
      ownList = changed
      guard changed.current.id == before.current.id else { return adopt(changed) }
      return [.film(.edited(changed))]
    }
    guard let shared = sharedList else { throw PartyError.sessionOver }
    sharedList?.edited(changed)
    let set = Directive.setList(ListEdit(playlist: changed, before: shared, plays: plays))
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
  package mutating func listNotSet(_ edit: ListEdit) {
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
  func adopt(_ list: Playlist) -> [Directive] {
    [.film(.adopted(list, by: .user, .chosen)), .waitForFile]
  }
}

// MARK: - The session's list

extension ScreeningMachine {
  /// A session of the party began, with this list.
  package mutating func sessionBegan(_ list: Playlist) {
    sharedList = SharedPlaylist(list)
    membership.tookPart()
  }

  package mutating func sessionOver() { sharedList = nil }

  /// A participant, perhaps this one, set the session's list.
  package mutating func sessionChanged(
    to list: Playlist, groupTime: GroupTime?, mayEdit: Bool, now: HostTime
  ) -> SharedPlaylist.Action {
    sharedList?.sessionChanged(to: list, groupTime: groupTime, mayEdit: mayEdit, now: now) ?? .none
  }

  /// The time at which missing edits are restored is reached.
  package mutating func restoringIsDue(mayEdit: Bool, now: HostTime) -> SharedPlaylist.Action {
    sharedList?.deadlinePassed(mayEdit: mayEdit, now: now) ?? .none
  }

  /// This participant leaves its party: the party's list becomes its own.
  ///
  /// - Returns: false if it is in no party.
  package mutating func beginLeaving(after ending: PartyEnding? = nil) -> Bool {
    let list = list
    guard membership.beginLeaving(after: ending) else { return false }
    ownList =
      if filmMachine.keepsFilm, let film = filmMachine.film, film.item != list?.current.item {
        newList(film)
      } else { list }
    sharedList = nil
    return true
  }
}

extension PlaylistEntry {
  package init(_ film: FilmIdentity, using random: inout some RandomNumberGenerator) {
    self.init(
      id: film.entry ?? .random(in: .min ... .max, using: &random), identifier: film.identifier,
      title: film.title, location: film.isStream ? film.location : nil)
  }
}
