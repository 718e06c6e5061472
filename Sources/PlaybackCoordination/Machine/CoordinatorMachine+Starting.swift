import GroupActivities
import Timekeeping

/// Starting together: who counts, who is ready, who publishes the start, and how far ahead it lies.
extension CoordinatorMachine {
  /// The others who take part in a start of the current item.
  var countingOthers: [Participant.ID] {
    let here = others.filter { $0.value.item == currentItem }
    let count = here.count + 1
    return here.filter { $0.value.suspensions.allSatisfy { isWaitedOut($0, participants: count) } }
      .map(\.key)
  }

  private func isWaitedOut(
    _ reason: CoordinatedPlaybackSuspension.Reason, participants: Int
  ) -> Bool {
    configuration.suspensionReasonsThatTriggerWaiting.contains(reason)
      && participants <= configuration.participantLimits[reason] ?? .max
  }

  /// Whether this participant itself counts: it follows the group's state.
  private var counts: Bool { suspensions.isEmpty && currentItem != nil }

  /// For whom the group's start waits, whoever may publish it.
  func unready(for state: ItemState) -> Set<Participant.ID> {
    // Whoever kept the others waiting too often is not waited for: it catches up.
    var missing = Set(
      countingOthers.filter {
        others[$0]?.readyFor != state.stamp
          && waitLog.count(of: $0, besides: state.stamp) < configuration.patience
      })
    if counts, readyFor != state.stamp { missing.insert(me) }
    return missing
  }

  /// How far ahead a start, or a change of rate, has to lie for the slowest to hear of it in time:
  /// the longest way to anybody, half a round trip to the reference from each end.
  var lead: Duration {
    let reached = countingOthers
    guard suspensions.isEmpty, !reached.isEmpty else { return .zero }
    let slowest = reached.map { roundTrips[$0] ?? .milliseconds(50) }.max() ?? .zero
    let way = (slowest + (roundTrips[me] ?? .zero)) / 2
    return min(Self.longestLead, max(Self.shortestLead, way * 1.5 + configuration.leadMargin))
  }

  /// Zero for the one who is to publish the start at the due date; the others follow one after
  /// another, should that one be gone.
  func takeoverDelay(_ state: ItemState) -> Duration {
    guard mayControl(me) else { return Self.overdueWait }
    guard counts, state.originator != me else { return .zero }
    let candidates = (countingOthers + [me])
      .filter { $0 != state.originator && mayControl($0) }.sorted()
    let rank = candidates.firstIndex(of: me) ?? candidates.count
    return Self.takeoverStep * Double(rank + 1)
  }

  /// Whether this participant publishes the start as soon as all are ready.
  private func leads(_ state: ItemState) -> Bool {
    guard counts, mayControl(me) else { return false }
    if state.originator == me { return true }
    guard !countingOthers.contains(state.originator) else { return false }
    return !countingOthers.contains { $0 < me && mayControl($0) }
  }

  mutating func startIfDue(at now: GroupTime) -> [CoordinatorAction] {
    guard let state, case .starting(let from, let due) = state.phase else { return [] }
    if suspensions.isEmpty {
      if controllers != nil, now >= due + Self.overdueWait {
        // Those who may not start it run already; who may says so for whoever comes later.
        overdue = state.stamp
        guard mayControl(me), let phase = self.state?.phase else {
          return follow(at: now) + updateWaiting(at: now)
        }
        return change(state.change, originator: state.originator, at: now) { $0.phase = phase }
      }
      let isTime = mayControl(me) && now >= due + takeoverDelay(state)
      guard isTime || (leads(state) && unready(for: state).isEmpty) else { return [] }
    } else {
      guard readyFor == state.stamp || now >= due else { return [] }
    }
    let start = startPhase(from: from, immediately: true, at: now)
    return change(state.change, originator: state.originator, at: now) { $0.phase = start }
  }

  mutating func updateWaiting(at now: GroupTime) -> [CoordinatorAction] {
    var waiting: WaitingForParticipants?
    if let state, suspensions.isEmpty, case .starting(_, let due) = state.phase {
      waiting = WaitingForParticipants(participants: unready(for: state), due: due)
    }
    waitLog.waits(
      for: waiting?.participants.subtracting([me]) ?? [],
      start: waiting == nil ? nil : state?.stamp,
      at: now, window: configuration.patienceWindow)
    guard waiting != lastWaiting else { return [] }
    lastWaiting = waiting
    return [.report(.waiting(waiting))]
  }

  mutating func timerFired(at now: GroupTime) -> [CoordinatorAction] {
    var actions: [CoordinatorAction] = []
    if let due = snapDeadline, now >= due {
      snapDeadline = nil
      frameless = state?.stamp
      actions += follow(at: now)
    }
    if let inFlight, !isRecovering, case .play = inFlight.directive.kind, let state,
      case .playing(let timeline) = state.phase,
      now >= max(timeline.groupTime, inFlight.issuedAt) + Self.recoveryGrace
    {
      actions += setRecovering(true)
    }
    waitLog.note(at: now)
    actions += arriveIfCaughtUp(at: now)
    return actions + startIfDue(at: now)
  }

  mutating func publish(announce: Bool) -> [CoordinatorAction] {
    var report = ParticipantReport(
      revision: lastReport?.revision ?? 0, item: currentItem, readyFor: readyFor,
      suspensions: Array(visibleReasons.prefix(ParticipantReport.suspensionLimit)),
      syncError: sync.map { $0.error.inNanoseconds / 1000 },
      syncUncertainty: sync.map {
        min(max(0, $0.uncertainty.inNanoseconds / 1000), ParticipantReport.uncertaintyLimit)
      },
      state: groupState)
    guard report != lastReport else { return [] }
    report.revision += 1
    lastReport = report
    return [.publish(report, announce: announce)]
  }
}
