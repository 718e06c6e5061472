import GroupActivities
import STUN
import Timekeeping

/// The opening of a path to one participant, and the path.
///
/// Without a chosen pair it checks all pairs in bursts: connecting. With one it keeps that pair alive: open. An open path
/// without answers returns to connecting.
struct PathPeer: Sendable {
  let id: Participant.ID
  let keys: PathKeys
  let isControlling: Bool
  /// The invitation's candidates as they came.
  private(set) var candidates: [PathCandidate] = []
  /// The pairs, the highest rank first.
  private(set) var pairs: [CandidatePair] = []
  /// The address to which datagrams go; nil while there is no path.
  private(set) var chosen: SocketAddress?
  /// This machine's address, as the participant saw it at its latest answer.
  private(set) var observed: SocketAddress?

  /// The number of bursts since the candidates changed or the path was lost.
  private var burstCount = 0
  private var nextBurst: HostTime?
  /// A Boolean value that indicates whether the other pairs are checked because the chosen one doesn't answer.
  private var isDoubtful = false
  /// The time of the latest datagram in either direction.
  private var activeAt: HostTime?
  /// The round trip of the open path that was reported last.
  private var reportedRoundTrip = Duration.zero
  /// The time when the question of the latest confirmation was sent.
  private var confirmedFrom: HostTime?
  private var checks: RateAllowance
  private var answers: RateAllowance
  private var triggers: RateAllowance

  init(_ invitation: PathInvitation, at now: HostTime) {
    id = invitation.peer
    keys = PathKeys(secret: invitation.key, isControlling: invitation.isControlling)
    isControlling = invitation.isControlling
    checks = RateAllowance(
      perSecond: PathTiming.participantAllowance.perSecond,
      burst: Double(PathTiming.participantAllowance.burst), at: now)
    answers = RateAllowance(
      perSecond: PathTiming.answerAllowance.perSecond,
      burst: Double(PathTiming.answerAllowance.burst), at: now)
    triggers = RateAllowance(
      perSecond: PathTiming.triggerAllowance.perSecond,
      burst: Double(PathTiming.triggerAllowance.burst), at: now)
  }

  private func index(of remote: SocketAddress) -> Int? {
    pairs.firstIndex { $0.remote == remote }
  }

  private var chosenIndex: Int? { chosen.flatMap { index(of: $0) } }

  // MARK: Candidates

  /// Takes the participant's candidates, or those that remain after a change of this machine's own addresses.
  ///
  /// - Parameters:
  ///   - usable: the addresses to which this machine may send, in the invitation's order.
  ///   - hosts: this machine's own addresses.
  mutating func setCandidates(
    _ candidates: [PathCandidate], usable: [(SocketAddress, PathCandidate.Kind)],
    near hosts: [SocketAddress], at now: HostTime
  ) {
    self.candidates = candidates
    // A pair that works stays, even if no candidate names it.
    pairs.removeAll { pair in
      pair.remote != chosen && !pair.isAccepted(at: now)
        && !usable.contains { $0.0 == pair.remote }
    }
    for (remote, kind) in usable {
      if let known = index(of: remote) {
        pairs[known].kind = pairs[known].kind ?? kind
      } else {
        pairs.append(CandidatePair(remote, kind, rank: 0))
      }
    }
    for index in pairs.indices {
      pairs[index].rank = CandidatePair.rank(
        of: pairs[index].remote, pairs[index].kind, near: hosts)
    }
    sort()
    checkAll(at: now)
  }

  private mutating func sort() { pairs.sort { $0.rank > $1.rank } }

  /// Begins the bursts again, or checks the chosen pair and those that may be better.
  mutating func checkAll(at now: HostTime) {
    burstCount = 0
    beginBurst(at: now)
    if let chosenIndex { pairs[chosenIndex].plan(at: now, isUrgent: true) }
  }

