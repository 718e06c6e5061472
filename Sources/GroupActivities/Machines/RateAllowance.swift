import Timekeeping

/// A token bucket that limits the work that one participant can cause.
package struct RateAllowance: Hashable, Sendable {
  private var tokens: Double
  private var refilled: HostTime

  let perSecond: Double
  let burst: Double

  package init(perSecond: Double, burst: Double, at now: HostTime) {
    self.perSecond = perSecond
    self.burst = burst
    tokens = burst
    refilled = now
  }

  /// The limit of another participant's messages.
  static func inbound(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 200, burst: 500, at: now)
  }

  /// The limit of another participant's lanes: 64 MiB a second, more than a journal requests.
  static func lane(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2048, burst: 2048, at: now)
  }

  /// The limit of the clock exchanges that the reference answers for all participants: many times the number
  /// that they send in the long run, and enough for a few dozen that arrive at once. A participant without an
  /// answer uses the reference's beacons meanwhile.
  static func clock(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 50, burst: 1000, at: now)
  }

  /// The limit of answers that are longer than their questions, to one participant, in KiB. An honest
  /// participant doesn't ask again for an answer that it got.
  static func answers(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 16, burst: 128, at: now)
  }

  /// The limit of newcomers that one participant answers. Each answer has some thousand bytes.
  static func arrivals(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 10, burst: 40, at: now)
  }

  /// The limit of challenges to unknown participants, so that a crowd of invented senders causes few of them.
  static func meetings(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 20, burst: 100, at: now)
  }

  /// The limit of work in a large party for all participants outside the roster together.
  static func strangers(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 50, burst: 200, at: now)
  }

  /// The limit of replacements in a full roster.
  static func roster(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2, burst: 20, at: now)
  }

  /// The limit of an application's messages: well below the others' limit, since our own messages and repairs
  /// count there too.
  static func application(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 100, burst: 100, at: now)
  }

  /// The limit of policy logs. Each is a chain of signatures to verify, or as long a message to send.
  static func policyLogs(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2, burst: 10, at: now)
  }

  /// The limit of answers about keys to one participant. A participant that lacks a key asks at most four times in two
  /// seconds, then ever more rarely.
  static func keyAnswers(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 0.5, burst: 4, at: now)
  }

  /// The limit of messages about keys of all participants together. Each costs two operations on a curve at most.
  static func keys(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 100, burst: 400, at: now)
  }

  /// - Returns: false if the allowance is used up.
  package mutating func spend(_ cost: Int = 1, at now: HostTime) -> Bool {
    tokens = min(burst, tokens + max(0, (now - refilled).inSeconds) * perSecond)
    refilled = now
    guard tokens >= Double(cost) else { return false }
    tokens -= Double(cost)
    return true
  }
}
