import GroupActivities
import Timekeeping

/// Starting together: the participants that count, their readiness, the publisher of the start, and its lead.
extension CoordinatorMachine {
  /// The others who take part in a start of the current item, by the reasons of the participant who asked for the
  /// group's state.
  var countingOthers: [Participant.ID] { countingOthers(in: groupState?.originator ?? me) }

  /// Returns the others who take part in a start of the current item.
  ///
  /// - Parameter starter: the participant who starts. Its reasons decide whether the start waits for a suspended
  ///   participant, whichever participant publishes the start.
  func countingOthers(in starter: Participant.ID) -> [Participant.ID] {
    guard isLinkUp else { return [] }
    let here = others.filter { $0.value.item == currentItem }
    let count = here.count + 1
    // A participant who is gone, or whose version doesn't report its reasons, is taken to have the same ones.
    let waitedOut =
      (starter == me ? nil : others[starter]?.waitedOut) ?? configuration.waitedOutReasons
    return here.filter { _, report in
      report.suspensions.allSatisfy { reason in
        waitedOut.contains { $0.reason == reason && count <= $0.limit ?? .max }
      }
    }.map(\.key)
  }

  /// The reasons or limits in ``configuration`` changed.
  mutating func waitedOutReasonsChanged(at now: GroupTime) -> [CoordinatorAction] {
    publish(announce: true) + settle(at: now)
  }

  /// A Boolean value that indicates whether this participant itself counts, because it follows the group's state.
  private var counts: Bool { suspensions.isEmpty && currentItem != nil }

  /// Returns whether a participant who counts can play as soon as the start is published.
  private func isSomebodyReady(for state: ItemState) -> Bool {
    counts && readyFor == state.stamp
      || countingOthers.contains { others[$0]?.readyFor == state.stamp }
  }

  /// Returns the participants that the group's start waits for, whichever participant may publish it.
  func unready(for state: ItemState) -> Set<Participant.ID> {
    // A start doesn't wait for a participant who kept the others waiting too often: that participant catches up.
    var missing = Set(
      countingOthers.filter {
        others[$0]?.readyFor != state.stamp
          && waitLog.count(of: $0, besides: state.stamp) < configuration.patience
      })
    if counts, readyFor != state.stamp { missing.insert(me) }
    return missing
  }

  /// The lead that a start needs for the slowest participant to receive it in time: the longest way to any participant,
  /// half a round trip to the reference from each end, and the latency of that participant's player.
  var lead: Duration { lead(\.startLatency, mine: latencies.start) ?? .zero }

  /// The lead that a change of rate needs, so that buffered media at the old rate is over by then. A participant who is
  /// alone, or suspended, allows only for its own latency.
  var rateChangeLead: Duration {
    lead(\.rateChangeLatency, mine: latencies.rateChange) ?? latencies.rateChange
  }

  /// - Returns: nil if no other participant has to be reached.
  private func lead(
    _ latency: KeyPath<ParticipantReport, Int64?>, mine own: Duration
  ) -> Duration? {
    let reached = countingOthers
    guard !isApart, !reached.isEmpty else { return nil }
    let mine = (distances.roundTrips[me] ?? .zero) / 2
    let slowest = reached.map { id in
      mine + (distances.roundTrips[id] ?? Self.unknownRoundTrip) / 2
        + ParticipantReport.usable(others[id]?[keyPath: latency])
    }
    let longest = max(slowest.max() ?? .zero, own)
    return min(Self.longestLead, max(Self.shortestLead, longest + configuration.leadMargin))
  }

  /// Returns the order in which participants publish a start if an earlier one is gone: first the reference, which is
  /// nearest to all participants, then the originator, then the others.
  private func succession(_ state: ItemState) -> [Participant.ID] {
    let candidates = Set(countingOthers + (trouble.hold.isHeld ? [] : [me])).filter(mayControl)
    var order: [Participant.ID] = []
    for id in [distances.reference, state.originator].compactMap({ $0 }) + candidates.sorted()
    where candidates.contains(id) && !order.contains(id) { order.append(id) }
    // Without data this participant starts the others only if none of them may.
    return trouble.hold.isHeld ? order + [me] : order
  }

  /// Returns the delay after the due date at which this participant publishes the start: zero for the first one in the
  /// succession; the others follow one after another, in case an earlier one is gone.
  func takeoverDelay(_ state: ItemState) -> Duration {
    guard mayControl(me) else { return Self.overdueWait }
    guard counts || trouble.hold.isHeld else { return .zero }
    let order = succession(state)
    return Self.takeoverStep * Double(order.firstIndex(of: me) ?? order.count)
  }

