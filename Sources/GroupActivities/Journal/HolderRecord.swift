import Foundation
import Timekeeping

/// What is known of another participant as a source of attachments.
struct HolderRecord: Sendable {
  /// What it said that it has: in full, or so many chunks from the beginning on.
  var complete: Set<UUID> = []
  var partial: [UUID: Int] = [:]
  /// What it said that it hasn't, though it added it.
  var denied: Set<UUID> = []
  /// How often in a row its summary was another one than ours.
  var mismatches = 0

  /// What it may make us work: questions and news, and requests for pieces.
  var controlAllowance: RateAllowance
  var requestAllowance: RateAllowance

  // The path to it.

  /// In pieces.
  private(set) var window: Double
  var outstanding = 0
  /// Timeouts since something came.
  private(set) var failures = 0
  /// It isn't asked before.
  private(set) var retryAt: HostTime?
  private var isStarting = true
  private var smoothed: Duration?
  private var variation = Duration.zero
  /// The least round trip of this period and the one before: what the path takes without a queue.
  private var base: (current: Duration, previous: Duration, since: HostTime)?

  private static let basePeriod = Duration.seconds(10)
  private static let retryLimit = Duration.seconds(8)

  init(timing: JournalTiming, at now: HostTime) {
    window = timing.initialWindow
    controlAllowance = RateAllowance(perSecond: 50, burst: 200, at: now)
    requestAllowance = RateAllowance(perSecond: 500, burst: 500, at: now)
  }

  func has(_ piece: Piece, of entry: JournalBook.Entry) -> Bool {
    if complete.contains(entry.id) { return true }
    guard let chunks = partial[entry.id] else { return false }
    return entry.layout.chunks(under: piece).lowerBound < chunks
  }

  /// How many pieces may be asked for now. Few at a time cost a message each, so they are saved up.
  func quota(at now: HostTime) -> Int {
    if let retryAt, now < retryAt { return 0 }
    let free = Int(window) - outstanding
    return free >= max(1, Int(window) / 4) ? free : 0
  }

  func timeout(_ timing: JournalTiming) -> Duration {
    guard let smoothed else { return timing.firstTimeout }
    return max(timing.requestTimeout, smoothed * 2 + variation * 4)
  }

  mutating func answered(after roundTrip: Duration, _ timing: JournalTiming, at now: HostTime) {
    failures = 0
    retryAt = nil
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
    let offTarget = (timing.queueingTarget - queueing).inSeconds / timing.queueingTarget.inSeconds
    if queueing > timing.queueingTarget / 2 { isStarting = false }
    window += isStarting ? 1 : max(-0.5, offTarget / window)
    window = min(max(window, 1), timing.windowLimit)
  }

  mutating func timedOut(_ timing: JournalTiming, at now: HostTime) {
    isStarting = false
    window = max(1, window / 2)
    failures += 1
    // The first loss may be chance; silence isn't.
    if failures > 1 {
      retryAt = now + min(Self.retryLimit, timeout(timing) * (1 << min(failures - 2, 5)))
    }
  }

  /// It may be asked again, for a little at first.
  mutating func retry(at now: HostTime) {
    if let retryAt, now >= retryAt { self.retryAt = nil }
  }

  /// The link was down, which says nothing of the holder.
  mutating func linkReturned() {
    outstanding = 0
    failures = 0
    retryAt = nil
  }
}