  private mutating func beginBurst(at now: HostTime) {
    if chosen == nil {
      let pause = PathTiming.pauses[min(burstCount, PathTiming.pauses.count - 1)]
      nextBurst = now + PathTiming.burst + pause
      burstCount += 1
    }
    for index in pairs.indices where pairs[index].remote != chosen {
      pairs[index].attempts = 0
      pairs[index].plan(at: now)
    }
  }

  // MARK: Time

  /// The time of the next call of ``timePassed(at:)``; checks aside.
  var nextDeadline: HostTime? {
    guard let index = chosenIndex else { return nextBurst }
    return pairs[index].unansweredSince.map {
      $0 + (isDoubtful ? PathTiming.loss : PathTiming.doubt)
    }
  }

  enum Change: Hashable, Sendable { case none, doubtful, lost }

  /// Begins a burst that is due, and notices a path that doesn't answer.
  mutating func timePassed(at now: HostTime) -> Change {
    guard let index = chosenIndex else {
      if let nextBurst, nextBurst <= now { beginBurst(at: now) }
      return .none
    }
    guard let since = pairs[index].unansweredSince else { return .none }
    if now >= since + PathTiming.loss {
      chosen = nil
      isDoubtful = false
      confirmedFrom = nil
      pairs[index].reset()
      checkAll(at: now)
      return .lost
    }
    guard !isDoubtful, now >= since + PathTiming.doubt else { return .none }
    isDoubtful = true
    beginBurst(at: now)
    return .doubtful
  }

  /// The pair whose check is the most urgent one; nil if none is due.
  func dueCheck(at now: HostTime) -> (index: Int, isUrgent: Bool, due: HostTime)? {
    var found: (index: Int, isUrgent: Bool, due: HostTime)?
    for (index, pair) in pairs.enumerated() {
      guard let due = pair.nextCheck, due <= now else { continue }
      if let found, found.isUrgent == pair.isUrgent ? found.due <= due : found.isUrgent { continue }
      found = (index, pair.isUrgent, due)
    }
    return found
  }

  var nextCheck: HostTime? { pairs.lazy.compactMap(\.nextCheck).min() }

  /// - Returns: false if the participant's addresses that never answered have had enough checks.
  mutating func spendCheck(at now: HostTime) -> Bool { checks.spend(at: now) }

  /// Makes the check of a pair.
  mutating func makeCheck(
    _ index: Int, transaction: UInt64, at now: HostTime
  ) -> [UInt8] {
    pairs[index].checkSent(transaction, at: now)
    planNextCheck(index, at: now)
    let isNomination = isControlling && chosen == pairs[index].remote
    return CheckPacket(
      isNomination ? .nomination : .request,
      isValidated: accepts(from: pairs[index].remote, at: now), transaction: transaction
    ).bytes(keys.outgoing)
  }

  /// Plans as if a check had been sent that wasn't allowed.
  mutating func skipCheck(_ index: Int, at now: HostTime) {
    pairs[index].isUrgent = false
    planNextCheck(index, at: now)
  }

  private mutating func planNextCheck(_ index: Int, at now: HostTime) {
    let pair = pairs[index]
    let roundTrip = pair.roundTrip ?? .zero
    if pair.additionalChecks > 0 {
      pairs[index].additionalChecks -= 1
      pairs[index].nextCheck = now + max(PathTiming.additionalInterval, roundTrip / 2)
    } else if pair.remote == chosen {
      pairs[index].nextCheck = now + max(PathTiming.doubtfulInterval, roundTrip * 1.5)
    } else if chosen == nil, let first = pair.firstAnsweredAt, pair.isValidated(at: now),
      now - first < PathTiming.waitingTime
    {
      pairs[index].nextCheck = now + PathTiming.waitingInterval
    } else if pair.attempts < PathTiming.backOff.count, !pair.isValidated(at: now) {
      pairs[index].nextCheck = now + PathTiming.backOff[pair.attempts]
      pairs[index].attempts += 1
    } else {
      pairs[index].nextCheck = nil
    }
  }

