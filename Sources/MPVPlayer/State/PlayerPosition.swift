import Timekeeping

/// A measured position in the item and the instant at which it was valid.
package struct PlayerPosition: Hashable, Sendable {
  /// The method of the measurement.
  package enum Source: Hashable, Sendable {
    /// `audio-pts` while playing: the audible position. Continuous, repeatable to some microseconds.
    case audio
    /// The instants at which `time-pos` changed to the last frames; see ``FrameClock``.
    case frame
    /// Not moving: the time of the shown frame.
    case still
  }

  /// The position at ``hostTime``.
  package var itemTime: MediaTime
  /// The instant at which the position was valid.
  package var hostTime: HostTime
  /// The speed of playback, including a nudge; zero while not moving.
  package var rate: Double
  /// The uncertainty of ``hostTime``, in either direction: half the time that the measurement took, or the spread of
  /// the frames' estimates.
  package var uncertainty: Duration
  /// The method of the measurement.
  package var source: Source

  /// Returns the position of playback at another instant, if nothing changes between the two.
  package func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * rate
  }

  /// A Boolean value that indicates whether the player isn't moving and the position was read, not extrapolated.
  var isExact: Bool { rate == 0 && uncertainty == .zero }

  /// Returns the distance of playback from `line`, in media time: above zero when it is ahead.
  package func syncError(against line: PlaybackLine) -> Duration {
    itemTime - line.itemTime(atHostTime: hostTime)
  }
}
