import AVFormat
import PlaybackCoordination
import Screening

/// Opening a film, or a live stream, in the player.
extension Theater {
  /// - Parameter mine: the number of the opening that this belongs to. A newer opening ends it.
  func fetch(
    _ film: FilmIdentity, proposing timing: PlaybackTiming?, opening mine: Int
  ) async throws {
    // The previous film may continue until this one is loaded.
    let before = filter
    defer { before?.stop() }
    try await beginFilter(for: film, opening: mine)
    let access = await access(to: film)
    guard programme.isCurrent(mine) else { return }
    let location = try await destination(of: film, access)
    guard programme.isCurrent(mine) else { return }
    let probe = StreamProbe()
    probing?.cancel()
    probing = probe
    let stream = await LiveStream.probe(location, access, probe)
    guard programme.isCurrent(mine) else { return }
    live = stream
    // The coordinator learns of the item before it is loaded: from now on a start waits for this player.
    try await coordinator.transitionToItem(
      withIdentifier: film.item,
      proposing: live.map { PlaybackTiming(rate: timing?.rate ?? 0, itemTime: $0.start) } ?? timing,
      interstitials: live.map { InterstitialTimeRanges([], origin: $0.origin) } ?? .none,
      playerIsReady: false)
    guard programme.isCurrent(mine) else { return }
    await player.setCurrentItemIdentifier(film.item)
    let start = await liveStart()
    guard programme.isCurrent(mine) else { return }
    try await player.load(
      location, liveStart: start, isForeign: film.isForeign, proxy: filter?.url,
      angles: live == nil ? angles(of: film) : [])
  }

  /// Returns the angles that belong to a film: the film that the user named with them, or else the first one.
  private func angles(of film: FilmIdentity) -> [String] {
    if angledFilm == nil { angledFilm = film.identifier }
    return film.identifier == angledFilm ? angles : []
  }

  /// Returns the segment from which to fetch a live stream, so that the player can go to the group's position.
  private func liveStart() async -> Int? {
    guard let live else { return nil }
    let place = await coordinator.ownItemTime(atHostTime: .now()) ?? live.start
    if !live.reaches(back: place) {
      emit(
        .warning(
          "The others are at a part of the live stream that the server no longer has. "
            + "Seek forward to watch together."))
    }
    return live.startIndex(for: place)
  }
}
