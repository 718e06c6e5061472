import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// Synchronization: measures this player's position, and nudges it to the group's.
extension Theater {
  private static let aloneInterval = Duration.seconds(2)

  func watchDrift() async {
    // A player without data can't be corrected. The stall ends when the player reports data.
    guard !programme.separations.contains(.stalled), !programme.isRecovering else {
      return await forgetDrift()
    }
    await endStallIfReady()
    let snapshot = await player.snapshot()
    await coordinator.reportLatencies(
      start: snapshot.startLatency,
      rateChange: snapshot.speedChangeLatency + max(player.outputLatency, .zero))
    if snapshot.isLoaded, !isOpening {
      await coordinator.reportItemEnd(live == nil ? snapshot.duration : nil)
    }
    guard !snapshot.isSettling, let expected = await coordinator.expectedLine() else {
      return await forgetDrift()
    }
    let line = PlaybackLine(
      rate: expected.rate, itemTime: expected.itemTime, hostTime: expected.hostTime)
    guard let position = await player.position(), position.rate > 0 else { return }
    await noteSync(
      position.syncError(against: line), of: position, clockUncertainty: expected.uncertainty,
      nudge: snapshot.nudge)
    guard await coordinator.isInGroup else { return await follow(position) }
    let correction = drift.measured(
      position, against: line, clockRate: expected.clockRate, snapshot: snapshot,
      outputLatency: player.outputLatency)
    switch correction {
    case .nudge(let factor):
      // The player may just have been shut down, and then needs no nudge.
      try? await player.setNudge(factor)
    case .seek:
      await forgetDrift()
      noteSync(.reapplied)
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Follows the player's own clock, since there is no other participant to be in sync with. Playback isn't corrected.
  private func follow(_ position: PlayerPosition) async {
    drift.interrupted()
    let now = HostTime.now()
    guard now - followedAlone >= Self.aloneInterval else { return }
    followedAlone = now
    await coordinator.playerPlays(at: position.itemTime(atHostTime: now), hostTime: now)
  }

  func forgetDrift() async {
    drift.interrupted()
    await forgetSync()
  }
}
