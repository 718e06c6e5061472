/// A player's measured distance from its expected position.
public struct SyncMeasurement: Hashable, Sendable {
  /// The distance in media time: above zero when the player is ahead.
  public var error: Duration
  /// The half-width of the interval around ``error`` that contains the true error, never negative: the sum of the
  /// uncertainties of measuring the player and of knowing the group's clock.
  public var uncertainty: Duration

  /// Creates a measurement.
  public init(error: Duration, uncertainty: Duration) {
    self.error = error
    self.uncertainty = uncertainty
  }
}
