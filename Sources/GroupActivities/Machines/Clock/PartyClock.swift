import Timekeeping

/// One participant's estimate of the group's time: its measurements, and the one continuous clock that
/// follows from them.
struct PartyClock: Hashable, Sendable {
  private var estimator = ClockEstimator()
  private var steering = ClockSteering()
  /// This machine's wall clock, against its host clock.
  private var wallClock = WallClockRecord()
  /// The bounds that follow from the participants' wall clocks; nil while they tell nothing.
  private var witness: ClockWitness?
  /// A Boolean value that indicates whether playback may follow the clock. Until then a better estimate is
  /// applied at once.
  private(set) var isSettled = false

  /// The number of measurements.
  var count: Int { estimator.count }

  /// The interval of exchanges that improve the estimate soon; nil if round trips hardly differ.
  var usefulInterval: Duration? { estimator.usefulInterval }

  /// - Returns: nil before the first exchange.
  func reading(at now: HostTime) -> GroupClockReading? { steering.current?.rebased(at: now) }

  /// Returns the uncertainty of the exchanges' estimate, without wall clocks; nil before the first measurement.
  func uncertainty(at now: HostTime) -> Duration? { estimator.estimate(at: now)?.uncertainty }

  /// Returns the greatest possible error of ``reading(at:)`` by the exchanges alone; nil before the first measurement.
  func provenError(at now: HostTime) -> Duration? {
    guard let proven = estimator.estimate(at: now), let reading = steering.current else {
      return nil
    }
    return proven.uncertainty + (reading.offset(at: now) - proven.offset).magnitude
  }

  /// The number of other participants' wall clocks that narrow the uncertainty.
  func witnessCount(at now: HostTime) -> Int {
    narrowed(at: now).isNarrower ? witness?.count ?? 0 : 0
  }

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
    witness = nil
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
    // The wall clock continued.
    wallClock.forget()
    witness = nil
    estimator.slept(for: duration, uncertainty: uncertainty, at: now)
    steering.slept(for: duration)
    isSettled = false
    steer(at: now)
  }

  /// Marks the clock as in use from now on.
  mutating func settle() { isSettled = true }

  // MARK: - Wall clocks

  /// Notes a reading of this machine's wall clock; nil if no time service keeps it.
  mutating func noteWallClock(_ reading: WallClockReading?, at now: HostTime) {
    guard let reading, reading.uncertainty <= WallClockClaim.greatestUncertainty else {
      return wallClock.forget()
    }
    wallClock.note(
      WallClockRecord.Reading(
        offset: reading.offset, uncertainty: reading.uncertainty, taken: now))
  }

  /// Returns this participant's statement about its wall clock for the others.
  ///
  /// - Parameter doubt: the greatest possible error of ``reading(at:)``.
  /// - Returns: nil if it has no such clock, or no time.
  func wallClockClaim(doubt: Duration, at now: HostTime) -> WallClockClaim? {
    guard let wall = wallClock.reading(at: now), let reading = steering.current else { return nil }
    let claim = WallClockClaim(
      offset: (wall.offset - reading.offset(at: now)).inNanoseconds,
      uncertainty: (wall.uncertainty + doubt).inNanoseconds,
      clockUncertainty: doubt.inNanoseconds)
    return claim.isPlausible ? claim : nil
  }

  /// Narrows the estimate by the wall clocks of other participants, and of this machine.
  mutating func compareWallClocks(_ others: [WallClockRecord.Reading], at now: HostTime) {
    witness = wallClock.reading(at: now).flatMap { ClockWitness(own: $0, others: others, at: now) }
    steer(at: now)
  }

  private func narrowed(
    at now: HostTime
  ) -> (estimate: ClockEstimator.Estimate?, isNarrower: Bool) {
    guard let proven = estimator.estimate(at: now) else { return (nil, false) }
    guard let narrow = witness?.narrow(proven, at: now) else { return (proven, false) }
    return (narrow, narrow.uncertainty < proven.uncertainty)
  }

  private mutating func steer(at now: HostTime) {
    guard let estimate = narrowed(at: now).estimate else { return }
    steering.steer(to: estimate, isFree: !isSettled, at: now)
  }
}
