import Concurrency

/// The end of a wait.
enum WaitOutcome: Hashable, Sendable { case met, superseded, timedOut, unloaded }

/// The transport commands: the newest is in force, and the waits of all older ones end.
struct TransportCommands<Condition> {
  private struct Waiter {
    let serial: UInt64
    let condition: Condition
    let outcome: OneShot<WaitOutcome>
  }

  /// The limit of the corrections after one play command.
  private static var maximumCorrections: Int { 3 }

  /// The number of commands so far; a command with a lower number has been superseded.
  private(set) var serial: UInt64 = 0
  private var waiters: [UInt64: Waiter] = [:]
  /// The number of consecutive checks that found the player off the line.
  private var corrections = 0

  /// A command begins: every wait of an older one ends.
  mutating func began() {
    serial += 1
    corrections = 0
    for (number, waiter) in waiters where waiter.serial < serial {
      waiters[number] = nil
      waiter.outcome.fulfil(.superseded)
    }
  }

  /// Returns whether a command is still in force.
  ///
  /// - Parameter serial: the command's number; nil for a wait that no command can supersede.
  func isInForce(_ serial: UInt64?) -> Bool { serial == nil || serial == self.serial }

  /// Returns whether playback that is off the line by `error` is to be corrected. After three corrections it isn't; and
  /// a small error that remains after the first is left to nudges.
  mutating func mayCorrect(_ error: Duration, tolerance: Duration) -> Bool {
    let limit = corrections == 0 ? tolerance : max(tolerance, PlayPlan.tolerance)
    guard error.magnitude > limit, corrections < Self.maximumCorrections else {
      corrections = 0
      return false
    }
    corrections += 1
    return true
  }

  // MARK: Waits

  /// A wait begins.
  ///
  /// - Parameter serial: the command that waits; nil if no command can supersede the wait.
  mutating func wait(
    _ number: UInt64, serial: UInt64?, for condition: Condition
  ) -> OneShot<WaitOutcome> {
    let outcome = OneShot<WaitOutcome>()
    waiters[number] = Waiter(serial: serial ?? .max, condition: condition, outcome: outcome)
    return outcome
  }

  /// The conditions that are waited for, with the numbers of their waits.
  var conditions: [(number: UInt64, condition: Condition)] {
    waiters.map { ($0.key, $0.value.condition) }
  }

  /// A wait's condition holds.
  mutating func met(_ number: UInt64) { end(number, .met) }

  /// A wait has ended for another reason.
  mutating func gaveUp(_ number: UInt64) { waiters[number] = nil }

  /// The film is gone: every wait ends.
  mutating func unloaded() { for number in Array(waiters.keys) { end(number, .unloaded) } }

  private mutating func end(_ number: UInt64, _ outcome: WaitOutcome) {
    waiters.removeValue(forKey: number)?.outcome.fulfil(outcome)
  }
}
