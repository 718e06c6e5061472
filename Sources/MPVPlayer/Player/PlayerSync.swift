import PlaybackCoordination
import Timekeeping

/// Keeps a player on the line that its coordinator expects: measures it, reports the distance, and corrects it.
///
/// The owner calls ``correct(reportsEnd:isLive:)`` every ``DriftController/interval`` while the player may play.
package actor PlayerSync {
  /// A measurement with its circumstances, for a record.
  package struct Sample: Hashable, Sendable {
    /// The time at which the player was measured.
    package var hostTime: HostTime
    /// The player's position at ``hostTime``.
    package var itemTime: MediaTime
    package var measurement: SyncMeasurement
    /// The factor of the speed beside the rate.
    package var nudge: Double
  }

  /// The result of a look at the player.
  package struct Outcome: Sendable {
    /// The new measurement; nil if nothing could be measured.
    package var sample: Sample?
    /// A Boolean value that indicates whether the player has to return to the line with a seek.
    package var isReapplied = false
  }

  private static let aloneInterval = Duration.seconds(2)

  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private var drift = DriftController()
  /// The last time at which the coordinator received the position of a player that plays alone.
  private var followedAlone = HostTime(nanoseconds: 0)
  /// A Boolean value that indicates whether the player has jumped by itself since the last measurement. The next one is
  /// exact again.
  private var isJumping = false
  /// The last measurement; nil while there is nothing to measure.
  package private(set) var measurement: SyncMeasurement?

  package init(player: MPVPlayer, coordinator: DelegatingPlaybackCoordinator) {
    self.player = player
    self.coordinator = coordinator
  }

  /// Measures the player's position once, and corrects it.
  ///
  /// - Parameters:
  ///   - reportsEnd: true if the player's film is the coordinator's item.
  ///   - isLive: true if it is a live stream, which has no end.
  package func correct(reportsEnd: Bool, isLive: Bool) async -> Outcome {
    let snapshot = await player.snapshot()
    await coordinator.reportLatencies(
      start: snapshot.startLatency,
      rateChange: snapshot.speedChangeLatency + max(player.outputLatency, .zero))
    if reportsEnd { await coordinator.reportItemEnd(isLive ? nil : snapshot.duration) }
    guard !snapshot.isSettling, let expected = await coordinator.expectedLine() else {
      await forget()
      return Outcome()
    }
    let line = PlaybackLine(
      rate: expected.rate, itemTime: expected.itemTime, hostTime: expected.hostTime)
    guard let position = await player.position(), position.rate > 0 else { return Outcome() }
    if await player.takeJump() {
      isJumping = true
      await forget()
      return Outcome()
    }
    if isJumping {
      isJumping = false
      await forget()
      // The positions of a live stream follow the date.
      if !isLive {
        await coordinator.playerDidJump(to: position.itemTime, hostTime: position.hostTime)
      }
      return Outcome()
    }
    let sample = await note(
      position, on: line, clockUncertainty: expected.uncertainty, nudge: snapshot.nudge)
    guard await coordinator.isInGroup else {
      await follow(position)
      return Outcome(sample: sample)
    }
    switch drift.measured(
      position, against: line, clockRate: expected.clockRate, snapshot: snapshot,
      outputLatency: player.outputLatency)
    {
    case .nudge(let factor):
      // The player may just have been shut down, and then needs no nudge.
      try? await player.setNudge(factor)
      return Outcome(sample: sample)
    case .seek:
      await forget()
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
      return Outcome(sample: sample, isReapplied: true)
    }
  }

  /// Lets the player go on without corrections.
  ///
  /// - Returns: the player's position; nil if it isn't moving.
  package func goOnAlone() async -> MediaTime? {
    await forget()
    let now = HostTime.now()
    guard let position = await player.position(), position.rate > 0 else { return nil }
    let itemTime = position.itemTime(atHostTime: now)
    await coordinator.playerPlays(at: itemTime, hostTime: now)
    return itemTime
  }

  /// Begins to measure again, because nothing can be measured, or the earlier measurements don't count any more.
  package func forget() async {
    drift.interrupted()
    guard measurement != nil else { return }
    measurement = nil
    await coordinator.reportSync(nil)
  }

  /// Follows the player's own clock, since there is no other participant to be in sync with. Playback isn't corrected.
  private func follow(_ position: PlayerPosition) async {
    drift.interrupted()
    let now = HostTime.now()
    guard now - followedAlone >= Self.aloneInterval else { return }
    followedAlone = now
    await coordinator.playerPlays(at: position.itemTime(atHostTime: now), hostTime: now)
  }

  /// Reports a measurement.
  ///
  /// - Parameter clockUncertainty: the maximum error of the group's time here.
  private func note(
    _ position: PlayerPosition, on line: PlaybackLine, clockUncertainty: Duration, nudge: Double
  ) async -> Sample {
    // Both are bounds on an instant. At twice the speed they cover twice as much of the film.
    let uncertainty = (position.uncertainty + clockUncertainty) * max(position.rate, 1)
    let measurement = SyncMeasurement(
      error: position.syncError(against: line), uncertainty: uncertainty)
    self.measurement = measurement
    // The position holds for the later moment at which it is perceived; it was measured now.
    let now = HostTime.now()
    await coordinator.reportSync(measurement)
    return Sample(
      hostTime: now, itemTime: position.itemTime(atHostTime: now), measurement: measurement,
      nudge: nudge)
  }
}
