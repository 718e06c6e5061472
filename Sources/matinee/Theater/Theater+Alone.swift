import GroupActivities
import PlaybackCoordination
import Timekeeping

/// Watching something else than the party does, without leaving it.
extension Theater {
  /// Opens a film for this player alone. In a party the others go on with theirs, and what they choose next doesn't
  /// take this player along until ``resume()``.
  ///
  /// - Parameter place: where to go on.
  func openAlone(_ chosen: FilmIdentity, at place: MediaTime? = nil) async {
    guard party != nil else { return await open(chosen, at: place) }
    remember([chosen])
    resumption = place.map { (chosen.identifier, $0) }
    undecided = nil
    await rejoin(.undecided)
    ownChoice = chosen
    await follow(chosen, chosenBy: nil, proposing: PlaybackTiming(rate: 1, itemTime: .zero))
  }

  /// Back to what the party watches.
  func endAlone() async {
    guard ownChoice != nil else { return }
    ownChoice = nil
    if let program { await adopt(program, by: nil) } else { await showNothing() }
  }
}
