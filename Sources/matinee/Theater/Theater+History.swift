import MPVPlayer
import MediaLibrary
import Timekeeping

/// Remembering how far films were watched.
extension Theater {
  /// What would be lost if the machine stopped.
  private static let historyInterval = Duration.seconds(10)

  struct History {
    let library: MediaLibrary
    var remembered: (identifier: String, position: MediaTime)?
    var rememberedAt = HostTime(nanoseconds: 0)
    /// It was told that nothing is remembered any more.
    var hasFailed = false
  }

  /// Called all the time.
  func noteProgress() async {
    guard let history, .now() - history.rememberedAt >= Self.historyInterval else { return }
    await rememberProgress()
  }

  /// Remembers where the film is now: it is about to be left, or some time has passed.
  func rememberProgress() async {
    guard history != nil, let film, !isOpening else { return }
    let snapshot = await player.snapshot()
    let coordinated = await coordinator.snapshot()
    // A paused player may still be on its way to where it was sent.
    let isSent =
      coordinated.status == .paused && coordinated.currentItemIdentifier == film.identifier
    guard self.film == film, !isOpening, snapshot.isLoaded, live == nil,
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
        // Its fingerprint is known by now: an invite for it finds this copy.
        let seen = try await history?.library.files([film.location])[film.location]
        var file = KnownFile(path: film.location, version: version)
        if let seen, seen.version == version { file.information = seen.information }
        file.identifier = film.identifier
        try await history?.library.remember(file)
      }
    } catch {
      guard history?.hasFailed == false else { return }
      history?.hasFailed = true
      emit(.warning("\(error)"))
    }
  }

  /// Back to the beginning, with everybody.
  func beginAnew() async {
    do {
      try await seek(to: .zero)
    } catch {
      emit(.failed("\(error)"))
    }
  }

  /// Goes on where somebody left this film, once it is open.
  func resumeIfWanted(_ chosen: FilmIdentity) async {
    guard let wanted = resumption, wanted.identifier == chosen.identifier else { return }
    resumption = nil
    do {
      try await seek(to: wanted.place)
    } catch {
      emit(.warning("Can't resume, starting from the beginning: \(error)"))
    }
  }
}
