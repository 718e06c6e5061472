import Concurrency
import Timekeeping

extension MPVPlayer {
  /// Makes this the newest transport command; every wait of an older one ends at once.
  func supersedeTransport() {
    stopSettling()
    if let change = speed.superseded() { deadlines.cancel(change) }
    if let start = speed.scheduledStart, deadlines.cancel(start.timer) {
      requests.forget(start.answer)
    }
    transport.began()
  }

  /// The number of the newest transport command.
  var transportSerial: UInt64 { transport.serial }

  /// Waits until `condition` holds; it is evaluated again after each event.
  ///
  /// - Parameter serial: the transport command that waits; nil if no command can supersede the wait.
  func wait(
    serial: UInt64?, until deadline: HostTime,
    for condition: @escaping Condition
  ) async -> WaitOutcome {
    guard transport.isInForce(serial) else { return .superseded }
    if lifecycle.isShutDown { return .unloaded }
    if condition(self) { return .met }
    let number = requests.makeNumber()
    let outcome = transport.wait(number, serial: serial, for: condition)
    let timer = deadlines.run(at: deadline) { outcome.fulfil(.timedOut) }
    let result = await outcome.value() ?? .superseded
    deadlines.cancel(timer)
    transport.gaveUp(number)
    // Met in the meantime, but a newer command is active by now.
    return result == .met && !transport.isInForce(serial) ? .superseded : result
  }

  func wakeWaiters() {
    for (number, condition) in transport.conditions where condition(self) {
      transport.met(number)
    }
  }

  func sleep(until deadline: HostTime, serial: UInt64) async -> WaitOutcome {
    let outcome = await wait(serial: serial, until: deadline, for: { _ in false })
    return outcome == .timedOut ? .met : outcome
  }
}
