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
    resumption = place.map { (chosen.identifier, $0) }
    undecided = nil
    // An item of its own, because the film may be the party's.
    let chosen = chosen.shown(as: .random(in: .min ... .max))
    ownChoice = chosen
    await separate(.watchingAlone, for: .watchingAlone)
    await rejoin(.undecided)
    guard ownChoice == chosen else { return }
    await follow(chosen, chosenBy: nil, proposing: PlaybackTiming(rate: 1, itemTime: .zero))
  }
}
