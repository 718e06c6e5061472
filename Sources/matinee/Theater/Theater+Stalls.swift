import PlaybackCoordination
import Timekeeping

/// Playback while the film's data is missing: the group continues, and this player catches up afterwards.
extension Theater {
  /// Handles the beginning or the end of a wait for data.
  func stalled(_ isStalled: Bool) async {
    emit(.changed)
    guard isStalled else {
      guard programme.separations.contains(.stalled) else { return }
      await rejoin(.stalled)
      await endStallIfReady()
      return await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
    guard case .playing = await coordinator.snapshot().status else { return }
    noteSync(.stalled)
    guard party != nil else { return }
    await separate(.stalled, for: .stallRecovery)
  }

  /// Ends a stall in the coordinator once the player is ready. A command that fails for lack of data begins a
  /// suspension; the coordinator sends no more commands until it learns that there is data again.
  func endStallIfReady() async {
    guard !isOpening, !programme.isRecovering,
      await coordinator.suspensionReasons.contains(.stallRecovery)
    else { return }
    let snapshot = await player.snapshot()
    guard snapshot.isLoaded, !snapshot.isSeeking, !snapshot.isStalled, !isOpening,
      !programme.isRecovering
    else { return }
    await coordinator.playerDidBecomeReady()
  }
}
