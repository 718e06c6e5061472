/// How far a player is from where it should be, as it measured it.
public struct SyncMeasurement: Hashable, Sendable {
  /// In media time: above zero when the player is ahead.
  public var error: Duration
  /// The true error lies within ± this, never negative: what measuring the player and knowing the group's clock
  /// leave open together.
  public var uncertainty: Duration

  public init(error: Duration, uncertainty: Duration) {
    self.error = error
    self.uncertainty = uncertainty
  }
}
