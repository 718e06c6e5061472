import Timekeeping

/// A state machine that a host can run: events go in, actions come out, and at a deadline it is called again.
package protocol HostedMachine {
  associatedtype Action
  /// An instant on the timeline of the machine's deadlines.
  associatedtype Instant: Comparable

  /// The time of the next call of ``timerFired(at:)``; nil for none.
  var nextDeadline: Instant? { get }

  /// Handles everything that is due. A call before the deadline changes nothing.
  mutating func timerFired(at now: Instant) -> [Action]
}

/// The host of one machine: it keeps the one alarm that the machine needs.
///
/// The host is a value and reads no clock. Its shell passes events to the machine, performs the actions in order, and
/// then makes the change of its alarm that the host returns. An actor sets the alarm with an ``Alarm``, the simulator
/// with an event on its virtual timeline. The shell owns the machine, which so stays a plain stored value.
package struct MachineHost<Machine: HostedMachine> {
  private var alarm = AlarmSetting()

  package init() {}

  /// The time of the alarm; nil while none is set.
  package var alarmDue: HostTime? { alarm.due }

  /// Sets the alarm for the machine's next deadline, to be called after the actions of an event.
  ///
  /// - Parameter hostTime: converts a deadline to the time of this machine's clock.
  /// - Returns: the change for the shell to make; nil if the alarm doesn't change.
  package mutating func setAlarm(
    for machine: borrowing Machine, _ hostTime: (Machine.Instant) -> HostTime
  ) -> AlarmSetting.Change? {
    alarm.set(for: machine.nextDeadline.map(hostTime))
  }

  /// Takes an alarm that rang.
  ///
  /// - Returns: the actions of the machine; nil if the alarm was replaced or cancelled while it rang.
  package mutating func alarmRang(
    _ number: Int, for machine: inout Machine, at now: Machine.Instant
  ) -> [Machine.Action]? {
    guard alarm.rang(number) else { return nil }
    return machine.timerFired(at: now)
  }

  /// Cancels the alarm permanently, because the shell ends.
  package mutating func cancelAlarm() -> AlarmSetting.Change? { alarm.set(for: nil) }
}

extension MachineHost where Machine.Instant == HostTime {
  package mutating func setAlarm(for machine: borrowing Machine) -> AlarmSetting.Change? {
    setAlarm(for: machine) { $0 }
  }

  /// Sets the alarm after an event that can have changed only some of the machine's deadlines.
  ///
  /// - Parameter deadline: the earliest of those; nil for none. The alarm isn't put off.
  package mutating func bringAlarmForward(to deadline: HostTime?) -> AlarmSetting.Change? {
    deadline.flatMap { alarm.bringForward(to: $0) }
  }
}
