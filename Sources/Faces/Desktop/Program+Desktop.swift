import MatineeKit
import NowPlaying
import Screening

/// The operations that only the desktop uses.
extension Program {
  /// Returns a picture of the screen once this film has played here for ten seconds, because its first pictures don't
  /// represent it.
  ///
  /// - Throws: `CancellationError` if another film is playing.
  func picture(of film: FilmIdentity) async throws -> [UInt8] {
    var played = 0
    while played < 10 {
      try await Task.sleep(for: .seconds(1), clock: .suspending)
      guard self.film?.identifier == film.identifier else {
        throw CancellationError()
      }
      let shown = await player.snapshot()
      if shown.isLoaded, shown.hasVideo, !shown.isPaused, !shown.isStalled { played += 1 }
    }
    return try await player.pictureFile()
  }

  /// - Parameter id: the entry before the new one; nil for the beginning.
  func enqueue(
    _ location: String, after id: NowPlayingItem.ID?, isWatchedNow: Bool
  ) async throws {
    _ = try await perform(.enqueue(location))
    guard let activity, let last = activity.playlist.entries.last else { return }
    let place = try id.map { try index(of: $0) + 1 } ?? 0
    let end = activity.playlist.entries.count - 1
    if place < end {
      _ = try await perform(.moveEntry(from: end, to: place))
    }
    if isWatchedNow {
      _ = try await perform(.watch(entry: index(of: DesktopView.id(of: last))))
    }
  }

  /// Returns the index of an entry of the playlist.
  ///
  /// - Throws: ``PlaylistProblem/noSuchEntry`` if it isn't there any more.
  func index(of id: NowPlayingItem.ID) throws -> Int {
    guard let index = activity?.playlist.entries.firstIndex(where: { DesktopView.id(of: $0) == id })
    else {
      throw PlaylistProblem.noSuchEntry
    }
    return index
  }
}
