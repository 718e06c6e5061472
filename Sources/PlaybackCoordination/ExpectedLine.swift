import Timekeeping

/// Where a player should be, as of now: at ``itemTime`` at ``hostTime``, going on at ``rate``.
public struct ExpectedLine: Hashable, Sendable {
  /// Media seconds in a second of group time.
  public var rate: Double
  public var itemTime: MediaTime
  public var hostTime: HostTime
  /// How much faster group time runs than host time now, in seconds a second.
  public var clockRate: Double
  /// How far off the group's time may be here.
  public var uncertainty: Duration

  /// Where the player should be at another instant near ``hostTime``.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * (rate * (1 + clockRate))
  }
}
