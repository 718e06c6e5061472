import Timekeeping

/// The times of the exchanges with the clock's reference: a burst at first, then in growing intervals.
struct ClockExchanges: Sendable {
  /// The time of the next exchange; nil before the first burst.
  private(set) var at: HostTime?
  /// The interval between the next exchange and the one after it.
  private var interval = Duration.zero
  private var burstLeft: Int

  init(burst: Int) { burstLeft = burst }

  var isInBurst: Bool { burstLeft > 0 }

  mutating func beginBurst(_ count: Int, at now: HostTime) {
    burstLeft = count
    at = now
  }

  mutating func bringForward(to next: HostTime) { at = at.map { min($0, next) } }

  func isDue(at now: HostTime) -> Bool { at.map { now >= $0 } ?? false }

  /// Schedules the exchange after the one that is due now.
  ///
  /// - Parameters:
  ///   - useful: the interval that improves the estimate soon (``PartyClock/usefulInterval``).
  ///   - dice: a factor around 1 in a large party, so that participants that arrived together don't ask at the same
  ///     time; not used in a burst.
  mutating func scheduleNext(
    _ now: HostTime, _ policy: RosterPolicy, useful: Duration?, dice: Double
  ) {
    if isInBurst {
      burstLeft -= 1
      interval = policy.firstClockInterval
      at = now + policy.clockBurstInterval
    } else {
      at = now + interval * dice
      interval = policy.clockInterval(after: interval, useful: useful)
    }
  }
}
