import GroupActivities
import Timekeeping

/// Changing the state, and the consequences of any change.
extension CoordinatorMachine {
  /// Stamps a change of the state that the player follows, publishes it unless this participant is suspended, and
  /// follows it.
  mutating func change(
    _ kind: CoordinatedChange.Kind, at now: GroupTime, _ body: (inout ItemState) -> Void
  ) -> [CoordinatorAction] {
    guard var new = state else { return [] }
    body(&new)
    new.stamp = stamps.next(at: now)
    new.originator = me
    new.change = kind
    return changed(to: new, at: now)
  }

  /// Publishes what follows from the last change by itself, and follows it. A command that another participant's user
  /// has given since that change counts, although this participant hasn't heard of it.
  mutating func continueChange(
    at now: GroupTime, _ body: (inout ItemState) -> Void = { _ in }
  ) -> [CoordinatorAction] {
    guard var new = state else { return [] }
    body(&new)
    new.stamp = stamps.following(new.stamp)
    return changed(to: new, at: now)
  }

  private mutating func changed(to new: ItemState, at now: GroupTime) -> [CoordinatorAction] {
    let old = state
    if !isApart {
      remember(new)
      return changed(from: old, to: new, at: now)
    }
    ownState = new
    return follow(at: now) + settle(at: now)
  }

  mutating func changed(
    from old: ItemState?, to new: ItemState, at now: GroupTime
  ) -> [CoordinatorAction] {
    var actions: [CoordinatorAction] = []
    // An exact frame after a pause, and the start after a proposal, are parts of one change.
    if let old, old.isContinued(by: new) {
      actions.append(.report(.settled))
    } else {
      actions.append(
        .report(
          .changed(
            CoordinatedChange(
              kind: new.change, originator: new.originator, itemTime: new.itemTime(at: now),
              rate: new.rate))))
    }
    snapDeadline = nil
    // Published before this player follows it: the others need the time more than our own player does.
    actions += publish(announce: true)
    actions += endReplayIfLeft(from: old, to: new, at: now)
    return actions + follow(at: now) + settle(at: now)
  }

  mutating func remember(_ state: ItemState) {
    states[state.item] = nil
    states[state.item] = state
    if states.count > Self.stateLimit, let oldest = states.keys.first(where: { $0 != currentItem })
    {
      states[oldest] = nil
    }
  }

  /// Updates readiness, waiting and due starts after any change.
  mutating func settle(at now: GroupTime) -> [CoordinatorAction] {
    if let state, case .paused(_, isExact: false) = state.phase {
      snapDeadline = snapDeadline ?? now + Self.snapWait
    } else {
      snapDeadline = nil
    }
    return holdIfUnwatched(at: now) + updateWaiting(at: now) + startIfDue(at: now)
      + endIfOver(at: now)
  }

  /// Returns the stamp of a state that no user asked for. It is older than any command, and of two such stamps the
  /// older wins, so that a late joiner doesn't move the others.
  func proposalStamp(at now: GroupTime) -> Stamp {
    Stamp(time: -max(1, now.nanoseconds), participant: me)
  }

  /// The time that a start waits. People need longer than players: if the start waits out a suspension, it waits as
  /// long as any start may.
  private var startWait: Duration {
    let isWaitedOut = countingOthers(in: me).contains { !(others[$0]?.suspensions.isEmpty ?? true) }
    return isWaitedOut && !isApart ? Self.longestWait : configuration.startWait
  }

  func startPhase(
    from itemTime: MediaTime, immediately: Bool, at now: GroupTime
  ) -> ItemState.Phase {
    immediately
      ? .playing(Timeline(itemTime: itemTime, groupTime: now + lead, previousRate: 0))
      : .starting(from: itemTime, due: now + startWait)
  }
}

extension ItemState {
  /// Returns whether `new` only carries out what this state announced, or goes on with it.
  func isContinued(by new: ItemState) -> Bool {
    // Two participants may have published the end.
    if change == .ended, new.change == .ended { return true }
    guard originator == new.originator, change == new.change, rate == new.rate else { return false }
    switch (phase, new.phase) {
    case (.paused(_, isExact: false), .paused(_, isExact: true)): return true
    case (.starting(let from, _), .playing(let timeline)) where from == timeline.itemTime:
      return true
    case (.starting, .starting), (.starting, .playing), (.playing, .starting), (.playing, .playing):
      return new.follows(self)
    case (.paused, _), (.starting, .paused), (.playing, .paused): return false
    }
  }

  /// Returns whether participants have published this state after another one without a user's command in between.
  func follows(_ other: ItemState) -> Bool {
    originator == other.originator && change == other.change && rate == other.rate
      && (0...Self.longestSuccession).contains(stamp.time &- other.stamp.time)
  }

  /// The number of states that can follow from one command before a participant hears of the next one.
  private static let longestSuccession: Int64 = 16
}
