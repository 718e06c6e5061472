import Timekeeping

/// The alarm that a shell keeps for its machine: one at most, and none later than the machine's next deadline.
///
/// An alarm that is earlier than needed is kept: it does no harm, and making a new one for each message would cost more
/// than an additional call.
package struct AlarmSetting: Sendable {
  /// A change that the shell makes to its alarm.
  package enum Change: Hashable, Sendable {
    /// Replace the alarm by one at `due`. It rings with its number.
    case set(due: HostTime, number: Int)
    case cancel
  }

  /// The time of the alarm; nil while none is set.
  package private(set) var due: HostTime?
  private var number = 0

  package init() {}

  /// Sets the alarm for a deadline.
  ///
  /// - Parameter deadline: the time of the next call; nil for none.
  /// - Returns: the change for the shell to make; nil if the alarm doesn't change.
  package mutating func set(for deadline: HostTime?) -> Change? {
    if let deadline { return bringForward(to: deadline) }
    guard due != nil else { return nil }
    due = nil
    return .cancel
  }

  /// Sets the alarm for one deadline among several, the others of which haven't changed.
  mutating func bringForward(to deadline: HostTime) -> Change? {
    if let due, due <= deadline { return nil }
    due = deadline
    number += 1
    return .set(due: deadline, number: number)
  }

  /// Takes an alarm that rang.
  ///
  /// - Returns: false if it was replaced or cancelled while it rang: then nothing is due.
  package mutating func rang(_ number: Int) -> Bool {
    guard number == self.number, due != nil else { return false }
    due = nil
    return true
  }
}