  /// Returns whether this participant publishes the start as soon as all participants are ready.
  private func leads(_ state: ItemState) -> Bool {
    (counts || trouble.hold.isHeld) && mayControl(me) && succession(state).first == me
  }

  mutating func startIfDue(at now: GroupTime) -> [CoordinatorAction] {
    guard let state, case .starting(let from, let due) = state.phase else { return [] }
    if !isApart {
      let isTime = mayControl(me) && now >= due + takeoverDelay(state)
      let isReady = isSomebodyReady(for: state)
      if isTime, !isReady {
        // The film would begin unseen.
        let due = now + configuration.startWait
        return continueChange(at: now) { $0.phase = .starting(from: from, due: due) }
      }
      if controllers != nil, now >= due + Self.overdueWait {
        // Participants who may not publish the start are playing already; one who may publishes it for late joiners.
        lapses.overdue = state.stamp
        guard mayControl(me) else { return follow(at: now) + updateWaiting(at: now) }
        // The state is in the form in which all follow it by now.
        return continueChange(at: now)
      }
      guard isTime || (leads(state) && isReady && unready(for: state).isEmpty) else { return [] }
    } else {
      guard readyFor == state.stamp || now >= due else { return [] }
    }
    let start = startPhase(from: from, immediately: true, at: now)
    return continueChange(at: now) { $0.phase = start }
  }

  mutating func updateWaiting(at now: GroupTime) -> [CoordinatorAction] {
    var waiting: WaitingForParticipants?
    if let state, !isApart, case .starting(_, let due) = state.phase {
      let missing = trouble.hold.isHeld ? unready(for: state).union(stalled) : unready(for: state)
      waiting = WaitingForParticipants(participants: missing, due: due)
    }
    // A participant that isn't ready itself isn't kept waiting by others.
    let awaited = waiting?.participants.contains(me) ?? true ? [] : waiting?.participants ?? []
    waitLog.waits(
      for: awaited, start: waiting == nil ? nil : state?.stamp,
      at: now, window: configuration.patienceWindow)
    guard waiting != reported.waiting else { return [] }
    reported.waiting = waiting
    return [.report(.waiting(waiting))]
  }

  mutating func timerFired(at now: GroupTime) -> [CoordinatorAction] {
    var actions: [CoordinatorAction] = []
    if let due = snapDeadline, now >= due {
      snapDeadline = nil
      lapses.frameless = state?.stamp
      actions += follow(at: now)
    }
    if let inFlight, !trouble.isRecovering, case .play = inFlight.directive.kind, let state,
      case .playing(let timeline) = state.phase,
      now >= max(timeline.groupTime, inFlight.issuedAt) + Self.recoveryGrace
    {
      actions += setRecovering(true)
    }
    waitLog.note(at: now)
    actions += holdIfUnwatched(at: now)
    actions += arriveIfCaughtUp(at: now) + endIfOver(at: now) + reportWait(at: now)
    return actions + startIfDue(at: now)
  }

  mutating func publish(announce: Bool) -> [CoordinatorAction] {
    // A participant who is apart is ready for its own line only: the others may not count on it for the group's start.
    var report = ParticipantReport(
      revision: reported.report?.revision ?? 0, item: currentItem,
      readyFor: isApart ? nil : readyFor,
      suspensions: Array(visibleReasons.prefix(ParticipantReport.suspensionLimit)),
      startLatency: ParticipantReport.milliseconds(latencies.start),
      rateChangeLatency: ParticipantReport.milliseconds(latencies.rateChange),
      syncError: measured.sync.map { $0.error.inNanoseconds / 1000 },
      syncUncertainty: measured.sync.map {
        min(max(0, $0.uncertainty.inNanoseconds / 1000), ParticipantReport.uncertaintyLimit)
      },
      loadedPercent: measured.loadedPercent.map { Int64($0) },
      waitedOut: configuration.waitedOutReasons,
      itemEnd: ownEnd.map { min(max(0, $0.nanoseconds / 1000), ParticipantReport.endLimit) },
      otherCopy: measured.isOtherCopy ? currentItem?.fnv1a : nil,
      state: groupState)
    guard report != reported.report else { return [] }
    let stamp = report.state?.stamp
    let isCommand = stamp?.participant == me && stamp != reported.report?.state?.stamp
    report.revision += 1
    reported.report = report
    return [.publish(report, isCommand ? .command : announce ? .news : .digest)]
  }
}
