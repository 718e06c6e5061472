/// Where a player is against its line, and how fast it drifts from it by itself: a Kalman filter of two states,
/// in seconds and seconds a second.
struct DriftFilter: Hashable, Sendable {
  private(set) var error = 0.0
  private(set) var drift = 0.0
  /// How much the measurements scatter (one standard deviation), as they turned out.
  private(set) var scatter = 50e-6

  /// Variances of the two, and what they have in common.
  private var errorVariance = 1.0
  private var common = 0.0
  private var driftVariance = Self.driftVariance
  /// Whether nothing moves the player but what it does by itself.
  private var isQuiet = true
  /// How many in a row were too far from what was expected.
  private var surprises = 0

  private static let quiet = 20e-6
  /// Before anything is known: ±50 ppm, as crystals are sold.
  private static let driftVariance = 50e-6 * 50e-6
  /// What moves a player unforeseen, a second: a scheduler, a clock estimate that becomes better.
  private static let wandering = 30e-6 * 30e-6
  /// By how much a drift may change, a second: temperature.
  private static let warming = 0.3e-6 * 0.3e-6
  /// No crystal is worse.
  private static let drifts = -1e-3...1e-3
  /// Farther from what was expected than this, in standard deviations, a measurement is a surprise.
  private static let surprise = 5.0

  /// The place is unknown from now on; the drift is what it was.
  mutating func forgetPlace() {
    error = 0
    errorVariance = 1
    common = 0
    surprises = 0
  }

  /// - Parameters:
  ///   - seconds: since the last measurement.
  ///   - moved: by how much the player has been moved since.
  ///   - doubt: by how much that may be wrong.
  mutating func advance(by seconds: Double, moved: Double, doubt: Double) {
    error += drift * seconds + moved
    errorVariance +=
      2 * common * seconds + driftVariance * seconds * seconds + Self.wandering * seconds
      + doubt * doubt
    isQuiet = doubt < Self.quiet
    common += driftVariance * seconds
    driftVariance += Self.warming * seconds
  }

  /// - Returns: whether it counts: one that nobody expected does so when the next one says the same.
  mutating func measured(_ value: Double, uncertainty: Double) -> Bool {
    let noise = max(scatter, uncertainty / 2)
    let difference = value - error
    let isKnown = errorVariance < 1e-2
    if isKnown, abs(difference) > Self.surprise * (errorVariance + noise * noise).squareRoot() {
      surprises += 1
      guard surprises >= 2 else { return false }
      // Something has moved it.
      forgetPlace()
      error = value
      errorVariance = noise * noise
      return true
    }
    surprises = 0
    if isKnown, isQuiet {
      // Mean deviations are 0.8 of standard ones.
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
