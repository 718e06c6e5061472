import Foundation
import GroupActivities
import Timekeeping

/// Another participant, as a source of attachments.
struct HolderRecord: Sendable {
  /// The attachments that it reported as complete, and the chunks that it reported of others.
  var complete: Set<UUID> = []
  var partial: [UUID: RangeSet<Int>] = [:]
  /// The attachments that it added but reported as missing.
  var denied: Set<UUID> = []
  /// The number of its consecutive summaries that differed from ours.
  var mismatches = 0

  /// The limits on the work that it may cause: queries and news, and requests for pieces.
  var controlAllowance: RateAllowance
  var requestAllowance: RateAllowance

  // The state of the path to the holder.

  /// The number of pieces that may be requested at once.
  private(set) var window: Double
  var outstanding = 0
  /// The number of timeouts since the last piece arrived.
  private(set) var failures = 0
  /// The earliest time of the next request.
  private(set) var retryAt: HostTime?
  private var isStarting = true
  private var smoothed: Duration?
  private var variation = Duration.zero
  /// The shortest round trip of this period and of the one before: the path's time without a queue.
  private var base: (current: Duration, previous: Duration, since: HostTime)?

  private static let basePeriod = Duration.seconds(10)
  private static let retryLimit = Duration.seconds(8)

  init(timing: JournalTiming, at now: HostTime) {
    window = timing.initialWindow
    controlAllowance = RateAllowance(perSecond: 50, burst: 200, at: now)
    requestAllowance = RateAllowance(perSecond: 500, burst: 500, at: now)
  }

  /// Returns whether its failures allow a request now.
  func mayRetry(at now: HostTime) -> Bool { retryAt.map { now >= $0 } ?? true }

  /// Returns the number of pieces that may be requested now. Each request costs a message, so a small number
  /// is saved up.
  func quota(at now: HostTime) -> Int {
    guard mayRetry(at: now) else { return 0 }
    let free = Int(window) - outstanding
    return free >= max(1, Int(window) / 4) ? free : 0
  }

  /// - Parameter isUrgent: true if a read waits for the piece. Another participant is then asked earlier.
  func timeout(isUrgent: Bool, _ timing: JournalTiming) -> Duration {
    guard let smoothed else { return isUrgent ? timing.firstUrgentTimeout : timing.firstTimeout }
    return isUrgent
      ? max(timing.urgentTimeout, smoothed + variation * 4)
      : max(timing.requestTimeout, smoothed * 2 + variation * 4)
  }

  /// A requested piece arrived.
  mutating func answered() {
    failures = 0
    retryAt = nil
  }

  /// A piece arrived that shows the path's delay: the answer to a request that was sent once.
  mutating func answered(after roundTrip: Duration, _ timing: JournalTiming, at now: HostTime) {
    answered()
    if let smoothed {
      variation = (variation * 3 + (smoothed - roundTrip).magnitude) / 4
      self.smoothed = (smoothed * 7 + roundTrip) / 8
    } else {
      smoothed = roundTrip
      variation = roundTrip / 2
    }
    var base = base ?? (roundTrip, roundTrip, now)
    if now - base.since > Self.basePeriod { base = (roundTrip, base.current, now) }
    base.current = min(base.current, roundTrip)
    self.base = base
    let queueing = roundTrip - min(base.current, base.previous)
    // On a slow link a single piece takes longer than the target.
    let target = max(timing.queueingTarget, (smoothed ?? .zero) / window)
    let offTarget = (target - queueing).inSeconds / target.inSeconds
    if queueing > target / 2 { isStarting = false }
    window += isStarting ? 1 : max(-0.5, offTarget / window)
    window = min(max(window, 1), timing.windowLimit)
  }

  mutating func timedOut(_ timing: JournalTiming, at now: HostTime) {
    isStarting = false
    window = max(1, window / 2)
    failures += 1
    // The first loss may be chance; repeated silence isn't.
    if failures > 1 {
      retryAt =
        now + min(Self.retryLimit, timeout(isUrgent: false, timing) * (1 << min(failures - 2, 5)))
    }
  }

  /// Allows requests again once the delay has passed, with a small window at first.
  mutating func retry(at now: HostTime) {
    if let retryAt, now >= retryAt { self.retryAt = nil }
  }

  /// Clears the failures, which were the link's and not the holder's.
  mutating func linkReturned() {
    outstanding = 0
    failures = 0
    retryAt = nil
  }
}
