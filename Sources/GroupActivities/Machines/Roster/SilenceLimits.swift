import Timekeeping

/// The time for which each participant may be silent.
struct SilenceLimits: Sendable {
  let timing: PartyTiming
  private let reference: Duration
  private let active: Duration
  private let quiet: Duration
  private let backlog: Duration

  /// - Parameter count: the number of active participants.
  init(_ presence: borrowing Presence, _ policy: RosterPolicy, active count: Int) {
    timing = policy.timing
    let size = presence.schedule.averageSize
    reference = policy.beaconInterval(for: .reference, active: count, size: size)
    active = policy.beaconInterval(for: .active, active: count, size: size)
    quiet = policy.beaconInterval(for: .quiet, active: count, size: size)
    backlog = presence.backlog
  }

  /// - Parameter beacon: the last beacon. When it was sent there may have been more participants, or fewer. Its sender may
  ///   lie, so that starts wait for it after it is gone.
  func limit(of standing: PresenceSchedule.Standing, after beacon: Beacon?) -> Duration {
    let interval =
      switch standing {
      case .reference: reference
      case .active: active
      case .quiet: quiet
      }
    let said = min(
      Duration.milliseconds(Int64(clamping: beacon?.interval ?? 0)),
      max(reference, active, quiet) * timing.believedIntervals)
    return min(max(interval, said) * timing.silentIntervals, timing.longestSilence)
  }

  /// Returns the time from which on a participant counts as silent.
  func silent(since heardAt: HostTime, after limit: Duration) -> HostTime {
    heardAt + limit + backlog
  }
}
