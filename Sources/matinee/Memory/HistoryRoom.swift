import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening
import Timekeeping

/// The remembered positions of films.
@ScreeningActor
final class HistoryRoom {
  private let core: ScreeningCore<OriginRefusal>
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let room: LibraryRoom
  private let isLive: @ScreeningActor () -> Bool
  private var history = WatchHistory()

  init(
    core: ScreeningCore<OriginRefusal>, player: MPVPlayer,
    coordinator: DelegatingPlaybackCoordinator, library room: LibraryRoom,
    isLive: @escaping @ScreeningActor () -> Bool
  ) {
    self.core = core
    self.player = player
    self.coordinator = coordinator
    self.room = room
    self.isLive = isLive
  }

  /// Remembers the position if the interval has passed. It is called frequently.
  func noteProgress() async {
    if history.isDue(at: .now()) { await remember() }
  }

  /// Remembers the film's current position, because the program ends or some time has passed.
  func remember() async {
    guard let film = core.machine.filmMachine.film, core.machine.filmMachine.isShown else { return }
    await remember(film) {
      core.machine.filmMachine.isShown && core.machine.filmMachine.film == film
    }
  }

  /// Remembers the position of a film that is about to be left.
  func remember(_ film: FilmIdentity) async { await remember(film) { true } }

  /// - Parameter isStillThere: returns true if what the player reports is about this film.
  private func remember(_ film: FilmIdentity, if isStillThere: () -> Bool) async {
    guard room.library != nil else { return }
    let snapshot = await player.snapshot()
    let coordinated = await coordinator.snapshot()
    let isSent =
      coordinated.status == .paused && coordinated.currentItemIdentifier == film.item
    guard isStillThere(), snapshot.isLoaded, !isLive(),
      let note = history.note(
        film.identifier, reported: snapshot.itemTime,
        commanded: isSent ? coordinated.itemTime : nil, at: .now())
    else { return }
    await room.forgivingly { library in
      try await library.remember(
        WatchedFilm(
          identifier: film.identifier, title: film.title, location: film.location,
          position: note.position, duration: snapshot.duration))
      guard note.isNewFilm, let version = KnownFile.Version(ofFileAt: film.location) else {
        return
      }
      // The film's fingerprint is known here, so an invite for the film finds this copy.
      let seen = try await library.files([film.location])[film.location]
      var file = KnownFile(path: film.location, version: version)
      if let seen, seen.version == version { file.information = seen.information }
      file.identifier = film.identifier
      try await library.remember(file)
    }
  }
}
