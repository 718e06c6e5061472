import Timekeeping

/// The findings about one participant's time, as its beacons and answers show it.
struct PeerClock: Hashable, Sendable {
  /// The uncertainty of its time, as it reports; as the reference, against the time that it took over.
  private var bound: ClockBound?
  /// Its round trip to the reference, when it last had another participant as the reference.
  private(set) var roundTrip: Duration?
  /// Its wall clock, against the group's time.
  private(set) var wallClock = WallClockRecord()
  /// A Boolean value that indicates whether its time jumped while it was the reference; it comes last from then on.
  private(set) var isDeposed = false
  /// A Boolean value that indicates whether its last beacon showed another time; noted by the reference.
  private(set) var isApart = false
  /// The number of consecutive answers that contradicted the known time.
  private var contradictions = 0

  /// The number of impossible answers in a row that depose a reference: one may be an accident.
  static let contradictionLimit = 3
  /// The greatest distance of a guest's time from ours when it becomes the reference, if it was never absent.
  private static let usualDoubt = Duration.milliseconds(100)

  mutating func reported(by beacon: Beacon, at now: HostTime) {
    if let uncertainty = beacon.clockUncertainty, uncertainty > 0 {
      bound = ClockBound(uncertainty: .microseconds(min(uncertainty, 1_000_000)), taken: now)
    }
    if let claim = beacon.wallClock {
      wallClock.note(
        WallClockRecord.Reading(
          offset: .nanoseconds(claim.offset), uncertainty: .nanoseconds(claim.uncertainty),
          clockUncertainty: .nanoseconds(claim.clockUncertainty), taken: now))
    } else {
      wallClock.forget()
    }
    if let roundTrip = beacon.clockRoundTrip, roundTrip > 0 {
      self.roundTrip = .microseconds(roundTrip)
    }
  }

  /// Group time is another participant's clock now. Until the next beacon, its wall clock is against the earlier one.
  mutating func referenceChanged() { wallClock.forget() }

  /// An answer contradicts the known time, or agrees with it.
  ///
  /// - Returns: true if this and the answers before it depose the participant as the reference.
  mutating func answered(isContradiction: Bool) -> Bool {
    contradictions = isContradiction ? contradictions + 1 : 0
    guard contradictions >= Self.contradictionLimit else { return false }
    isDeposed = true
    return true
  }

  mutating func compared(isApart: Bool) { self.isApart = isApart }

  /// Returns the greatest distance of its time from the time that it took over.
  ///
  /// - Parameters:
  ///   - mayJump: whether it may change the time by more than its clock can drift.
  ///   - absence: the sum of its absences.
  func doubt(mayJump: Bool, absence: Duration, at now: HostTime) -> Duration {
    guard let said = bound?.uncertainty(at: now) else { return .zero }
    guard !mayJump else { return said }
    return min(said, Self.usualDoubt + absence * (2 * ClockEstimator.driftLimit))
  }
}
