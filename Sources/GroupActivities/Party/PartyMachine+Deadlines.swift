import Concurrency
import Timekeeping

extension PartyMachine: HostedMachine {
  /// The time of the next call of ``timerFired(at:)``.
  var nextDeadline: HostTime? {
    guard isConnected, membership != .left else { return nil }
    var next = ownDeadline
    if joinedAt == nil, let question = ownArrival.question, question.host == nil {
      next.bringForward(to: question.askedAt + configuration.timing.arrivalInterval)
    }
    next.bringForward(to: roster.nextDeadline)
    // Without the group's time nothing can be done then; the exchange that provides the time does it.
    if case .arriving(_, let since?) = membership, clock.count > 0 {
      next.bringForward(to: since + configuration.timing.introductionLimit)
    }
    return next
  }

  /// The next deadline that doesn't belong to one of the others.
  private var ownDeadline: HostTime? {
    var next = presence.nextDeadline
    next.bringForward(to: exchanges.at)
    next.bringForward(to: log.nextDeadline)
    next.bringForward(to: policy.keys.nextDeadline)
    return next
  }

  /// Returns the earliest deadline that a participant's message can have brought forward; nil for none.
  fileprivate func nextDeadline(afterMessageFrom sender: Participant.ID) -> HostTime? {
    var next = ownDeadline
    next.bringForward(to: roster[sender]?.deadline)
    return next
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
