import Timekeeping

/// The delays between this player's calls and the audible playback.
struct PlaybackDelays: Hashable, Sendable {
  private(set) var latencies = LearnedLatencies()
  private var changes = SpeedChanges()
  private var readings = ReadingTimes()

  // MARK: Predictions

  /// Returns the latency from the call that unpauses to the line.
  func startLatency(hasAudio: Bool) -> Duration {
    hasAudio ? latencies.audioStart.value : .zero
  }

  /// Returns the time from a change of the speed until it is audible.
  func speedChangeLatency(hasAudio: Bool) -> Duration {
    guard hasAudio else { return .zero }
    return max(latencies.speedChange.value + latencies.speedChangeBias.value, .zero)
  }

  /// Returns the value to add to `audio-pts`.
  func correction(at time: HostTime) -> Duration { changes.correction(at: time) }

  // MARK: Changes

  /// Returns whether the jump of `audio-pts` at a change of speed shows the amount of buffered sound. That of a smaller
  /// change would be lost among the microseconds of the readings.
  static func showsBufferedSound(from old: Double, to new: Double) -> Bool {
    abs(new - old) >= 0.004
  }

  /// The speed of a moving player with sound has changed.
  ///
  /// - Parameter buffered: the duration of the buffered sound that was made at the old speed, if it was measured.
  mutating func speedChanged(
    from old: Double, to new: Double, at time: HostTime, buffered: Duration?
  ) {
    var delay = latencies.speedChange.value
    // The jump of a small change is exact enough only in the median.
    if let buffered, Self.showsBufferedSound(from: old, to: new), buffered > .zero,
      buffered < .seconds(2)
    {
      latencies.soundWasBuffered(buffered)
      delay = abs(new - old) >= 0.05 ? buffered : latencies.speedChange.value
    }
    delay = max(delay + latencies.speedChangeBias.value, .zero)
    changes.record(from: old, to: new, at: time, buffered: delay)
  }

  /// A seek has emptied the buffers.
  mutating func seekBegan() { changes.forget() }

  /// The sound goes to an output, whose starts may take another time.
  ///
  /// - Parameter name: mpv's `current-ao`.
  mutating func outputChanged(to name: String) { latencies.outputChanged(to: name) }

  mutating func fileStarted() {
    changes.forget()
    latencies.forgetFrames()
  }

  // MARK: Lessons

  /// Takes the uncertainty of a reading of the position.
  ///
  /// - Returns: whether it is exact enough; if it is one of many, whether another would hardly be more exact.
  mutating func isExact(_ uncertainty: Duration, isOneOfMany: Bool) -> Bool {
    let isLikeBest = readings.isLikeBest(uncertainty)
    return uncertainty <= Self.sufficientUncertainty || isOneOfMany && isLikeBest
  }

  private static let sufficientUncertainty = Duration.microseconds(150)

  mutating func seekTook(_ cost: Duration) { latencies.seekTook(cost) }

  mutating func seekWasTooShort() { latencies.seekWasTooShort() }

  mutating func seekWasEnough() { latencies.seekWasEnough() }

  mutating func learnStart(
    allowed: Duration, error: Duration, rate: Double, source: PlayerPosition.Source
  ) {
    latencies.learnStart(allowed: allowed, error: error, rate: rate, source: source)
  }

  mutating func learnSpeedChange(difference: Double, error: Duration) {
    latencies.learnSpeedChange(difference: difference, error: error)
  }
}
