import Synchronization
import Timekeeping

/// Compensation for late speakers and screens: a Bluetooth speaker, a television. The viewer perceives playback later
/// than mpv plays it, by the output's latency, and the group is in step when the *perceived* playback is. So this
/// player runs ahead of every line by the latency, and reports for every moving position the time at which it is
/// perceived.
///
/// | | mpv's | perceived |
/// | --- | --- | --- |
/// | a line through a position at `t` | at `t` − latency | at `t`: the commands' time |
/// | a position that was measured at `t` | at `t` | at `t` + latency: the time from ``position()`` |
/// | a position while paused | the same | the same: a paused frame is that frame |
///
/// All internal times are mpv's: the learned latencies of starts don't include the output's latency.
extension MPVPlayer {
  /// The range of ``setOutputLatency(_:)``. Below zero: the outputs of all others are the late ones.
  package static let outputLatencies: ClosedRange<Duration> = .seconds(-2) ... .seconds(10)

  /// The delay between mpv's playback and this participant's perception of it. Zero at first. Readable from any thread.
  ///
  /// If it is above zero, a start needs that much more lead here.
  package nonisolated var outputLatency: Duration { outputLatencyValue.withLock { $0 } }

  /// Sets ``outputLatency``, from the next play command on. To apply it at once, the caller has the current command
  /// issued again.
  ///
  /// - Parameter latency: clamped to ``outputLatencies``.
  package func setOutputLatency(_ latency: Duration) {
    let range = Self.outputLatencies
    outputLatencyValue.withLock { $0 = min(max(latency, range.lowerBound), range.upperBound) }
  }

  /// Measures the perceived position of playback.
  ///
  /// The measurement uses the audible position if there is sound; otherwise it uses the instants at which frames come,
  /// and waits for the next frame: 300 ms at most, and twice that if none have been seen yet.
  ///
  /// - Returns: nil while nothing is loaded, while seeking, if the position could not be measured, and at the end until
  ///   that is perceived. With an ``outputLatency`` the position of a moving player belongs to an instant in the
  ///   future, or in the past if the latency is below zero.
  package func position() async -> PlayerPosition? {
    let latency = outputLatency
    guard var position = await corePosition(isOneOfMany: true) else { return nil }
    if position.rate > 0 {
      position.hostTime = position.hostTime + latency
    } else if state.isAtEnd, !attribution.isPaused, latency > .zero {
      return nil
    }
    return position
  }
}
