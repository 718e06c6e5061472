import Timekeeping

/// The time in which this participant could notice arrivals.
struct RosterWatch: Hashable, Sendable {
  private struct Gap: Hashable {
    var from: HostTime
    var to: HostTime
  }

  private var gap: Gap?
  private var endedAt: HostTime?

  mutating func began(at now: HostTime) {
    if let endedAt { gap = Gap(from: endedAt, to: now) }
    endedAt = nil
  }

  mutating func ended(at now: HostTime) { endedAt = endedAt ?? now }

  /// Records that the machine slept until now, and its host clock with it.
  mutating func slept(for duration: Duration, at now: HostTime) {
    gap = Gap(from: now - duration, to: now)
  }

  /// The last instant at which every present participant was known.
  ///
  /// - Parameter time: that instant if nothing was missed.
  func lastSure(before time: HostTime) -> HostTime {
    guard let gap, gap.to > time else { return time }
    return min(gap.from, time)
  }
}
