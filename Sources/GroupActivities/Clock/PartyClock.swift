import Timekeeping

/// One participant's idea of the group's time: what it measured, and the one continuous clock that it makes of
/// that.
struct PartyClock: Hashable, Sendable {
  private var estimator = ClockEstimator()
  private var steering = ClockSteering()
  /// Whether anybody may go by it yet: until then a better estimate is taken at once.
  private(set) var isSettled = false

  /// How much is known.
  var count: Int { estimator.count }

  /// - Returns: nil before the first exchange.
  func reading(at now: HostTime) -> GroupClockReading? { steering.current?.rebased(at: now) }

  /// How far off the clock may be from what it took over, if it did.
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

  /// Keeps the present estimate as a bound of all later ones: a reference's clock only drifts.
  mutating func anchor(at now: HostTime) { estimator.anchor(at: now) }

  /// Returns whether an exchange can't be right, unless a clock jumped.
  func contradicts(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) -> Bool {
    estimator.contradicts(
      sent: sent, received: received, answered: answered, returned: returned,
      responderUncertainty: responderUncertainty)
  }

  /// The reference said what time it was: later than that it is by now.
  mutating func addBound(sent: GroupTime, arrived: HostTime, at now: HostTime) {
    if estimator.addBound(sent: sent, arrived: arrived) { steer(at: now) }
  }

  /// Takes a known relation for the beginning: the founder's.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    estimator.assume(offset: offset, uncertainty: uncertainty, at: now)
    steer(at: now)
  }

  /// From now on group time is this host's, from where it is, without a jump.
  mutating func hold(at now: HostTime) {
    guard let known = estimator.estimate(at: now), let reading = steering.current else { return }
    let offset = reading.offset(at: now)
    estimator.assume(
      offset: offset, uncertainty: known.uncertainty + (offset - known.offset).magnitude, at: now)
    steering.hold(at: now)
    isSettled = true
  }

  /// Another clock counts from now on, that may be off by so much from the one that was measured.
  mutating func widen(by uncertainty: Duration, at now: HostTime) {
    estimator.widen(by: uncertainty, at: now)
    steer(at: now)
  }

  /// This machine slept, and its host clock with it.
  mutating func slept(for duration: Duration, uncertainty: Duration, at now: HostTime) {
    estimator.slept(for: duration, uncertainty: uncertainty, at: now)
    steering.slept(for: duration)
    isSettled = false
    steer(at: now)
  }

  /// Somebody goes by it from now on.
  mutating func settle() { isSettled = true }

  private mutating func steer(at now: HostTime) {
    guard let estimate = estimator.estimate(at: now) else { return }
    steering.steer(to: estimate, isFree: !isSettled, at: now)
  }
}
