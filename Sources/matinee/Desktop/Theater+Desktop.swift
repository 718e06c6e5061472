import NowPlaying
import PlaybackCoordination
import Screening
import Timekeeping

/// The operations that only the desktop uses.
extension Theater {
  /// Pauses. A file also returns to its beginning; a live stream doesn't.
  func stopPlayback() async throws {
    if preroll != nil { return try await setPaused(true) }
    try await pause()
    if live == nil { try await seek(to: .zero) }
  }

  /// Returns a picture of the screen once this film has played here for ten seconds, because its first pictures don't
  /// represent it.
  ///
  /// - Throws: `CancellationError` if another film is playing.
  func picture(of film: FilmIdentity) async throws -> [UInt8] {
    var played = 0
    while played < 10 {
      try await Task.sleep(for: .seconds(1), clock: .suspending)
      guard self.film?.identifier == film.identifier else { throw CancellationError() }
      let shown = await player.snapshot()
      if shown.isLoaded, shown.hasVideo, !shown.isPaused, !shown.isStalled { played += 1 }
    }
    return try await player.picture()
  }

  func watch(entry id: NowPlayingItem.ID) async throws {
    guard program != nil else { throw PlaylistProblem.empty }
    try await watch(at: try index(of: id))
  }

  func drop(entry id: NowPlayingItem.ID) async throws { try await drop(at: try index(of: id)) }

  /// - Parameter id: the entry before the new one; nil for the beginning.
  func enqueue(
    _ location: String, after id: NowPlayingItem.ID?, isWatchedNow: Bool
  ) async throws {
    try await enqueue(location)
    guard let program, let last = program.playlist.entries.last else { return }
    let place = try id.map { try index(of: $0) + 1 } ?? 0
    let end = program.playlist.entries.count - 1
    if place < end {
      try await move(from: end, to: place)
    }
    if isWatchedNow { try await watch(entry: DesktopView.id(of: last)) }
  }

  private func index(of id: NowPlayingItem.ID) throws -> Int {
    guard let index = program?.playlist.entries.firstIndex(where: { DesktopView.id(of: $0) == id })
    else {
      throw PlaylistProblem.noSuchEntry
    }
    return index
  }
}
