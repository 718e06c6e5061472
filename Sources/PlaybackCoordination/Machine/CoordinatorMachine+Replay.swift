import Timekeeping

/// The replay of the last seconds, for this participant alone (“What happened?”).
///
/// A replay begins with ``whatHappened(at:)``, and is a suspension of its own. It ends when its line has caught up with
/// the group's, when the item or the session changes, when the item ends, when the group moves elsewhere, and when the
/// user ends it. A user who pauses the replay, or slows it down to the group's rate, keeps it until one of the others.
extension CoordinatorMachine {
  static let whatHappened = CoordinatedPlaybackSuspension.Reason(rawValue: "whatHappened")
  private static let replayed = Duration.seconds(10)
  private static let replayFactor = 2.0
  /// The least ratio of the replay's rate and the group's: at a smaller one the replay would take too long.
  private static let leastReplayFactor = 1.5
  /// The distance by which the group's line may change without a seek, for example when a link returns.
  private static let leastMove = Duration.seconds(2)

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

  /// Ends the replay, if there is one.
  mutating func endReplay(_ end: ReplayEnd, at now: GroupTime) -> [CoordinatorAction] {
    guard let id = catchingUp else { return [] }
    return [.report(.replayEnded(end))] + endSuspension(id, at: now)
  }

  /// Removes the replay's suspension while the item or the group changes; the caller continues with the new one.
  ///
  /// - Returns: the reports; none if there was no replay.
  mutating func dropReplay(_ end: ReplayEnd) -> [CoordinatorAction] {
    guard let id = catchingUp else { return [] }
    catchingUp = nil
    suspensions.removeAll { $0.id == id }
    commanded = .nothing
    return [.report(.replayEnded(end)), .report(.suspensionsChanged)]
  }

  /// Ends the replay if the group leaves the stretch that it catches up with.
  mutating func endReplayIfLeft(
    from old: ItemState?, to new: ItemState, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard catchingUp != nil, let own = ownState else { return [] }
    guard let old else { return endReplay(.groupMoved, at: now) }
    if new.change == .ended { return endReplay(.filmEnded, at: now) }
    let moved = (new.itemTime(at: now) - old.itemTime(at: now)).inSeconds.magnitude
    let isMoved =
      moved > Self.leastMove.inSeconds || new.change == .seek && !old.isContinued(by: new)
    let isFaster = new.rate > old.rate && own.rate < new.rate * Self.leastReplayFactor
    if isMoved || isFaster { return endReplay(.groupMoved, at: now) }
    // A line that moved back a little may be behind the replay.
    let isReached = own.isPlaying && own.itemTime(at: now) >= settled(new).itemTime(at: now)
    return isReached ? endReplay(.caughtUp, at: now) : []
  }

  /// The time at which the replay reaches the group; nil while it doesn't approach the group.
  var catchUpArrival: GroupTime? {
    guard catchingUp != nil, let own = ownState, let group = groupState.map(settled),
      case .playing(let line) = own.phase
    else { return nil }
    func arrival(from time: GroupTime, groupRate: Double) -> GroupTime? {
      let behind = group.itemTime(at: time) - own.itemTime(at: time)
      // The user went ahead of the group.
      guard behind > .zero else { return time }
      guard own.rate > groupRate else { return nil }
      return time + Duration(clampingSeconds: behind.inSeconds / (own.rate - groupRate))
    }
    guard case .playing(let groupLine) = group.phase else {
      return arrival(from: line.groupTime, groupRate: 0)
    }
    // Until its line begins, the group moves at the line's earlier rate.
    let turn = groupLine.groupTime
    if line.groupTime < turn,
      let early = arrival(from: line.groupTime, groupRate: groupLine.previousRate), early <= turn
    {
      return early
    }
    return arrival(from: max(line.groupTime, turn), groupRate: group.rate)
  }

  mutating func arriveIfCaughtUp(at now: GroupTime) -> [CoordinatorAction] {
    guard let arrival = catchUpArrival, now >= arrival else { return [] }
    return endReplay(.caughtUp, at: now)
  }
}
