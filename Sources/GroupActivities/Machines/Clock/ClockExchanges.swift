import Timekeeping

/// The times of the exchanges with the clock's reference: a burst at first, then in growing intervals.
struct ClockExchanges: Sendable {
  /// The time of the next exchange; nil before the first burst.
  private(set) var at: HostTime?
  /// The interval between the next exchange and the one after it.
  private var interval = Duration.zero
  private var burstLeft: Int

  /// The circumstances that decide an interval.
  struct Circumstances {
    var timing: PartyTiming
    var participants: Int
    /// A Boolean value that indicates whether the party is too large for introductions between all participants.
    var isLarge: Bool
    /// The interval that improves the estimate soon (``PartyClock/usefulInterval``).
    var useful: Duration?
  }

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
  /// - Parameter dice: a factor around 1 in a large party, so that participants that arrived together don't ask at the
  ///   same time; not used in a burst.
  mutating func scheduleNext(_ now: HostTime, _ circumstances: Circumstances, dice: Double) {
    let (timing, participants) = (circumstances.timing, circumstances.participants)
    let longest = timing.longestClockInterval(participants: participants)
    if isInBurst {
      burstLeft -= 1
      interval =
        circumstances.isLarge
        ? min(PartyTiming.crowdedClockInterval, longest) : timing.clockIntervals.lowerBound
      at = now + timing.clockBurstInterval(participants: participants)
    } else {
      at = now + interval * dice
      interval =
        circumstances.isLarge
        ? min(interval * PartyTiming.crowdedClockIntervalGrowth, longest)
        : timing.clockInterval(
          after: interval, useful: circumstances.useful, participants: participants)
    }
  }
}
