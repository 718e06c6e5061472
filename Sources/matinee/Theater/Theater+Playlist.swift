import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The playlist: the party's, or outside a party this player's own.
extension Theater {
  enum PlaylistProblem: Error, Hashable, CustomStringConvertible {
    case empty, full, noSuchEntry, noNext, noPrevious

    var description: String {
      switch self {
      case .empty: "No film is open. Open one first."
      case .full: "The playlist is full (\(FilmActivity.entryLimit) films). Remove some first."
      case .noSuchEntry: "No such entry in the playlist, or it is playing now"
      case .noNext: "This is the last film in the playlist"
      case .noPrevious: "This is the first film in the playlist"
      }
    }
  }

  var program: FilmActivity? { party == nil ? ownProgram : session?.activity }

  /// Plans the films of the command line, in their order.
  func plan(_ films: [FilmIdentity]) {
    guard let first = films.first else { return }
    var program = FilmActivity(first)
    for film in films.dropFirst() where !program.enqueue(film) {
      emit(.warning("\(PlaylistProblem.full) “\(film.title)” wasn't added."))
    }
    ownProgram = program
  }

  func openPlanned() async {
    guard let ownProgram else { return }
    playsNext = ownProgram.identifier
    await adopt(ownProgram, by: nil)
  }

  func enqueue(_ location: String) async throws {
    let film = try await FilmIdentity.read(location)
    remember([film])
    guard program != nil else { return await open(film) }
    try await change { program in
      guard program.enqueue(film) else { throw PlaylistProblem.full }
    }
  }

  /// Makes the film at this index the current one.
  func watch(at index: Int) async throws {
    guard let program, program.playlist.indices.contains(index) else { return }
    let step = index - program.currentIndex
    if step != 0 { try await advance(by: step) }
  }

  /// Moves to the next film, or to the previous one. Playback continues if it was on.
  func advance(by step: Int) async throws {
    let wasPlaying =
      switch await coordinator.snapshot().status {
      case .playing, .waiting: true
      case .paused, .noItem: await player.snapshot().isAtEnd
      }
    guard var target = program else { throw PlaylistProblem.empty }
    guard target.advance(by: step) else {
      throw step > 0 ? PlaylistProblem.noNext : PlaylistProblem.noPrevious
    }
    // Set before the change, because the next film may be there at once.
    if wasPlaying { playsNext = target.identifier }
    do {
      try await change { $0 = target }
    } catch {
      playsNext = nil
      throw error
    }
  }

  /// Moves an entry. Both indices count from 0.
  func move(from: Int, to: Int) async throws {
    try await change { program in
      guard program.move(from: from, to: to) else { throw PlaylistProblem.noSuchEntry }
    }
  }

  func drop(at index: Int) async throws {
    try await change { program in
      guard program.remove(at: index) else { throw PlaylistProblem.noSuchEntry }
    }
  }

  /// A Boolean value that indicates whether another film follows in the playlist.
  var hasFollowing: Bool {
    guard let program, let film, program.identifier == film.identifier else { return false }
    return program.currentIndex + 1 < program.playlist.count
  }

  /// Moves to the next film at the end of one. The other participants do the same, or follow.
  func filmEnded() async {
    guard hasFollowing, await coordinator.mayControl else { return }
    do {
      try await advance(by: 1)
    } catch {
      emit(.failed("\(error)"))
    }
  }

  private func change(_ body: (inout FilmActivity) throws -> Void) async throws {
    guard var changed = program else { throw PlaylistProblem.empty }
    try body(&changed)
    guard party != nil else {
      let isSameFilm = changed.currentID == ownProgram?.currentID
      ownProgram = changed
      guard isSameFilm else { return await adopt(changed, by: nil) }
      adopted = changed
      return emit(.playlist)
    }
    guard let session else { throw PartyError.sessionOver }
    try await session.setActivity(changed)
  }
}