  // MARK: Questions

  /// Answers a question, and plans a check of the address from which it came.
  ///
  /// - Parameter mayAdd: a Boolean value that indicates whether this machine may send to the address at all.
  /// - Returns: the answer; nil if there were too many questions.
  mutating func requestReceived(
    _ request: CheckPacket, from remote: SocketAddress, mayAdd: Bool, near hosts: [SocketAddress],
    at now: HostTime
  ) -> [UInt8]? {
    guard mayAdd, answers.spend(at: now) else { return nil }
    let isConfirmed = isControlling && chosen == remote
    trigger(request, from: remote, near: hosts, at: now)
    return CheckPacket(
      isConfirmed ? .confirmation : .response, isValidated: accepts(from: remote, at: now),
      transaction: request.transaction, observed: remote
    ).bytes(keys.outgoing)
  }

  /// A question may be an old one that was sent again, from any address. So it changes nothing, but makes this end
  /// ask.
  private mutating func trigger(
    _ request: CheckPacket, from remote: SocketAddress, near hosts: [SocketAddress],
    at now: HostTime
  ) {
    guard let index = index(of: remote) else {
      guard triggers.spend(at: now) else { return }
      var pair = CandidatePair(
        remote, nil, rank: CandidatePair.rank(of: remote, nil, near: hosts))
      pair.plan(at: now, isUrgent: true)
      forgetReflexive(at: now)
      pairs.append(pair)
      return sort()
    }
    let pair = pairs[index]
    if let last = pair.lastCheck, now - last < PathTiming.triggerInterval { return }
    let isValidated = pair.isValidated(at: now)
    let isNews =
      !isValidated || request.kind == .nomination && chosen != remote
      || isControlling && request.isValidated && !pair.isValidatedByPeer
    guard isNews, isValidated || triggers.spend(at: now) else { return }
    pairs[index].plan(at: now, isUrgent: true)
  }

  /// Makes room for one more address that only packets name.
  private mutating func forgetReflexive(at now: HostTime) {
    let reflexive = pairs.indices.filter { pairs[$0].kind == nil }
    guard reflexive.count >= PathTiming.reflexiveLimit else { return }
    let oldest = reflexive.filter { pairs[$0].remote != chosen }.min {
      (pairs[$0].answeredAt ?? pairs[$0].lastCheck)?.nanoseconds ?? 0
        < (pairs[$1].answeredAt ?? pairs[$1].lastCheck)?.nanoseconds ?? 0
    }
    if let oldest { pairs.remove(at: oldest) }
  }

  // MARK: Answers

  /// Takes an answer to a check of this end.
  ///
  /// - Returns: true if the path is open now or leads elsewhere.
  mutating func answerReceived(
    _ answer: CheckPacket, from remote: SocketAddress, at now: HostTime
  ) -> Bool {
    guard let index = index(of: remote),
      let sent = pairs[index].answerReceived(answer.transaction, at: now)
    else { return false }
    let isFirst = remote != chosen && !pairs[index].isValidated(at: now)
    pairs[index].validated(isFirst: isFirst, byPeer: answer.isValidated, sent: sent, at: now)
    // The controlled end's path works only as long as the controlling end confirms it.
    if isControlling || remote != chosen || answer.kind == .confirmation {
      pairs[index].confirmed()
      if remote == chosen { isDoubtful = false }
    }
    if remote == chosen || chosen == nil { observed = answer.observed }
    let hasChanged =
      isControlling
      ? chooseBest(at: now) : follow(answer, index, sent: sent)
    if hasChanged {
      pathChosen(at: now)
    } else if remote == chosen {
      if pairs[index].unansweredSince == nil { planKeepAlive(index, at: now) }
    } else if isFirst {
      pairs[index].nextCheck = nil
      pairs[index].plan(at: now + PathTiming.additionalInterval)
    }
    return hasChanged
  }

