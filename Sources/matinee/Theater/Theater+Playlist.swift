import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping

/// The playlist: the party's, or outside a party this player's own.
extension Theater {
  enum PlaylistProblem: Error, Hashable, CustomStringConvertible {
    case empty, full, noSuchEntry, noNext, noPrevious, apart

    var description: String {
      switch self {
      case .empty: "No film is open. Open one first."
      case .full: "The playlist is full (\(Playlist.entryLimit) films). Remove some first."
      case .noSuchEntry: "No such entry in the playlist, or it is playing now"
      case .noNext: "This is the last film in the playlist"
      case .noPrevious: "This is the first film in the playlist"
      case .apart:
        "You aren't with the others. Rejoin them first, then choose the film for everyone."
      }
    }
  }

  var program: FilmActivity? {
    party == nil
      ? ownProgram : session == nil ? nil : sharedPlaylist.map { FilmActivity($0.playlist) }
  }

  /// Plans the films of the command line, in their order.
  func plan(_ films: [FilmIdentity]) {
    guard let first = films.first else { return }
    var program = FilmActivity(first)
    var random = SystemRandomNumberGenerator()
    for film in films.dropFirst()
    where !program.playlist.append(
      PlaylistEntry(film, using: &random), at: nil, using: &random)
    {
      emit(.warning("\(PlaylistProblem.full) “\(film.title)” wasn't added."))
    }
    ownProgram = program
  }

  func openPlanned() async {
    guard let ownProgram else { return }
    programme.playNext(ownProgram.identifier)
    await adopt(ownProgram)
  }

  func enqueue(_ location: String) async throws {
    let film = try await FilmIdentity.read(location)
    remember([film])
    guard program != nil else { return await open(film) }
    try await edit { list, now, random in
      let entry = PlaylistEntry(film, using: &random)
      guard list.append(entry, at: now, using: &random) else { throw PlaylistProblem.full }
    }
  }

  /// Makes the film at this index the current one.
  func watch(at index: Int) async throws {
    guard let program, program.playlist.entries.indices.contains(index) else { return }
    let step = index - program.playlist.currentIndex
    if step != 0 { try await advance(by: step) }
  }

  /// Moves to the next film, or to the previous one. Playback continues if it was on.
  func advance(by step: Int) async throws {
    guard !programme.keepsFilm else { throw PlaylistProblem.apart }
    guard let program else { throw PlaylistProblem.empty }
    // Found before the first suspension: the current entry may change meanwhile.
    guard let target = program.playlist.entry(at: step) else {
      throw step > 0 ? PlaylistProblem.noNext : PlaylistProblem.noPrevious
    }
    let wasPlaying =
      switch await coordinator.snapshot().status {
      case .playing, .waiting: true
      case .paused, .noItem: await player.snapshot().isAtEnd
      }
    try await makeCurrent(target, plays: wasPlaying)
  }

  private func makeCurrent(_ target: PlaylistEntry, plays: Bool) async throws {
    // Set before the change, because the next film may be there at once.
    if plays { programme.playNext(target.identifier) }
    do {
      try await edit { list, now, random in
        _ = list.makeCurrent(target.id, at: now, using: &random)
      }
    } catch {
      programme.playNext(nil)
      throw error
    }
  }

  /// Moves an entry. Both indices count from 0.
  func move(from: Int, to: Int) async throws {
    try await edit { list, now, random in
      guard list.move(from: from, to: to, at: now, using: &random) else {
        throw PlaylistProblem.noSuchEntry
      }
    }
  }

  func drop(at index: Int) async throws {
    try await edit { list, now, random in
      guard list.remove(at: index, now: now, using: &random) else {
        throw PlaylistProblem.noSuchEntry
      }
    }
  }

  /// A Boolean value that indicates whether another film follows in the playlist.
  var hasFollowing: Bool {
    guard let program, let film, program.item == film.item else { return false }
    return program.playlist.entry(at: 1) != nil
  }

