import GroupActivities
import PlaybackCoordination
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
    resumption = place.map { (chosen.identifier, $0) }
    undecided = nil
    await rejoin(.undecided)
    ownChoice = chosen
    await follow(chosen, chosenBy: nil, proposing: PlaybackTiming(rate: 1, itemTime: .zero))
  }

  /// Returns to the party's film.
  func endAlone() async {
    guard ownChoice != nil else { return }
    ownChoice = nil
    if let program { await adopt(program, by: nil) } else { await showNothing() }
  }
}
