import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping

/// Watching another film than the party, without leaving it.
extension Theater {
  /// Opens a film for this player only. The other participants in a party continue with theirs, and their next choice
  /// doesn't affect this player until ``resume()``.
  ///
  /// - Parameter place: the position at which to resume; nil for the beginning.
  func openAlone(_ chosen: FilmIdentity, at place: MediaTime? = nil) async {
    guard party != nil else { return await open(chosen, at: place) }
    remember([chosen])
    programme.resume(chosen, at: place)
    // An item of its own, because the film may be the party's.
    await take(.choseAlone(chosen.shown(as: .random(in: .min ... .max))))
    await waitForFile()
  }
}