  /// Moves to the next film at the end of one. The other participants do the same, or follow.
  ///
  /// A participant who is separate from the group reaches the end alone, and moves nobody.
  ///
  /// - Parameter item: the identifier of the item that ended; nil for a film that the user loaded in mpv.
  func filmEnded(_ item: String?) async {
    let isApart = await !coordinator.suspensionReasons.isEmpty
    let mayControl = await coordinator.mayControl
    // Another participant's player may have ended first, and moved the playlist meanwhile.
    guard hasFollowing, !isApart, mayControl, item == nil || item == program?.item,
      let target = program?.playlist.entry(at: 1)
    else { return }
    do {
      try await makeCurrent(target, plays: true)
    } catch {
      emit(.failed("\(error)"))
    }
  }

  /// Makes a film the current one in this player's own list.
  ///
  /// - Returns: the list.
  func openInOwnPlaylist(_ film: FilmIdentity) -> Playlist {
    var program = ownProgram ?? FilmActivity(film)
    if ownProgram != nil {
      var random = SystemRandomNumberGenerator()
      program.playlist.open(PlaylistEntry(film, using: &random), at: nil, using: &random)
    }
    ownProgram = program
    return program.playlist
  }

  /// Makes a film the group's current one, after the one that was current.
  func openInPlaylist(_ film: FilmIdentity) async throws {
    try await edit { list, now, random in
      list.open(PlaylistEntry(film, using: &random), at: now, using: &random)
    }
  }

  private typealias Edit = (
    _ list: inout Playlist, _ now: GroupTime?, _ random: inout SystemRandomNumberGenerator
  ) throws -> Void

  /// Edits the party's list, or outside a party this player's own.
  private func edit(_ edit: Edit) async throws {
    guard let before = program else { throw PlaylistProblem.empty }
    let now = party?.clock.reading?.groupTime(at: .now())
    var (changed, random) = (before, SystemRandomNumberGenerator())
    try edit(&changed.playlist, now, &random)
    guard party != nil else {
      ownProgram = changed
      guard changed.current.id == before.current.id else { return await adopt(changed) }
      return await take(.edited(changed.playlist))
    }
    guard let session, let shared = sharedPlaylist else { throw PartyError.sessionOver }
    sharedPlaylist?.edited(changed.playlist)
    do {
      try await session.setActivity(changed)
    } catch {
      sharedPlaylist?.editFailed(since: shared)
      throw error
    }
  }

  // MARK: - The session's list

  /// Begins to share a session's playlist.
  func share(_ playlist: Playlist) {
    restoring?.cancel()
    sharedPlaylist = SharedPlaylist(playlist)
  }

  /// Handles a new list in the session, also this participant's own.
  func sessionChanged(
    _ change: GroupActivityChange<FilmActivity>, in session: GroupSession<FilmActivity>
  ) async {
    guard let party, self.session === session else { return }
    let mayEdit = await mayChoose
    let now = HostTime.now()
    guard self.session === session,
      let action = sharedPlaylist?.sessionChanged(
        to: change.activity.playlist, groupTime: party.clock.reading?.groupTime(at: now),
        mayEdit: mayEdit, now: now)
    else { return }
    if case .refuse = action {
      let name = await name(of: change.originator)
      return emit(.warning("\(name) sent a playlist of the future. It was ignored."))
    }
    await perform(action, in: session)
    watchRestoring(in: session)
    if let program { await adopt(program, by: change.originator) }
  }

  private func watchRestoring(in session: GroupSession<FilmActivity>) {
    restoring?.cancel()
    guard let deadline = sharedPlaylist?.deadline else { return }
    restoring = Task { [weak self] in
      try? await Task.sleep(for: max(Duration.zero, deadline - .now()), clock: .suspending)
      guard !Task.isCancelled else { return }
      await self?.restore(in: session)
    }
  }

  private func restore(in session: GroupSession<FilmActivity>) async {
    guard self.session === session else { return }
    let mayEdit = await mayChoose
    guard self.session === session,
      let action = sharedPlaylist?.deadlinePassed(mayEdit: mayEdit, now: .now())
    else { return }
    await perform(action, in: session)
  }

  private func perform(
    _ action: SharedPlaylist.Action, in session: GroupSession<FilmActivity>
  ) async {
    switch action {
    case .none, .refuse: break
    case .set(let playlist):
      do {
        try await session.setActivity(FilmActivity(playlist))
      } catch {
        emit(.warning("The playlist couldn't be shared: \(error)"))
      }
    }
  }
}
