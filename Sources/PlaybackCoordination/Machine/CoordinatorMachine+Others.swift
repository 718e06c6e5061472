import GroupActivities
import Timekeeping

/// The other participants' reports, and permission to control playback.
extension CoordinatorMachine {
  mutating func received(
    _ report: ParticipantReport, from sender: Participant.ID, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard sender != me, report.isSensible else { return [] }
    if let known = others[sender], known.revision >= report.revision { return [] }
    let before = others[sender]
    others[sender] = report
    others[sender]?.otherCopy = before?.otherCopy
    var actions: [CoordinatorAction] = []
    if before?.suspensions != report.suspensions || before?.item != report.item
      || before?.readyFor != report.readyFor || before == nil
    {
      actions.append(.report(.participantsChanged))
    }
    if let state = report.state { actions += merge(state, at: now) }
    return actions + settle(at: now)
  }

  /// Takes the frequently changing part of a participant's report.
  ///
  /// - Parameter otherCopy: see ``ParticipantReport/otherCopy``.
  @discardableResult
  mutating func received(
    _ digest: ReportDigest, otherCopy: UInt32? = nil, from sender: Participant.ID
  ) -> [CoordinatorAction] {
    guard let before = others[sender] else { return [] }
    var report = before
    digest.update(&report)
    report.otherCopy = otherCopy
    guard report.isSensible else { return [] }
    others[sender] = report
    return before.hasOtherCopy == report.hasOtherCopy ? [] : [.report(.participantsChanged)]
  }

  mutating func merge(_ state: ItemState, at now: GroupTime) -> [CoordinatorAction] {
    guard mayControl(state.stamp.participant), state.isSensible(at: now),
      stamps.observe(state.stamp, at: now)
    else { return [] }
    let old = states[state.item]
    // A state from an author who may no longer control playback gives way to any state from an author who may: the
    // others may have refused the former.
    guard old.map({ !mayControl($0.stamp.participant) || $0.isOlder(than: state) }) ?? true else {
      return []
    }
    if let old, wouldTakeBack(old, state, at: now) {
      return keepPlaying(old, after: state, at: now)
    }
    remember(state)
    guard state.item == currentItem else { return [] }
    if !isApart { passJump(to: state, at: now) }
    return changed(from: old, to: state, at: now)
  }

  /// Sets the participants who may control playback; nil for all participants.
  mutating func setControllers(
    _ controllers: Set<Participant.ID>?, at now: GroupTime
  ) -> [CoordinatorAction] {
    self.controllers = controllers
    // States that were refused before may count now.
    var actions: [CoordinatorAction] = []
    for sender in others.keys.sorted() {
      if let state = others[sender]?.state { actions += merge(state, at: now) }
    }
    return actions + claimIfUnowned(at: now) + follow(at: now) + settle(at: now)
  }

  /// Takes over a state whose author may no longer control playback, if this participant may: a newcomer wouldn't
  /// accept it from the other author.
  mutating func claimIfUnowned(at now: GroupTime) -> [CoordinatorAction] {
    guard suspensions.isEmpty, mayControl(me), let state = groupState,
      !mayControl(state.stamp.participant)
    else { return [] }
    return continueChange(at: now)
  }
}
