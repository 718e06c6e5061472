import Concurrency
import Foundation
import GroupActivities
import Timekeeping

/// Carrying out the machine's actions, and passing events to the machine.
extension DelegatingPlaybackCoordinator {
  var reading: GroupClockReading {
    guard let group else { return .alone }
    return group.party.clock.reading ?? lastReading
  }

  var now: GroupTime { reading.groupTime(at: .now()) }

  func receive(_ update: Party.CoordinationUpdate) {
    guard group?.session == update.session else { return }
    if let digest = update.digest.flatMap({ try? ReportDigest(binary: $0) }) {
      note(update)
      perform(machine.received(digest, otherCopy: update.otherCopy, from: update.sender))
      return
    }
    guard let report = decode(update) else { return }
    note(update)
    perform(machine.received(report, from: update.sender, at: now))
  }

  /// Returns the report, without its state if the state's author didn't write it.
  ///
  /// The machine decides whether the author may control playback, because the rules may change before or after.
  func decode(_ update: Party.CoordinationUpdate) -> ParticipantReport? {
    guard let party = group?.party,
      let signed = try? SignedReport(binary: update.data)
    else { return nil }
    var report = signed.report
    guard let state = report.state else { return report }
    guard proofs.covers(state) || proofs.add(signed.proof, of: state, in: update.session, of: party)
    else {
      report.state = nil
      party.unauthorized.add(1, ordering: .relaxed)
      return report
    }
    if !machine.mayControl(state.stamp.participant) {
      party.unauthorized.add(1, ordering: .relaxed)
    }
    return report
  }

  func note(_ update: Party.CoordinationUpdate) {
    lastReading = reading
    machine.distances.roundTrips[update.sender] = update.roundTrip
    machine.distances.reference = update.reference
    machine.distances.roundTrips[machine.me] = lastReading.roundTrip
  }

  func rulesChanged(_ rules: PartyRules) {
    guard group != nil else { return }
    perform(machine.setControllers(rules.controllers, at: now))
  }

  func linkChanged(isUp: Bool) {
    guard group != nil else { return }
    perform(machine.setLinkUp(isUp, at: now))
  }

  func membersChanged(_ participants: [Participant]) {
    let others = Set(participants.map(\.id)).subtracting([machine.me])
    perform(machine.membersChanged(others, at: now))
  }

  func perform(_ actions: [CoordinatorAction]) {
    for action in actions {
      switch action {
      case .issue(let directive): issue(directive)
      case .cancelCommand:
        command?.cancel()
        command = nil
      case .publish(let report, let urgency): publish(report, urgency)
      case .report(let event): pass(on: event)
      }
    }
    schedule()
  }

  func publish(_ report: ParticipantReport, _ urgency: ReportUrgency) {
    guard let group else { return }
    defer {
      group.outbox.yield(
        .digest(Data(ReportDigest(report).binary), otherCopy: report.otherCopy))
    }
    guard urgency != .digest else { return }
    let signed = SignedReport(
      report: report,
      proof: report.state.flatMap { proofs.proof(of: $0, in: group.session, of: group.party) })
    group.outbox.yield(.report(Data(signed.binary), isCommand: urgency == .command))
  }

  func pass(on event: CoordinatorMachineEvent) {
    switch event {
    case .changed(var change):
      change.itemTime = interstitials.itemTime(ofContentTime: change.itemTime)
      eventContinuation.yield(.changed(change))
    case .settled: eventContinuation.yield(.settled)
    case .waiting(let waiting):
      let until = waiting.map { reading.hostTime(at: $0.due) }
      eventContinuation.yield(.waiting(for: waiting?.participants, until: until))
      delegate?.playbackCoordinator(
        self, isWaitingFor: waiting?.participants ?? [], until: until)
    case .suspensionsChanged: eventContinuation.yield(.suspensionReasonsChanged)
    case .replayEnded(let end): eventContinuation.yield(.replayEnded(end))
    case .waitsAtOwnEnd: eventContinuation.yield(.waitsAtOwnEnd)
    case .participantsChanged: eventContinuation.yield(.otherParticipantsChanged)
    }
  }