  /// Chooses a pair that works both ways, as the controlling end.
  private mutating func chooseBest(at now: HostTime) -> Bool {
    let current = chosenIndex.map { pairs[$0] }
    var best: CandidatePair?
    for pair in pairs where pair.isAnswering(at: now) && pair.isValidatedByPeer {
      // While the chosen pair doesn't answer, only later answers count.
      if let since = current?.unansweredSince, isDoubtful, pair.answeredAt ?? since <= since {
        continue
      }
      if best.map({ pair.isBetter(than: $0) }) ?? true { best = pair }
    }
    guard let best, best.remote != chosen else { return false }
    if let current, !isDoubtful, !best.isBetter(than: current) { return false }
    chosen = best.remote
    return true
  }

  /// Follows the controlling end.
  private mutating func follow(_ answer: CheckPacket, _ index: Int, sent: HostTime) -> Bool {
    guard answer.kind == .confirmation else { return false }
    // A later question's answer is newer.
    if let confirmedFrom, sent < confirmedFrom { return false }
    confirmedFrom = sent
    guard chosen != pairs[index].remote else { return false }
    chosen = pairs[index].remote
    return true
  }

  private mutating func pathChosen(at now: HostTime) {
    isDoubtful = false
    nextBurst = nil
    burstCount = 0
    guard let chosenIndex else { return }
    pairs[chosenIndex].confirmed()
    pairs[chosenIndex].additionalChecks = isControlling ? PathTiming.additionalChecks : 0
    for index in pairs.indices where index != chosenIndex {
      if pairs[index].isAccepted(at: now) {
        pairs[index].acceptedUntil = now + PathTiming.acceptance
      }
      // Worse addresses needn't be tried any more.
      if pairs[index].rank < pairs[chosenIndex].rank { pairs[index].nextCheck = nil }
    }
    // A nomination, or a keep-alive.
    if isControlling {
      pairs[chosenIndex].plan(at: now, isUrgent: true)
    } else {
      planKeepAlive(chosenIndex, at: now)
    }
  }

  private mutating func planKeepAlive(_ index: Int, at now: HostTime) {
    let isActive = activeAt.map { now - $0 <= PathTiming.activity } ?? false
    let interval = isActive ? PathTiming.activeKeepAlive : PathTiming.keepAlive
    pairs[index].nextCheck =
      now
      + (pairs[index].additionalChecks > 0
        ? max(PathTiming.additionalInterval, (pairs[index].roundTrip ?? .zero) / 2) : interval)
  }

  // MARK: Datagrams

  /// Notes that a datagram is sent or arrived: the path is watched more closely.
  mutating func datagramPassed(at now: HostTime) {
    let wasActive = activeAt.map { now - $0 <= PathTiming.activity } ?? false
    activeAt = now
    guard !wasActive, let chosenIndex else { return }
    let answered = pairs[chosenIndex].answeredAt ?? now
    pairs[chosenIndex].plan(at: max(now, answered + PathTiming.activeKeepAlive))
  }

  /// Returns whether a datagram from an address is accepted.
  func accepts(from remote: SocketAddress, at now: HostTime) -> Bool {
    remote == chosen || index(of: remote).map { pairs[$0].isAccepted(at: now) } ?? false
  }

  /// Returns the open path if users should see it: when it is new, and when its round trip is another.
  ///
  /// - Parameter hasChanged: a Boolean value that indicates whether the path is open now or leads elsewhere.
  mutating func pathToReport(hasChanged: Bool) -> OpenPath? {
    guard let pair = chosenIndex.map({ pairs[$0] }) else { return nil }
    let roundTrip = pair.roundTrip ?? .zero
    let difference = (roundTrip - reportedRoundTrip).magnitude
    guard hasChanged || difference > max(PathTiming.roundTripChange, reportedRoundTrip / 4) else {
      return nil
    }
    reportedRoundTrip = roundTrip
    return OpenPath(remote: pair.remote.description, roundTrip: roundTrip)
  }
}
