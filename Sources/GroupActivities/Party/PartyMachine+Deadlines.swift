import Concurrency
import Timekeeping

extension PartyMachine: HostedMachine {
  /// The time of the next call of ``timerFired(at:)``.
  var nextDeadline: HostTime? {
    guard isConnected, membership != .left else { return nil }
    var deadlines = ownDeadlines
    if joinedAt == nil, let question = ownArrival.question, question.host == nil {
      deadlines.append(question.askedAt + configuration.timing.arrivalInterval)
    }
    if let due = roster.nextDeadline { deadlines.append(due) }
    // Without the group's time nothing can be done then; the exchange that provides the time does it.
    if case .arriving(_, let since?) = membership, clock.count > 0 {
      deadlines.append(since + configuration.timing.introductionLimit)
    }
    return deadlines.min()
  }

  /// The deadlines that don't belong to one of the others.
  private var ownDeadlines: [HostTime] {
    presence.deadlines
      + [
        exchanges.at, log.nextDeadline, policy.keys.nextDeadline,
        // Before, nothing is done about them.
        joinedAt == nil ? nil : paths.nextDeadline,
      ].compactMap { $0 }
  }

  /// Returns the earliest deadline that a participant's message can have brought forward; nil for none.
  fileprivate func nextDeadline(afterMessageFrom sender: Participant.ID) -> HostTime? {
    (ownDeadlines + [roster[sender]?.deadline].compactMap { $0 }).min()
  }
}

extension MachineHost<PartyMachine> {
  /// Sets the alarm after an event.
  ///
  /// - Parameter sender: the participant whose message the event was. Its message can't have brought the deadlines of
  ///   the others forward, and in a large party looking at all of them would be most of the work. Nil for another event.
  mutating func setAlarm(
    for machine: borrowing PartyMachine, afterMessageFrom sender: Participant.ID?
  ) -> AlarmSetting.Change? {
    guard let sender, alarmDue != nil, machine.isConnected, machine.joinedAt != nil else {
      return setAlarm(for: machine)
    }
    return bringAlarmForward(to: machine.nextDeadline(afterMessageFrom: sender))
  }
}
