/// An estimate of a player's distance from its line and of its drift: a Kalman filter of two states, in seconds and
/// seconds per second.
struct DriftFilter: Hashable, Sendable {
  private(set) var error = 0.0
  private(set) var drift = 0.0
  /// The observed scatter of the measurements (one standard deviation).
  private(set) var scatter = 50e-6

  /// The variances of the two states, and their covariance (`common`).
  private var errorVariance = 1.0
  private var common = 0.0
  private var driftVariance = Self.driftVariance
  /// A Boolean value that indicates whether no nudges disturb the player's own movement.
  private var isQuiet = true
  /// The number of consecutive measurements that were too far from the expected value.
  private var surprises = 0

  private static let quiet = 20e-6
  /// The variance before any measurement: ±50 ppm, a usual tolerance of crystals.
  private static let driftVariance = 50e-6 * 50e-6
  /// Unforeseen movement of a player, per second: by a scheduler, or by a clock estimate that becomes better.
  private static let wandering = 30e-6 * 30e-6
  /// The amount by which a drift may change per second, because of temperature.
  private static let warming = 0.3e-6 * 0.3e-6
  /// The possible drifts: no crystal is worse.
  private static let drifts = -1e-3...1e-3
  /// The distance from the expected value, in standard deviations, beyond which a measurement is a surprise.
  private static let surprise = 5.0

  /// Discards the position and keeps the drift.
  mutating func forgetPosition() {
    error = 0
    errorVariance = 1
    common = 0
    surprises = 0
  }

  /// Advances the estimate to the time of the next measurement.
  ///
  /// - Parameters:
  ///   - seconds: the time since the last measurement.
  ///   - moved: the seconds by which nudges have moved the player since.
  ///   - doubt: the uncertainty of `moved`, in seconds.
  mutating func advance(by seconds: Double, moved: Double, doubt: Double) {
    error += drift * seconds + moved
    errorVariance +=
      2 * common * seconds + driftVariance * seconds * seconds + Self.wandering * seconds
      + doubt * doubt
    isQuiet = doubt < Self.quiet
    common += driftVariance * seconds
    driftVariance += Self.warming * seconds
  }

  /// Takes a measurement.
  ///
  /// - Returns: whether the measurement counts. An unexpected one counts only if the next one confirms it.
  mutating func measured(_ value: Double, uncertainty: Double) -> Bool {
    let noise = max(scatter, uncertainty / 2)
    let difference = value - error
    let isKnown = errorVariance < 1e-2
    if isKnown, abs(difference) > Self.surprise * (errorVariance + noise * noise).squareRoot() {
      surprises += 1
      guard surprises >= 2 else { return false }
      // Something else has moved the player.
      forgetPosition()
      error = value
      errorVariance = noise * noise
      return true
    }
    surprises = 0
    if isKnown, isQuiet {
      // A mean deviation is 0.8 of the standard deviation.
      scatter += (min(abs(difference) * 1.25, 5e-3) - scatter) * 0.05
      scatter = max(scatter, 20e-6)
    }
    let sum = errorVariance + noise * noise
    let (gain, driftGain) = (errorVariance / sum, common / sum)
    error += gain * difference
    drift = min(max(drift + driftGain * difference, Self.drifts.lowerBound), Self.drifts.upperBound)
    driftVariance -= driftGain * common
    common *= 1 - gain
    errorVariance *= 1 - gain
    return true
  }
}
