import GroupActivities
import Timekeeping

/// The lack of data: the group's position waits while the player of every participant who counts waits for data.
///
/// The group waits in a start that follows from its line. It begins at the position where the last of them stopped, and
/// is made as soon as the first one is ready; the others rejoin as after any stall. Meanwhile the due date is renewed.
/// Participants whose player waits for data aren't apart then: what they command concerns the group.
///
/// A participant may be mistaken, because it was separated from others who play. Whoever plays answers it with its line.
extension CoordinatorMachine {
  /// The time that a player may need to join a line before it counts as one that waits for data.
  private static let joiningTime = Duration.seconds(2)
  /// The distance by which a participant that plays lets the group move it back without anybody's command.
  private static let acceptableReturn = Duration.seconds(1)

  /// A Boolean value that indicates whether this participant is suspended because its player waits for data, and for no
  /// other reason.
  private var isOnlyStalled: Bool { Self.isStalled(suspensions.map(\.reason)) }

  private static func isStalled(_ reasons: [CoordinatedPlaybackSuspension.Reason]) -> Bool {
    !reasons.isEmpty && reasons.allSatisfy { $0 == .stallRecovery }
  }

  /// The participants with the current item whose players wait for data, as far as this one knows.
  var stalled: [Participant.ID] {
    let others = present.filter { Self.isStalled($0.value.suspensions) }.map(\.key)
    return Self.isStalled(visibleReasons) ? others + [me] : others
  }

  /// The reports of the others who have the current item, and can answer.
  private var present: [Participant.ID: ParticipantReport] {
    isLinkUp ? others.filter { $0.value.item == currentItem } : [:]
  }

  /// A Boolean value that indicates whether this participant's player waits for data, and no other one plays.
  private var isUnwatched: Bool {
    currentItem != nil && stalled.contains(me)
      && present.allSatisfy { !$0.value.suspensions.isEmpty }
  }

  /// Holds the group at the position at which the last player stopped.
  ///
  /// One of the participants without data does so: the others follow one after another, in case an earlier one is gone.
  mutating func holdIfUnwatched(at now: GroupTime) -> [CoordinatorAction] {
    let following = updateHeld() ? follow(at: now) : []
    guard isUnwatched, mayControl(me), let old = groupState, old.isPlaying,
      groupEnd.map({ old.itemTime(at: now) < $0 }) ?? true
    else {
      trouble.hold.unwatchedSince = nil
      trouble.hold.due = nil
      return following
    }
    let since = trouble.hold.unwatchedSince ?? now
    if trouble.hold.unwatchedSince == nil {
      let order = stalled.filter(mayControl).sorted().firstIndex(of: me) ?? 0
      let joining = suspensions.isEmpty ? Self.joiningTime : .zero
      trouble.hold.unwatchedSince = now
      trouble.hold.due = now + joining + Self.takeoverStep * Double(order)
    }
    guard let due = trouble.hold.due, now >= due else { return following }
    trouble.hold.unwatchedSince = nil
    trouble.hold.due = nil
    var new = old
    new.phase = .starting(from: old.itemTime(at: since), due: now + configuration.startWait)
    new.stamp = stamps.following(old.stamp)
    remember(new)
    return following + changed(from: old, to: new, at: now)
  }

  /// - Returns: whether this participant isn't apart any more.
  private mutating func updateHeld() -> Bool {
    let isStarting = if case .starting = groupState?.phase { true } else { false }
    let isHeld = isOnlyStalled && isStarting && (trouble.hold.isHeld || isUnwatched)
    defer { trouble.hold.isHeld = isHeld }
    // The group goes on, or is paused.
    if trouble.hold.isHeld, !isHeld, !suspensions.isEmpty { separate() }
    return isHeld && !trouble.hold.isHeld
  }

  // MARK: - Whoever plays

  /// Returns whether a state that no user asked for would take this participant back, which plays.
  func wouldTakeBack(_ old: ItemState, _ new: ItemState, at now: GroupTime) -> Bool {
    guard new.item == currentItem, new.follows(old), suspensions.isEmpty, mayControl(me),
      !trouble.isRecovering, inFlight == nil, !copyEnd.isReached,
      case .playing(let line) = old.phase, line.groupTime <= now,
      commanded == .playing(line, rate: old.rate)
    else { return false }
    // The film's time stamps jump.
    if case .playing(let other) = new.phase, other.previousRate != 0 { return false }
    return old.itemTime(at: now) - new.itemTime(at: now) > Self.acceptableReturn
  }

  /// Answers a state with the line on which this participant plays.
  mutating func keepPlaying(
    _ old: ItemState, after new: ItemState, at now: GroupTime
  ) -> [CoordinatorAction] {
    var state = old
    state.stamp = stamps.following(new.stamp)
    remember(state)
    return changed(from: old, to: state, at: now)
  }
}
