import Foundation
import GroupActivities
import Timekeeping

/// Routes every transport command through the group before a player sees it.
///
/// The user interface calls the coordinator, never the player. Alone or in a group the path is the
/// same: the coordinator decides, and commands the player through its delegate.
///
/// Mirrors `AVDelegatingPlaybackCoordinator`.
public actor DelegatingPlaybackCoordinator {
  /// For one consumer. Bounded: a consumer that is hundreds behind loses the oldest.
  public nonisolated let events: AsyncStream<CoordinatorEvent>

  private weak var delegate: (any PlaybackControlDelegate)?
  private var machine: CoordinatorMachine
  private let eventContinuation: AsyncStream<CoordinatorEvent>.Continuation

  private var group: GroupMembership?
  /// The relation of group time and host time that was last known; alone they are the same.
  private var lastReading = GroupClockReading.alone
  private var command: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var timerDeadline: GroupTime?
  /// By item: whose word the state is, for passing it on.
  private var proofs: [String: (stamp: Stamp, proof: Data)] = [:]
  private var suspensionDates: [UInt64: CoordinatedPlaybackSuspension] = [:]

  /// What ties the coordinator to one session.
  private struct GroupMembership {
    var party: Party
    var session: GroupSessionID
    /// Carries what is published to the party, in order.
    var outbox: AsyncStream<(Data, Bool)>.Continuation
    var tasks: [Task<Void, Never>]
  }

  public init(playbackControlDelegate: any PlaybackControlDelegate) {
    delegate = playbackControlDelegate
    // Nobody sees this id: on joining a session the machine takes the party's.
    machine = CoordinatorMachine(me: Participant.ID(high: 0, low: 0))
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(512))
  }

  // MARK: - Sessions

  /// Coordinates with the others in a session from now on, until it is over for this participant.
  ///
  /// The group's state for the current item wins, if the group has one; else this player's place and
  /// rate become the group's. Mirrors `coordinateWithSession(_:)`.
  /// - Throws: ``CoordinationError/alreadyCoordinating``.
  public func coordinateWithSession<A: GroupActivity>(
    _ session: GroupSession<A>
  ) async throws(CoordinationError) {
    let (party, id) = (session.party, session.id)
    if let group, group.session == id { throw .alreadyCoordinating }
    let (incoming, inbox) = AsyncStream.makeStream(
      of: Party.CoordinationUpdate.self, bufferingPolicy: .bufferingNewest(1024))
    let (newRules, rulesInbox) = AsyncStream.makeStream(
      of: PartyRules.self, bufferingPolicy: .bufferingNewest(16))
    let (rules, known) = await party.beginCoordination(
      session: id,
      handler: Party.CoordinationHandler {
        inbox.yield($0)
      } rulesChanged: {
        rulesInbox.yield($0)
      })
    // From here to the machine's joining nothing may come between: its times change with the group.
    let old = group
    if let old {
      guard old.session != id else { throw .alreadyCoordinating }
      leave(old, .replaced(by: session.initiator))
    }
    let (outgoing, outbox) = AsyncStream.makeStream(
      of: (Data, Bool).self, bufferingPolicy: .bufferingNewest(256))
    group = GroupMembership(party: party, session: id, outbox: outbox, tasks: [])
    proofs = [:]
    let shift = reading.offset - lastReading.offset
    lastReading = reading
    // Before the reports are read: they say whose word counts.
    machine.controllers = rules.controllers
    var reports: [Participant.ID: ParticipantReport] = [:]
    for update in known { reports[update.sender] = decode(update) }
    perform(machine.join(as: party.localID, shift: shift, reports: reports, at: now))
    perform(machine.setControllers(rules.controllers, at: now))
    for update in known { note(update) }

    group?.tasks = [
      Task {
        for await (data, announce) in outgoing {
          await party.setCoordination(data, session: id, announce: announce)
        }
      },
      Task { [weak self] in
        for await update in incoming { await self?.receive(update) }
      },
      Task { [weak self] in
        for await rules in newRules { await self?.rulesChanged(rules) }
      },
      Task { [weak self] in
        for await participants in session.activeParticipantsUpdates {
          await self?.membersChanged(participants)
        }
      },
      Task { [weak self] in
        for await case .invalidated(let reason) in session.states {
          await self?.sessionEnded(id, reason)
        }
      },
    ]
    if let old { await old.party.endCoordination(session: old.session) }
  }

  private func sessionEnded(_ id: GroupSessionID, _ reason: InvalidationReason) async {
    guard let group, group.session == id else { return }
    leave(group, reason)
    await group.party.endCoordination(session: id)
  }

  private func leave(_ group: GroupMembership, _ reason: InvalidationReason) {
    self.group = nil
    group.outbox.finish()
    for task in group.tasks { task.cancel() }
    let shift = .zero - lastReading.offset
    lastReading = .alone
    perform(machine.leaveGroup(shift: shift, at: now))
    eventContinuation.yield(.sessionEnded(reason))
  }

  // MARK: - Commands

  /// Plays at `rate`, or pauses at 0, with everybody.
  ///
  /// - Parameters:
  ///   - rate: 0, or 0.01 to 100.
  ///   - options: whether to wait until everybody is ready.
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/rateOutOfRange(_:)``.
  ///
  /// Mirrors `coordinateRateChange(to:options:)`.
  public func coordinateRateChange(
    to rate: Double, options: RateChangeOptions = []
  ) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    guard rate == 0 || CoordinatorMachine.rates.contains(rate) else { throw .rateOutOfRange(rate) }
    try requirePermission()
    perform(
      machine.coordinateRateChange(
        to: rate, immediately: options.contains(.playImmediately), at: now))
  }

  /// Sets the rate for everybody without starting a paused item.
  ///
  /// What `defaultRate` is to `AVPlayer`, for the group.
  public func coordinateDefaultRateChange(to rate: Double) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    guard CoordinatorMachine.rates.contains(rate) else { throw .rateOutOfRange(rate) }
    try requirePermission()
    perform(machine.coordinateDefaultRateChange(to: rate, at: now))
  }

  /// Moves the group to a new place in the item; while playing, all resume together from there.
  ///
  /// - Parameter itemTime: media time from the item's start; a negative one means the start.
  /// - Throws: ``CoordinationError/noCurrentItem``.
  ///
  /// Mirrors `coordinateSeek(to:options:)`.
  public func coordinateSeek(
    to itemTime: MediaTime, options: SeekOptions = []
  ) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    try requirePermission()
    perform(
      machine.coordinateSeek(
        to: itemTime, resumeImmediately: options.contains(.resumeImmediately), at: now))
  }

  /// Tells the coordinator which item the player has, or is about to load.
  ///
  /// If the group has a state for that item it wins; else `timing` becomes the group's.
  /// - Parameters:
  ///   - identifier: the same for everybody who has the same film; nil for no item.
  ///   - timing: nil for paused at the start.
  ///   - playerIsReady: false while the player is still loading: a start then waits for this
  ///     participant, and the player gets its commands with ``playerDidBecomeReady()``.
  ///
  /// Mirrors `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)`.
  public func transitionToItem(
    withIdentifier identifier: String?, proposing timing: PlaybackTiming? = nil,
    playerIsReady: Bool = true
  ) throws(CoordinationError) {
    if let identifier, identifier.utf8.count > ItemState.identifierLimit {
      throw .identifierTooLong
    }
    perform(
      machine.transition(
        to: identifier, proposing: timing, isPlayerReady: playerIsReady, at: now))
  }

  /// The player has loaded the current item, or can be commanded again after it failed.
  public func playerDidBecomeReady() {
    perform(machine.playerBecameReady(at: now))
  }

  /// The player came to the end of the current item by playing.
  public func playerDidReachEnd(at itemTime: MediaTime) {
    perform(machine.playerReachedEnd(at: itemTime, now: now))
  }

  /// Brings a player that strayed back to where the group is.
  public func reapplyCurrentItemStateToPlaybackControlDelegate() {
    perform(machine.reapply(at: now))
  }

  /// Reports how far the player is ahead of where it should be, so that the others see it.
  ///
  /// - Parameter error: nil while it isn't playing.
  public func reportSyncError(_ error: Duration?) {
    perform(machine.setSyncError(error))
  }

  // MARK: - Suspensions

  /// Separates this participant from the group until ``end(_:proposingNewTime:)``. Suspensions nest.
  ///
  /// Mirrors `beginSuspension(for:)`.
  @discardableResult
  public func beginSuspension(
    for reason: CoordinatedPlaybackSuspension.Reason
  ) -> CoordinatedPlaybackSuspension {
    let cleaned = PartyText.clean(reason.rawValue, limit: 32)
    let (id, actions) = machine.beginSuspension(
      for: .init(rawValue: cleaned.isEmpty ? "unknown" : cleaned), at: now)
    let suspension = CoordinatedPlaybackSuspension(id: id, reason: reason, beginDate: .now())
    suspensionDates[id] = suspension
    perform(actions)
    return suspension
  }

  /// Ends a suspension. With the last one this participant goes to where the group is, or, with
  /// `newTime`, the group comes to it.
  ///
  /// Mirrors `end()` and `end(proposingNewTime:)` of `AVCoordinatedPlaybackSuspension`.
  public func end(
    _ suspension: CoordinatedPlaybackSuspension, proposingNewTime newTime: MediaTime? = nil
  ) {
    suspensionDates[suspension.id] = nil
    perform(machine.endSuspension(suspension.id, proposingNewTime: newTime, at: now))
  }

  /// Ends all suspensions that ``beginSuspension(for:)`` began.
  public func endAllSuspensions() {
    for id in suspensionDates.keys.sorted() {
      perform(machine.endSuspension(id, at: now))
    }
    suspensionDates = [:]
    if let replay = machine.catchingUp { perform(machine.endSuspension(replay, at: now)) }
  }

  /// Replays the last ten seconds for this participant alone, at twice the rate, until it has caught
  /// up with the group.
  public func whatHappened() {
    perform(machine.whatHappened(at: now))
  }

  // MARK: - What is known

  public var currentItemIdentifier: String? { machine.currentItem }

  /// Where this participant's player should be at a host time; nil without an item.
  ///
  /// Mirrors `expectedItemTime(atHostTime:)`.
  public func expectedItemTime(atHostTime time: HostTime) -> MediaTime? {
    machine.state?.itemTime(at: reading.groupTime(at: time))
  }

  /// The line that the player should be on; nil unless playing, or before it begins.
  public func expectedLine() -> (itemTime: MediaTime, hostTime: HostTime, rate: Double)? {
    guard let state = machine.state, case .playing(let timeline) = state.phase,
      timeline.groupTime <= now
    else { return nil }
    return (timeline.itemTime, reading.hostTime(at: timeline.groupTime), state.rate)
  }

  public var otherParticipants: [CoordinatedPlaybackParticipant] { snapshot().otherParticipants }

  public func snapshot() -> CoordinatorSnapshot {
    let state = machine.state
    let waitingFor = machine.lastWaiting
    let status: CoordinatorSnapshot.Status =
      switch state?.phase {
      case nil: .noItem
      case .paused: .paused
      case .playing: .playing
      case .starting(_, let due):
        .waiting(for: waitingFor?.participants ?? [], until: reading.hostTime(at: due))
      }
    let proposal = machine.groupState.flatMap { state -> Stamp? in
      if case .starting = state.phase { state.stamp } else { nil }
    }
    return CoordinatorSnapshot(
      currentItemIdentifier: machine.currentItem, status: status, rate: state?.rate ?? 1,
      itemTime: state?.itemTime(at: now), suspensionReasons: machine.visibleReasons,
      otherParticipants: machine.others.sorted { $0.key < $1.key }.map { id, report in
        CoordinatedPlaybackParticipant(
          id: id, isReadyToPlay: proposal == nil || report.readyFor == proposal,
          suspensionReasons: report.suspensions, currentItemIdentifier: report.item,
          syncError: report.syncError.map { .microseconds($0) })
      })
  }

  /// Whether a pause takes everybody to the frame on which its originator paused. True by default.
  public var pauseSnapsToMediaTimeOfOriginator: Bool {
    get { machine.configuration.pauseSnapsToMediaTimeOfOriginator }
    set { machine.configuration.pauseSnapsToMediaTimeOfOriginator = newValue }
  }

  /// How long a start waits for those who aren't ready: more than zero, at most a minute.
  public func setStartWait(_ wait: Duration) {
    precondition(wait > .zero && wait <= CoordinatorMachine.longestWait, "a wait of \(wait)")
    machine.configuration.startWait = wait
  }

  /// Whether this participant's commands move the group; always, while it is apart from it or alone.
  public var mayControl: Bool { !machine.suspensions.isEmpty || machine.mayControl(machine.me) }

  private func requirePermission() throws(CoordinationError) {
    guard mayControl else { throw .notPermitted }
  }

  // MARK: - The shell

  private var reading: GroupClockReading {
    guard let group else { return .alone }
    return group.party.clock.reading ?? lastReading
  }

  private var now: GroupTime { reading.groupTime(at: .now()) }

  private func receive(_ update: Party.CoordinationUpdate) {
    guard group?.session == update.session, let report = decode(update) else { return }
    note(update)
    perform(machine.received(report, from: update.sender, at: now))
  }

  /// The report, without a state that its author may not have written, or hasn't.
  private func decode(_ update: Party.CoordinationUpdate) -> ParticipantReport? {
    guard let group, let signed = try? JSONDecoder().decode(SignedReport.self, from: update.data)
    else { return nil }
    var report = signed.report
    guard let state = report.state, proofs[state.item]?.stamp != state.stamp else { return report }
    let author = state.stamp.participant
    guard machine.mayControl(author), let proof = signed.proof,
      group.party.isProven(state.provenBytes, by: author, proof)
    else {
      report.state = nil
      group.party.unauthorized.add(1, ordering: .relaxed)
      return report
    }
    proofs[state.item] = (state.stamp, proof)
    return report
  }

  private func note(_ update: Party.CoordinationUpdate) {
    lastReading = reading
    machine.roundTrips[update.sender] = update.roundTrip
    machine.roundTrips[machine.me] = lastReading.roundTrip
  }

  private func rulesChanged(_ rules: PartyRules) {
    guard let group else { return }
    perform(machine.setControllers(rules.controllers, at: now))
    // Whoever decides from now on stands for what was decided before: a newcomer doesn't take it from
    // somebody who may no longer control.
    if rules.host == group.party.localID { perform(machine.claim(at: now)) }
  }

  private func membersChanged(_ participants: [Participant]) {
    let others = Set(participants.map(\.id)).subtracting([machine.me])
    perform(machine.membersChanged(others, at: now))
  }

  private func perform(_ actions: [CoordinatorAction]) {
    for action in actions {
      switch action {
      case .issue(let directive): issue(directive)
      case .cancelCommand:
        command?.cancel()
        command = nil
      case .publish(let report, let announce): publish(report, announce: announce)
      case .report(let event): pass(on: event)
      }
    }
    schedule()
  }

  private func publish(_ report: ParticipantReport, announce: Bool) {
    guard let group else { return }
    var proof: Data?
    if let state = report.state {
      if state.stamp.participant == machine.me, proofs[state.item]?.stamp != state.stamp {
        proofs[state.item] = (state.stamp, group.party.proof(of: state.provenBytes))
      }
      proof = proofs[state.item]?.proof
    }
    do {
      let signed = SignedReport(report: report, proof: proof)
      group.outbox.yield((try JSONEncoder().encode(signed), announce))
    } catch {
      preconditionFailure("a report of ours can't be encoded: \(error)")
    }
  }

  private func pass(on event: CoordinatorMachineEvent) {
    switch event {
    case .changed(let change): eventContinuation.yield(.changed(change))
    case .waiting(let waiting):
      let until = waiting.map { reading.hostTime(at: $0.due) }
      eventContinuation.yield(.waiting(for: waiting?.participants, until: until))
      delegate?.playbackCoordinator(
        self, isWaitingFor: waiting?.participants ?? [], until: until)
    case .suspensionsChanged: eventContinuation.yield(.suspensionReasonsChanged)
    case .participantsChanged: eventContinuation.yield(.otherParticipantsChanged)
    }
  }

  private func issue(_ directive: Directive) {
    command?.cancel()
    guard let delegate else { return }
    let reading = reading
    command = Task { [weak self] in
      guard let self, !Task.isCancelled else { return }
      let result = await self.send(directive, to: delegate, reading)
      await self.commandEnded(directive.id, result)
    }
  }

  private nonisolated func send(
    _ directive: Directive, to delegate: any PlaybackControlDelegate, _ reading: GroupClockReading
  ) async -> CommandResult {
    let (originator, item) = (directive.originator, directive.item)
    switch directive.kind {
    case .play(let rate, let itemTime, let groupTime):
      return await delegate.playbackCoordinator(
        self,
        didIssue: PlayCommand(
          originator: originator, expectedCurrentItemIdentifier: item, rate: rate,
          itemTime: itemTime, hostTime: reading.hostTime(at: groupTime)))
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

  private func commandEnded(_ id: UInt64, _ result: CommandResult) {
    perform(machine.commandEnded(id, result, at: now))
  }

  private func schedule() {
    guard let deadline = machine.nextDeadline else {
      timer?.cancel()
      timer = nil
      timerDeadline = nil
      return
    }
    if timerDeadline == deadline, timer != nil { return }
    timer?.cancel()
    timerDeadline = deadline
    timer = Task { [weak self] in
      guard let delay = await self?.delay(until: deadline) else { return }
      try? await Task.sleep(for: delay, clock: .suspending)
      if !Task.isCancelled { await self?.timerFired() }
    }
  }

  private func delay(until deadline: GroupTime) -> Duration { max(.zero, deadline - now) }

  private func timerFired() {
    timer = nil
    timerDeadline = nil
    perform(machine.timerFired(at: now))
  }
}

/// Mirrors `AVDelegatingPlaybackCoordinatorRateChangeOptions`.
public struct RateChangeOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Starts at once, whoever is ready.
  public static let playImmediately = RateChangeOptions(rawValue: 1)
}

/// Mirrors `AVDelegatingPlaybackCoordinatorSeekOptions`.
public struct SeekOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Resumes at once after the seek, whoever is ready.
  public static let resumeImmediately = SeekOptions(rawValue: 1)
}
