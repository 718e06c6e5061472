import Timekeeping

/// One participant's estimate of the group's time: its measurements, and the one continuous clock that
/// follows from them.
struct PartyClock: Hashable, Sendable {
  private var estimator = ClockEstimator()
  private var steering = ClockSteering()
  /// A Boolean value that indicates whether playback may follow the clock. Until then a better estimate is
  /// applied at once.
  private(set) var isSettled = false

  /// The number of measurements.
  var count: Int { estimator.count }

  /// A Boolean value that indicates whether more exchanges would improve the estimate soon.
  var needsMore: Bool { estimator.needsMore }

  /// - Returns: nil before the first exchange.
  func reading(at now: HostTime) -> GroupClockReading? { steering.current?.rebased(at: now) }

  /// Returns the uncertainty of the estimate; nil before the first measurement.
  func uncertainty(at now: HostTime) -> Duration? { estimator.estimate(at: now)?.uncertainty }

  mutating func addExchange(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration, at now: HostTime
  ) {
    estimator.addExchange(
      sent: sent, received: received, answered: answered, returned: returned,
      responderUncertainty: responderUncertainty)
    steer(at: now)
  }

  /// Keeps the present estimate as a bound of all later ones, since a reference's clock only drifts.
  mutating func anchor(at now: HostTime) { estimator.anchor(at: now) }

  /// Returns whether an exchange is impossible unless a clock jumped.
  func contradicts(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) -> Bool {
    estimator.contradicts(
      sent: sent, received: received, answered: answered, returned: returned,
      responderUncertainty: responderUncertainty)
  }

  /// Adds a time that the reference sent. The group time is later than that by now.
  mutating func addBound(sent: GroupTime, arrived: HostTime, at now: HostTime) {
    if estimator.addBound(sent: sent, arrived: arrived) { steer(at: now) }
  }

  /// Starts with a known relation: the founder's.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    estimator.assume(offset: offset, uncertainty: uncertainty, at: now)
    steer(at: now)
  }

  /// Makes this host's clock the group's from now on, from its current value, without a jump.
  mutating func hold(at now: HostTime) {
    guard let known = estimator.estimate(at: now), let reading = steering.current else { return }
    let offset = reading.offset(at: now)
    estimator.assume(
      offset: offset, uncertainty: known.uncertainty + (offset - known.offset).magnitude, at: now)
    steering.hold(at: now)
    isSettled = true
  }

  /// Widens the estimate when another clock becomes the reference, which may differ by this much from the
  /// measured one.
  mutating func widen(by uncertainty: Duration, at now: HostTime) {
    estimator.widen(by: uncertainty, at: now)
    steer(at: now)
  }

  /// Corrects the clock after this machine slept, and its host clock with it.
  mutating func slept(for duration: Duration, uncertainty: Duration, at now: HostTime) {
    estimator.slept(for: duration, uncertainty: uncertainty, at: now)
    steering.slept(for: duration)
    isSettled = false
    steer(at: now)
  }

  /// Marks the clock as in use from now on.
  mutating func settle() { isSettled = true }

  private mutating func steer(at now: HostTime) {
    guard let estimate = estimator.estimate(at: now) else { return }
    steering.steer(to: estimate, isFree: !isSettled, at: now)
  }
}
