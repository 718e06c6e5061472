import GroupActivities
import Timekeeping

/// Separating this participant from the group, and rejoining.
extension CoordinatorMachine {
  mutating func beginSuspension(
    for reason: CoordinatedPlaybackSuspension.Reason, at now: GroupTime
  ) -> (id: UInt64, actions: [CoordinatorAction]) {
    let id = takeID()
    if suspensions.isEmpty {
      ownState = groupState.map(settled)
      if case .starting(let from, _) = ownState?.phase {
        // A participant who suspends during a start doesn't start alone.
        ownState?.phase = .paused(at: from, isExact: true)
      }
    }
    suspensions.append(ActiveSuspension(id: id, reason: reason))
    isRecovering = false
    return (
      id,
      [.report(.suspensionsChanged)] + publish(announce: true) + follow(at: now) + settle(at: now)
    )
  }

  /// - Parameter newTime: the position that the group should go to; counts only with the last suspension.
  mutating func endSuspension(
    _ id: UInt64, proposingNewTime newTime: MediaTime? = nil, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let index = suspensions.firstIndex(where: { $0.id == id }) else { return [] }
    suspensions.remove(at: index)
    if catchingUp == id { catchingUp = nil }
    var actions: [CoordinatorAction] = [.report(.suspensionsChanged)]
    guard suspensions.isEmpty else { return actions + publish(announce: true) }
    ownState = nil
    readyFor = nil
    if case .preparing = commanded { commanded = .nothing }
    if let newTime, mayControl(me) {
      actions += coordinateSeek(to: newTime, resumeImmediately: false, at: now)
    }
    actions += claimIfUnowned(at: now)
    return actions + publish(announce: true) + follow(at: now) + settle(at: now)
  }

  // MARK: - What happened?

  static let whatHappened = CoordinatedPlaybackSuspension.Reason(rawValue: "whatHappened")
  private static let replayed = Duration.seconds(10)
  private static let replayFactor = 2.0

  /// Goes back ten seconds for this viewer alone and plays at twice the group's rate until it has caught up with the
  /// group. The others don't notice.
  mutating func whatHappened(at now: GroupTime) -> [CoordinatorAction] {
    guard suspensions.isEmpty, let state,
      CoordinatorMachine.rates.contains(
        state.rate * Self.replayFactor)
    else { return [] }
    let from = max(.zero, state.itemTime(at: now) - Self.replayed * state.rate)
    let (id, actions) = beginSuspension(for: Self.whatHappened, at: now)
    catchingUp = id
    let start = startPhase(from: from, immediately: false, at: now)
    return actions
      + change(.seek, at: now) {
        $0.rate = state.rate * Self.replayFactor
        $0.phase = start
      }
  }

  /// The time at which the replay reaches the group; nil while it doesn't approach the group.
  var catchUpArrival: GroupTime? {
    guard catchingUp != nil, let own = ownState, let group = groupState.map(settled),
      case .playing(let line) = own.phase
    else { return nil }
    let groupRate = group.isPlaying ? group.rate : 0
    guard own.rate > groupRate else { return nil }
    let behind = group.itemTime(at: line.groupTime) - line.itemTime
    return line.groupTime + Duration(clampingSeconds: behind.inSeconds / (own.rate - groupRate))
  }

  mutating func arriveIfCaughtUp(at now: GroupTime) -> [CoordinatorAction] {
    guard let id = catchingUp, let arrival = catchUpArrival, now >= arrival else { return [] }
    return endSuspension(id, at: now)
  }
}
