import Timekeeping

/// One wall clock, as its readings show it: its own machine's, against the host clock, or another participant's,
/// against the group's.
///
/// Both clocks of a machine follow its time service together, so that their difference stays the same. If it changes,
/// the wall clock was set. It was wrong before or is wrong now, and isn't used until it has stayed the same for
/// ``probation``.
struct WallClockRecord: Hashable, Sendable {
  struct Reading: Hashable, Sendable {
    /// Wall time minus the other clock's.
    var offset: Duration
    /// The error of the wall clock.
    var uncertainty: Duration
    /// The part of it that is the other clock's.
    var clockUncertainty = Duration.zero
    var taken: HostTime
  }

  /// A difference by which nothing but a change of the wall clock moves two readings.
  static let step = Duration.milliseconds(1)
  static let probation = Duration.seconds(600)
  /// The age from which on a reading isn't used.
  static let longestAge = Duration.seconds(60)
  /// The growth of a reading's error: the greatest rate at which a time service adjusts a clock.
  static let growth = 500e-6

  private var latest: Reading?
  private var steppedAt: HostTime?

  /// A Boolean value that indicates whether the wall clock was set lately.
  func hasStepped(at now: HostTime) -> Bool {
    steppedAt.map { now - $0 < Self.probation } ?? false
  }

  mutating func note(_ reading: Reading) {
    if let latest {
      let doubt = latest.clockUncertainty + reading.clockUncertainty
      if (reading.offset - latest.offset).magnitude > Self.step + doubt {
        steppedAt = reading.taken
      }
    }
    latest = reading
  }

  /// Forgets the readings, since the other clock changed.
  mutating func forget() { latest = nil }

  /// Returns the latest reading with its error at `now`; nil if there is none that can be used.
  func reading(at now: HostTime) -> Reading? {
    guard var reading = latest, !hasStepped(at: now) else { return nil }
    let age = max(.zero, now - reading.taken)
    guard age <= Self.longestAge else { return nil }
    reading.uncertainty += age * Self.growth
    return reading
  }
}
