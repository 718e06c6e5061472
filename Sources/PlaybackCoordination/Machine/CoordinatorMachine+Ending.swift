import Timekeeping

/// The end of the item: each participant's copy has its own, and the group's is the one that the participants agree on.
///
/// A participant's reports name the end of its copy, as far as it is known. The item ends for the group when its line
/// reaches the latest of these ends. A participant whose copy is shorter by more than ``endTolerance`` waits at its own
/// end and moves no other player.
extension CoordinatorMachine {
  /// The distance within which two ends are the same.
  static let endTolerance = Duration.seconds(1)
  /// The time after the group's end at which a participant with a shorter copy reports it, if no other one has.
  static let endGrace = Duration.seconds(1)
  /// The distance from the line within which a player's end counts as reached by playing.
  private static let endSlack = Duration.seconds(2)

  /// The end of this participant's copy; nil while unknown.
  var ownEnd: MediaTime? { copyEnd.lastFrame ?? copyEnd.named }

  /// The item's end for the group: the latest end of the copies of those who can answer.
  var groupEnd: MediaTime? {
    [currentItem.flatMap(othersEnd), ownEnd].compactMap { $0 }.max()
  }

  /// Returns the latest end of an item in the copies of the others who can answer.
  func othersEnd(of item: String) -> MediaTime? {
    let others = isLinkUp ? self.others.values.filter { $0.item == item } : []
    return others.compactMap(\.itemEnd).map { MediaTime(nanoseconds: $0 * 1000) }.max()
  }

  /// A Boolean value that indicates whether the item continues for the group beyond the end of this participant's copy,
  /// at which its player waits.
  var isWaitingAtOwnEnd: Bool {
    guard copyEnd.isReached, suspensions.isEmpty, let state, state.isPlaying, let groupEnd,
      let lastFrame = copyEnd.lastFrame
    else { return false }
    return groupEnd - lastFrame > Self.endTolerance
  }

  /// Returns whether the item is over for the group where this participant's player came to an end. A player's report may
  /// be late: by then the group is elsewhere.
  func isOver(at end: MediaTime, now: GroupTime) -> Bool {
    guard let state else { return true }
    guard state.itemTime(at: now) >= end - Self.endSlack else { return false }
    if isApart || state.change == .ended { return true }
    return groupEnd.map { $0 - end <= Self.endTolerance } ?? true
  }

  /// Takes the end of this participant's copy, as its file names it; nil if it has none, such as a live stream.
  mutating func setItemEnd(_ end: MediaTime?, at now: GroupTime) -> [CoordinatorAction] {
    // The length of a file that is still growing isn't reported with every second.
    if let end, let known = copyEnd.named, (end - known).magnitude < Self.endTolerance { return [] }
    guard end != copyEnd.named else { return [] }
    copyEnd.named = end
    return publish(announce: true) + settle(at: now)
  }

  /// The player came to the end of the item by playing.
  mutating func playerReachedEnd(at end: MediaTime, now: GroupTime) -> [CoordinatorAction] {
    guard let state, state.isPlaying, state.itemTime(at: now) >= end - Self.endSlack
    else { return [] }
    if catchingUp != nil { return endReplay(.filmEnded, at: now) }
    guard !isApart else { return endItem(at: end, now: now) }
    copyEnd.isReached = true
    copyEnd.lastFrame = end
    copyEnd.reachedAt = now
    return publish(announce: true) + settle(at: now)
  }

  /// The player is elsewhere without a command of the coordinator: its user moved it.
  ///
  /// At the end of the item a player makes its last steps on its own, and reports them late or twice. They don't move the group.
  mutating func playerSought(to position: MediaTime, at now: GroupTime) -> [CoordinatorAction] {
    guard !isLastStep(to: position, at: now) else { return [] }
    return coordinateSeek(to: position, resumeImmediately: false, at: now)
  }

  private func isLastStep(to position: MediaTime, at now: GroupTime) -> Bool {
    guard let state else { return false }
    // This copy may be shorter than the group's.
    let line = min(state.itemTime(at: now), ownEnd ?? state.itemTime(at: now))
    guard (position - line).magnitude <= Self.endSlack else { return false }
    if state.isPaused { return state.change == .ended }
    // The end is reached in this moment, and hasn't been published yet.
    return state.isPlaying && ownEnd.map { $0 - position <= Self.endSlack } ?? false
  }

  /// The time at which this participant, waiting at the end of its copy, ends the item for the group; nil if it has
  /// nothing to do with the end.
  ///
  /// The end is no participant's command, but it changes the group's state; a participant who may not control playback
  /// just stays there.
  var endDeadline: GroupTime? {
    guard copyEnd.isReached, suspensions.isEmpty, mayControl(me), let lastFrame = copyEnd.lastFrame,
      let groupEnd, let state,
      case .playing(let line) = state.phase
    else { return nil }
    guard groupEnd - lastFrame > Self.endTolerance else { return line.groupTime }
    let left = groupEnd - line.itemTime
    return line.groupTime + Duration(clampingSeconds: left.inSeconds / state.rate) + Self.endGrace
  }

  /// The time at which the wait at the end of this copy is reported; nil for none. The others' named ends may be
  /// estimates, and by then the ends of players with the same file are known.
  var waitReport: GroupTime? {
    isWaitingAtOwnEnd ? copyEnd.reachedAt.map { $0 + Self.endGrace } : nil
  }

  mutating func reportWait(at now: GroupTime) -> [CoordinatorAction] {
    guard let due = waitReport, now >= due else { return [] }
    copyEnd.reachedAt = nil
    return [.report(.waitsAtOwnEnd)]
  }

  mutating func endIfOver(at now: GroupTime) -> [CoordinatorAction] {
    guard let deadline = endDeadline, now >= deadline, let lastFrame = copyEnd.lastFrame,
      let groupEnd
    else {
      return []
    }
    let end = groupEnd - lastFrame > Self.endTolerance ? groupEnd : lastFrame
    return endItem(at: end, now: now)
  }

  private mutating func endItem(at end: MediaTime, now: GroupTime) -> [CoordinatorAction] {
    let originator = me
    return continueChange(at: now) {
      $0.phase = .paused(at: end, isExact: true)
      $0.originator = originator
      $0.change = .ended
    }
  }
}
