import GroupActivities
import Timekeeping

/// What the others say, and whose word counts.
extension CoordinatorMachine {
  mutating func received(
    _ report: ParticipantReport, from sender: Participant.ID, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard sender != me, report.isSensible else { return [] }
    if let known = others[sender], known.revision >= report.revision { return [] }
    let before = others[sender]
    others[sender] = report
    var actions: [CoordinatorAction] = []
    if before?.suspensions != report.suspensions || before?.item != report.item
      || before?.readyFor != report.readyFor || before == nil
    {
      actions.append(.report(.participantsChanged))
    }
    if let state = report.state { actions += merge(state, at: now) }
    return actions + settle(at: now)
  }

  /// What of somebody's report changes all the time.
  mutating func received(_ brief: ReportBrief, from sender: Participant.ID) {
    guard var report = others[sender] else { return }
    brief.update(&report)
    if report.isSensible { others[sender] = report }
  }

  mutating func merge(_ state: ItemState, at now: GroupTime) -> [CoordinatorAction] {
    guard mayControl(state.stamp.participant), state.isSensible(at: now),
      stamps.observe(state.stamp, at: now)
    else { return [] }
    let old = states[state.item]
    // What somebody left who may not control any more gives way to any word of one who may: the others may
    // have refused it.
    guard old.map({ !mayControl($0.stamp.participant) || $0.isOlder(than: state) }) ?? true else {
      return []
    }
    remember(state)
    guard state.item == currentItem else { return [] }
    return changed(from: old, to: state, at: now)
  }

  /// - Parameter controllers: nil for everybody.
  mutating func setControllers(
    _ controllers: Set<Participant.ID>?, at now: GroupTime
  ) -> [CoordinatorAction] {
    self.controllers = controllers
    // What was refused before may count now.
    var actions: [CoordinatorAction] = []
    for sender in others.keys.sorted() {
      if let state = others[sender]?.state { actions += merge(state, at: now) }
    }
    return actions + claimIfUnowned(at: now) + follow(at: now) + settle(at: now)
  }

  /// A state that was made by somebody who may not control any more becomes the word of whoever may: a
  /// newcomer wouldn't take it from the other.
  mutating func claimIfUnowned(at now: GroupTime) -> [CoordinatorAction] {
    guard suspensions.isEmpty, mayControl(me), let state = groupState,
      !mayControl(state.stamp.participant)
    else { return [] }
    return change(state.change, originator: state.originator, at: now) { _ in }
  }
}
