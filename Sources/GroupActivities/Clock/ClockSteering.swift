import Timekeeping

/// Makes one continuous clock of estimates that each are a little better than the one before.
///
/// Whoever plays along the clock would hear a jump. So a difference is made up for slowly; only one that is
/// too large for that, or that nobody has played along yet, is taken at once.
struct ClockSteering: Hashable, Sendable {
  private(set) var current: GroupClockReading?

  /// How fast the clock is steered, in seconds a second: what is less than the lower can't be heard as a change
  /// of pitch, and more than the upper is no clock any more.
  static let rates = 1e-3...1e-2
  /// Between the two, a difference shrinks to a third in this time.
  static let timeConstant = 2.0
  /// A larger one is no correction but another time.
  static let limit = Duration.milliseconds(100)

  mutating func steer(to target: ClockEstimator.Estimate, isFree: Bool, at now: HostTime) {
    let there = target.offset
    var reading = GroupClockReading(
      offset: there, taken: now, drift: target.drift, uncertainty: target.uncertainty,
      roundTrip: target.roundTrip, isReference: false)
    reading.wander = target.wander
    defer { current = reading }
    guard !isFree, let here = current?.offset(at: now) else { return }
    let off = here - there
    let distance = off.magnitude
    guard distance > .zero, distance <= Self.limit else { return }
    let wanted = distance.inSeconds / Self.timeConstant
    let rate = min(max(wanted, Self.rates.lowerBound), Self.rates.upperBound)
    reading.offset = here
    reading.steering = off > .zero ? -rate : rate
    reading.steeringEnd = now + distance / rate
    reading.uncertainty += distance
  }

  /// The host clock is the group's from now on, going on from where it is.
  mutating func hold(at now: HostTime) {
    current = current.map {
      GroupClockReading(
        offset: $0.offset(at: now), taken: now, uncertainty: .zero, roundTrip: .zero,
        isReference: false)
    }
  }

  /// This machine slept, and its host clock with it.
  mutating func slept(for duration: Duration) { current?.offset += duration }
}