  func issue(_ directive: PlayerDirective) {
    command?.cancel()
    guard let delegate else { return }
    let reading = reading
    let interstitials = interstitials
    command = Task { [weak self] in
      guard let self, !Task.isCancelled else { return }
      let converted = directive.converted(
        by: interstitials, at: reading.groupTime(at: .now()))
      let result = await self.send(converted, to: delegate, reading)
      await self.commandEnded(directive.id, result)
    }
  }

  nonisolated func send(
    _ directive: PlayerDirective, to delegate: any PlaybackControlDelegate,
    _ reading: GroupClockReading
  ) async -> CommandResult {
    let (originator, item) = (directive.originator, directive.item)
    switch directive.kind {
    case .play(let rate, let itemTime, let groupTime):
      return await delegate.playbackCoordinator(
        self,
        didIssue: PlayCommand(
          originator: originator, expectedCurrentItemIdentifier: item, rate: rate,
          itemTime: itemTime, hostTime: reading.anchor(groupTime, at: .now())))
    case .pause:
      return await delegate.playbackCoordinator(
        self, didIssue: PauseCommand(originator: originator, expectedCurrentItemIdentifier: item))
    case .buffer(let rate, let due):
      return await delegate.playbackCoordinator(
        self,
        didIssue: BufferingCommand(
          originator: originator, expectedCurrentItemIdentifier: item,
          anticipatedPlaybackRate: rate, completionDueDate: reading.hostTime(at: due)))
    case .seek(let itemTime):
      return await delegate.playbackCoordinator(
        self,
        didIssue: SeekCommand(
          originator: originator, expectedCurrentItemIdentifier: item, itemTime: itemTime))
    case .seekAndBuffer(let itemTime, let rate, let due):
      return await delegate.playbackCoordinator(
        self,
        didIssue: SeekCommand(
          originator: originator, expectedCurrentItemIdentifier: item, itemTime: itemTime,
          shouldBufferInAnticipationOfPlayback: true, anticipatedPlaybackRate: rate,
          completionDueDate: reading.hostTime(at: due)))
    }
  }

  func commandEnded(_ id: UInt64, _ result: CommandResult) {
    var result = result
    if case .completed(let itemTime?) = result {
      result = .completed(itemTime: interstitials.contentTime(ofItemTime: itemTime))
    }
    perform(machine.commandEnded(id, result, at: now))
  }

  private func schedule() {
    let reading = reading
    // The deadline is in group time, so a new reading of the clock moves the alarm.
    alarm.perform(host.setAlarm(for: machine) { reading.hostTime(at: $0) }) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  private func alarmRang(_ number: Int) {
    guard let actions = host.alarmRang(number, for: &machine, at: now) else { return }
    perform(actions)
  }
}

extension PlayerDirective {
  /// Returns the directive with the group's content times converted to the player's item times.
  fileprivate func converted(
    by interstitials: InterstitialTimeRanges, at now: GroupTime
  ) -> PlayerDirective {
    var directive = self
    switch kind {
    case .play(let rate, let itemTime, let groupTime):
      // The line has a step at each range: another point before the range would be on another line.
      let passed = interstitials.ranges.isEmpty ? .zero : max(.zero, now - groupTime)
      directive.kind = .play(
        rate: rate, itemTime: interstitials.itemTime(ofContentTime: itemTime + passed * rate),
        groupTime: groupTime + passed)
    case .seek(let itemTime):
      directive.kind = .seek(interstitials.itemTime(ofContentTime: itemTime))
    case .seekAndBuffer(let itemTime, let rate, let due):
      directive.kind = .seekAndBuffer(
        interstitials.itemTime(ofContentTime: itemTime), rate: rate, due: due)
    case .pause, .buffer: break
    }
    return directive
  }
}
