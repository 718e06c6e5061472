import GroupActivities
import STUN
import Timekeeping

/// An address of a participant together with this machine's socket of the same family: a way that may work.
struct CandidatePair: Sendable {
  /// The participant's address.
  let remote: SocketAddress
  /// The way in which the address was found; nil if only packets came from it (peer-reflexive).
  var kind: PathCandidate.Kind?
  /// The rank by the address alone. The highest one is tried first.
  var rank: Int

  /// The time of the next check; nil for none.
  var nextCheck: HostTime?
  /// A Boolean value that indicates whether the next check goes before those of other pairs.
  var isUrgent = false
  /// The number of checks in this burst.
  var attempts = 0
  /// The checks that remain of those after the first answer.
  var additionalChecks = 0
  private(set) var lastCheck: HostTime?

  /// The time of the latest answer.
  private(set) var answeredAt: HostTime?
  /// The time of the first answer of this opening.
  private(set) var firstAnsweredAt: HostTime?
  /// A Boolean value that indicates whether the other end has had an answer too, as its latest answer says.
  private(set) var isValidatedByPeer = false
  /// The time of the first check since the latest answer.
  private(set) var unansweredSince: HostTime?
  /// The time until which datagrams are accepted from a path that was replaced.
  var acceptedUntil: HostTime?
  private var roundTrips: [Duration] = []
  private var outstanding: [(transaction: UInt64, sent: HostTime)] = []

  init(_ remote: SocketAddress, _ kind: PathCandidate.Kind?, rank: Int) {
    self.remote = remote
    self.kind = kind
    self.rank = rank
  }

  /// The numbers of the questions whose answers count.
  var openTransactions: [UInt64] { outstanding.map(\.transaction) }

  /// The shortest of the latest round trips; nil before the first.
  var roundTrip: Duration? { roundTrips.min() }

  /// Returns whether a check was answered a short time ago.
  func isValidated(at now: HostTime) -> Bool {
    answeredAt.map { now - $0 <= PathTiming.acceptance } ?? false
  }

  /// Returns whether checks are answered: one was a short time ago, and none has waited for long since.
  func isAnswering(at now: HostTime) -> Bool {
    isValidated(at: now) && unansweredSince.map { now - $0 < PathTiming.doubt } ?? true
  }

  /// Returns whether datagrams from the address are accepted.
  func isAccepted(at now: HostTime) -> Bool {
    isValidated(at: now) || acceptedUntil.map { now <= $0 } ?? false
  }

  mutating func checkSent(_ transaction: UInt64, at now: HostTime) {
    outstanding.removeAll { now - $0.sent > PathTiming.answer }
    if outstanding.count >= PathTiming.outstandingLimit { outstanding.removeFirst() }
    outstanding.append((transaction, now))
    lastCheck = now
    unansweredSince = unansweredSince ?? now
    isUrgent = false
  }

  /// Takes an answer.
  ///
  /// - Returns: the time when its question was sent; nil if no question has this number, or if it was asked too long
  ///   ago.
  mutating func answerReceived(_ transaction: UInt64, at now: HostTime) -> HostTime? {
    guard let index = outstanding.firstIndex(where: { $0.transaction == transaction }) else {
      return nil
    }
    let sent = outstanding.remove(at: index).sent
    guard now - sent <= PathTiming.answer else { return nil }
    return sent
  }

  /// Notes that the path works both ways.
  ///
  /// - Parameter isFirst: a Boolean value that indicates whether the pair didn't work a moment ago.
  mutating func validated(isFirst: Bool, byPeer: Bool, sent: HostTime, at now: HostTime) {
    if isFirst {
      firstAnsweredAt = now
      additionalChecks = PathTiming.additionalChecks
    }
    answeredAt = now
    isValidatedByPeer = byPeer
    if roundTrips.count == 4 { roundTrips.removeFirst() }
    roundTrips.append(now - sent)
  }

  /// Notes that the path does what it is used for.
  mutating func confirmed() { unansweredSince = nil }

  /// Begins again, as if nothing had been answered.
  mutating func reset() {
    answeredAt = nil
    firstAnsweredAt = nil
    isValidatedByPeer = false
    unansweredSince = nil
    acceptedUntil = nil
    roundTrips = []
  }

  mutating func plan(at time: HostTime, isUrgent: Bool = false) {
    nextCheck = min(nextCheck ?? time, time)
    self.isUrgent = self.isUrgent || isUrgent
  }

  /// Returns whether the pair is preferable to another one. Both work.
  ///
  /// A clearly shorter round trip wins, and otherwise the rank.
  func isBetter(than other: CandidatePair) -> Bool {
    guard let own = roundTrip, let others = other.roundTrip else { return rank > other.rank }
    let margin = Duration.milliseconds(5)
    if own + margin + others / 4 < others { return true }
    if others + margin + own / 4 < own { return false }
    return rank > other.rank
  }
}

extension CandidatePair {
  /// Returns the rank of an address.
  ///
  /// - Parameter hosts: this machine's own addresses.
  static func rank(
    of address: SocketAddress, _ kind: PathCandidate.Kind?, near hosts: [SocketAddress]
  ) -> Int {
    let isNear = hosts.contains { $0.sharesPrefix(of: address.isIPv6 ? 64 : 24, with: address) }
    let base =
      switch kind {
      case .host where isNear: 90
      case nil where isNear: 80
      case .host where address.isPrivate || address.isLinkLocal: 20
      case .host: 70
      case .mapped: 60
      case .serverReflexive: 50
      case nil: 40
      }
    return base + (address.isIPv6 ? 5 : 0)
  }
}
