import Timekeeping

/// The expected position of playback at any instant: `itemTime` at `hostTime`, moving at `rate`.
package struct PlaybackLine: Hashable, Sendable {
  /// The rate, above zero: mpv can't play backwards along a line.
  package var rate: Double
  /// The position at ``hostTime``.
  package var itemTime: MediaTime
  /// The time of ``itemTime``; any instant of the line serves as its anchor.
  package var hostTime: HostTime

  package init(rate: Double, itemTime: MediaTime, hostTime: HostTime) {
    precondition(rate > 0, "a line of rate \(rate) leads nowhere")
    self.rate = rate
    self.itemTime = itemTime
    self.hostTime = hostTime
  }

  /// Returns the line's position at `time`; the line also extends before its anchor.
  package func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * rate
  }

  /// Returns the time at which the line reaches `time`.
  package func hostTime(atItemTime time: MediaTime) -> HostTime {
    hostTime + (time - itemTime) / rate
  }
}

extension PlaybackLine {
  /// The rate below which a small distance in the film takes so long that no correction is worthwhile, and the
  /// tolerance there: half a frame is two seconds at the slowest rate.
  static let slowRate = 0.5
  static let slowTolerance = Duration.milliseconds(20)

  /// Returns the line that mpv must follow so that the perceived playback follows this one.
  func ahead(by latency: Duration) -> PlaybackLine {
    PlaybackLine(rate: rate, itemTime: itemTime, hostTime: hostTime - latency)
  }
}
