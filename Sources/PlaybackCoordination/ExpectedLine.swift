import Timekeeping

/// The expected position of a player as of now: ``itemTime`` at ``hostTime``, moving at ``rate``.
public struct ExpectedLine: Hashable, Sendable {
  /// Media seconds per second of group time.
  public var rate: Double
  /// The position at ``hostTime``.
  public var itemTime: MediaTime
  /// The time of ``itemTime``: the moment at which the line was asked for.
  public var hostTime: HostTime
  /// The amount by which group time runs faster than host time now, in seconds per second.
  public var clockRate: Double
  /// The uncertainty of the group's time on this machine.
  public var uncertainty: Duration

  /// Returns the position that the player should have at another instant near ``hostTime``.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * (rate * (1 + clockRate))
  }
}
