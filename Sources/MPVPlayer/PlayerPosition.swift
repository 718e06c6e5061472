import Timekeeping

/// A measured place in the item and the instant at which it held.
public struct PlayerPosition: Hashable, Sendable {
  /// How it was measured.
  public enum Source: Hashable, Sendable {
    /// `audio-pts` while playing: what is heard. Continuous, repeatable to some microseconds.
    case audio
    /// The instants at which `time-pos` went on to the last frames; see ``FrameClock``.
    case frame
    /// Standing still: the time of the frame that is shown.
    case standing
  }

  public var itemTime: MediaTime
  public var hostTime: HostTime
  /// The speed with which it moves, a nudge included; zero while standing still.
  public var rate: Double
  /// ``hostTime`` is right to within this: half the time that the measurement took, or how far what the frames say
  /// lies apart.
  public var uncertainty: Duration
  public var source: Source

  public init(
    itemTime: MediaTime, hostTime: HostTime, rate: Double, uncertainty: Duration, source: Source
  ) {
    self.itemTime = itemTime
    self.hostTime = hostTime
    self.rate = rate
    self.uncertainty = uncertainty
    self.source = source
  }

  /// Where playback is at another instant, if nothing happens between the two.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * rate
  }

  /// Standing at a place that was read, not reckoned.
  var isExact: Bool { rate == 0 && uncertainty == .zero }

  /// How far playback is from `line`, in media time: above zero when it is ahead.
  public func syncError(against line: PlaybackLine) -> Duration {
    itemTime - line.itemTime(atHostTime: hostTime)
  }
}
