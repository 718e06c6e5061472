import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The effects of commands: the player, its answers, its items, and its correction of drift.
extension Simulation {
  func issue(
    _ directive: PlayerDirective, to participant: SimulatedParticipant, before: Standing
  ) {
    let host = participant.hostTime(at: now)
    guard directive.item == participant.player.item else {
      // Stale: completed without effect.
      answer(directive, .superseded, participant)
      return
    }
    note(.applied(directive), at: participant)
    var hostTime: HostTime?
    if case .play(_, _, let instant) = directive.kind {
      hostTime = participant.anchor(instant, at: self.now)
      participant.playStart = playStart(directive, participant, at: host, before: before)
      witness(.startScheduled, participant)
    }
    let superseded = participant.player.perform(
      directive, hostTime: hostTime, at: host, delay: dice.number(100_000...2_000_000))
    setPlayerAlarm(participant)
    if let superseded { answer(superseded, .superseded, participant) }
  }

  private func playStart(
    _ directive: PlayerDirective, _ participant: SimulatedParticipant, at host: HostTime,
    before: Standing
  ) -> PlayStart? {
    guard case .play(_, let from, let instant) = directive.kind,
      let state = participant.coordinator.state,
      case .playing(let timeline) = state.phase
    else { return nil }
    let now = participant.groupTime(at: now).nanoseconds
    return PlayStart(
      directive: directive, hostTime: participant.anchor(instant, at: self.now), issuedAt: host,
      session: participant.session,
      isStartOfReady: before.readyAt == from && timeline.previousRate == 0
        && !participant.player.isMoving,
      transit: now - max(0, state.stamp.time))
  }

  func setPlayerAlarm(_ participant: SimulatedParticipant) {
    guard let step = participant.player.pending else { return }
    let time = max(now, participant.trueTime(step.at))
    if let set = participant.playerAlarm, set == time { return }
    participant.playerAlarm = time
    schedule(.playerStep(participant.index), at: time)
  }

  func playerAlarm(_ participant: SimulatedParticipant) {
    if let set = participant.playerAlarm, set <= now { participant.playerAlarm = nil }
    let host = participant.hostTime(at: now)
    let wasMoving = participant.player.isMoving
    guard let answered = participant.player.advance(to: host) else { return }
    if case .play = answered.directive.kind, let start = participant.playStart,
      start.directive == answered.directive
    {
      participant.playStart = nil
      guard case .completed = answered.result else {
        return answer(answered.directive, answered.result, participant)
      }
      let place = participant.player.itemTime(at: host)
      note(.started(start, at: host, itemTime: place), at: participant)
      witness(.playerStarted, participant)
    }
    answer(answered.directive, answered.result, participant)
    if !wasMoving, participant.player.isMoving { programAnswersStart(participant) }
  }

  /// Answers a command that another item superseded.
  func answerSuperseded(_ directive: PlayerDirective, at participant: SimulatedParticipant) {
    answer(directive, .superseded, participant)
  }

  func answer(
    _ directive: PlayerDirective, _ result: CommandResult, _ participant: SimulatedParticipant
  ) {
    for result in mutation.answer(directive, result, participant) {
      note(.answered(directive, result), at: participant)
      coordinate(participant, .player) { $0.commandEnded(directive.id, result, at: $1) }
    }
  }

  // MARK: - Items

  /// Reports the item before it is loaded: a start waits for this participant from now on.
  func open(_ item: String?, at participant: SimulatedParticipant) {
    participant.opening += 1
    let dropped = participant.player.load(nil, duration: 0)
    coordinate(participant, .user) {
      $0.transition(to: item, proposing: nil, isPlayerReady: false, at: $1)
    }
    if let dropped { answer(dropped, .superseded, participant) }
    guard item != nil else { return }
    schedule(
      .loaded(participant.index, opening: participant.opening),
      at: now + participant.person.loadingTime)
  }

  func loaded(_ participant: SimulatedParticipant, opening: Int) {
    guard opening == participant.opening, let item = participant.coordinator.currentItem else {
      return
    }
    _ = participant.player.load(
      item, duration: Scenario.durations[item]!, gap: Scenario.gaps[item])
    coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
  }

  // MARK: - In step

  /// The error beyond which a player is brought back.
  private static let driftLimit = Nanoseconds.milliseconds(2)

  /// Compares the player's position with the group's, as the program does twice a second.
  func tick(_ participant: SimulatedParticipant) {
    schedule(.tick(participant.index), at: now + .milliseconds(500))
    note(.tick, at: participant)
    guard participant.program == nil else { return programTick(participant) }
    let host = participant.hostTime(at: now)
    if participant.player.isAtEnd(at: host) {
      let end = participant.player.itemTime(at: host)
      coordinate(participant, .player) { $0.playerReachedEnd(at: end, now: $1) }
    }
    correctDrift(of: participant)
  }

  /// Brings a player back that is out of step.
  ///
  /// - Returns: its distance from the group; nil if nothing could be measured.
  @discardableResult
  func correctDrift(of participant: SimulatedParticipant) -> Duration? {
    let host = participant.hostTime(at: now)
    let player = participant.player
    let jump = participant.player.takeJump(at: host)
    if jump != 0 {
      note(.jumped, at: participant)
      participant.lastSyncError = nil
      let itemTime = participant.player.itemTime(at: host)
      coordinate(participant, .player) { $0.playerJumped(to: itemTime, at: $1, now: $1) }
      return nil
    }
    guard player.pending == nil, !player.isStalled, !player.isFailing,
      let state = participant.coordinator.state, case .playing(let timeline) = state.phase,
      timeline.groupTime <= participant.groupTime(at: now),
      let error = participant.syncError(at: now)
    else {
      participant.lastSyncError = nil
      return nil
    }
    defer { participant.lastSyncError = error }
    // Two errors in the same direction are no accident of measuring.
    guard let last = participant.lastSyncError,
      min(last.magnitude, error.magnitude) > Self.driftLimit,
      last.signum() == error.signum()
    else { return .nanoseconds(error) }
    coordinate(participant, .player) { $0.reapply(at: $1) }
    return .nanoseconds(error)
  }
}
