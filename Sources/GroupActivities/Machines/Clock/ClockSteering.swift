import Timekeeping

/// Turns a sequence of estimates, each a little better than the one before, into one continuous clock.
///
/// A listener would hear a jump of the clock that drives playback. A difference is therefore corrected
/// slowly. It is applied at once only if it is too large for that, or if playback doesn't follow the clock
/// yet.
struct ClockSteering: Hashable, Sendable {
  private(set) var current: GroupClockReading?

  /// The range of the steering rate, in seconds per second. Players follow it by resampling: at the lower bound by 0.2 ms
  /// in half a second, and a rate above the upper one makes the clock useless.
  static let rates = 4e-4...1e-2
  /// The time in which a difference shrinks to a third while the rate is between the two bounds, in seconds.
  static let timeConstant = 2.0
  /// The largest difference that is corrected slowly. A larger one means another time.
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

  /// Makes the host clock the group's from now on, continuing from its current value.
  mutating func hold(at now: HostTime) {
    current = current.map {
      GroupClockReading(
        offset: $0.offset(at: now), taken: now, uncertainty: .zero, roundTrip: .zero,
        isReference: false)
    }
  }

  /// Corrects the clock after this machine slept, and its host clock with it.
  mutating func slept(for duration: Duration) { current?.offset += duration }
}
