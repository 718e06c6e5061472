import MPVPlayer
import MediaLibrary
import Screening
import Timekeeping

/// The remembered positions of films.
extension Theater {
  /// The interval between two writes: the progress that a crash of the machine may lose.
  private static let historyInterval = Duration.seconds(10)

  struct History {
    let library: MediaLibrary
    var remembered: (identifier: String, position: MediaTime)?
    var rememberedAt = HostTime(nanoseconds: 0)
    /// A Boolean value that indicates whether a failure to remember was reported.
    var hasFailed = false
  }

  /// Remembers the position if the interval has passed. It is called frequently.
  func noteProgress() async {
    guard let history, .now() - history.rememberedAt >= Self.historyInterval else { return }
    await rememberProgress()
  }

  /// Remembers the film's current position, because the film is about to be closed or some time has passed.
  func rememberProgress() async {
    guard let film, programme.isShown else { return }
    await rememberProgress(of: film) { programme.isShown && programme.film == film }
  }

  /// Remembers the position of a film that is about to be left.
  func rememberProgress(of film: FilmIdentity) async {
    await rememberProgress(of: film) { true }
  }

  /// - Parameter isStillThere: returns true if what the player reports is about this film.
  private func rememberProgress(of film: FilmIdentity, if isStillThere: () -> Bool) async {
    guard history != nil else { return }
    let snapshot = await player.snapshot()
    let coordinated = await coordinator.snapshot()
    // A paused player may still be seeking to the coordinated position.
    let isSent =
      coordinated.status == .paused && coordinated.currentItemIdentifier == film.item
    guard isStillThere(), snapshot.isLoaded, live == nil,
      let position = isSent ? coordinated.itemTime : snapshot.itemTime
    else { return }
    history?.rememberedAt = .now()
    let known = history?.remembered
    guard known?.identifier != film.identifier || known?.position != position else { return }
    history?.remembered = (film.identifier, position)
    do {
      try await history?.library.remember(
        WatchedFilm(
          identifier: film.identifier, title: film.title, location: film.location,
          position: position, duration: snapshot.duration))
      if known?.identifier != film.identifier,
        let version = KnownFile.Version(ofFileAt: film.location)
      {
        // The film's fingerprint is known here, so an invite for the film finds this copy.
        let seen = try await history?.library.files([film.location])[film.location]
        var file = KnownFile(path: film.location, version: version)
        if let seen, seen.version == version { file.information = seen.information }
        file.identifier = film.identifier
        try await history?.library.remember(file)
      }
    } catch {
      guard history?.hasFailed == false else { return }
      history?.hasFailed = true
      emit(.warning(error.withoutHistory))
    }
  }
}
