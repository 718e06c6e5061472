import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// Staying in step: measures where the player is, and nudges it to where the group is.
extension Theater {
  /// How often the player's place is compared with the group's.
  static let syncInterval = Duration.milliseconds(250)
  private static let aloneInterval = Duration.seconds(2)

  func watchDrift() async {
    // Without data it is where it is; the wait is over when the player says so.
    guard separations[.stalled] == nil, reopening == nil else { return await forgetDrift() }
    await endStallIfReady()
    let snapshot = await player.snapshot()
    await coordinator.reportStartLatency(snapshot.startLatency)
    guard !snapshot.isSettling, let line = await coordinator.expectedLine() else {
      return await forgetDrift()
    }
    guard await coordinator.isInGroup else { return await followAlone() }
    guard let position = await player.position(), position.rate > 0 else { return }
    let ahead = position.itemTime - line.itemTime(atHostTime: position.hostTime)
    let error = ahead / line.rate
    await noteSync(ahead, of: position)
    let correction = drift.measured(
      error, uncertainty: position.uncertainty, clockRate: line.clockRate,
      responseTime: snapshot.speedChangeLatency, at: position.hostTime - player.outputLatency)
    switch correction {
    case .nudge(let factor):
      // A player that has just been shut down needs no nudge.
      try? await player.setNudge(factor)
    case .seek:
      await forgetDrift()
      noteSync(.reapplied)
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Nobody is there to be in step with, and what is played stays untouched.
  private func followAlone() async {
    await forgetDrift()
    guard .now() - followedAlone >= Self.aloneInterval, let position = await player.position(),
      position.rate > 0
    else { return }
    followedAlone = .now()
    await coordinator.playerPlays(at: position.itemTime, hostTime: position.hostTime)
  }

  func forgetDrift() async {
    drift.interrupted()
    await forgetSync()
  }
}
