import Concurrency
import Timekeeping

extension MPVPlayer {
  /// Makes this the newest transport command; every wait of an older one ends at once.
  func supersedeTransport() {
    transportSerial += 1
    settlings = 0
    stopSettling()
    if let scheduledSpeed { deadlines.cancel(scheduledSpeed) }
    scheduledSpeed = nil
    if let start = scheduledStart, deadlines.cancel(start.timer) { forgetReply(start.answer) }
    let current = transportSerial
    for (id, waiter) in waiters where waiter.serial < current {
      waiters[id] = nil
      waiter.outcome.fulfil(.superseded)
    }
  }

  /// Waits until `condition` holds; it is evaluated again after each event.
  ///
  /// - Parameter serial: the transport command that waits; nil if no command can supersede the wait.
  func wait(
    serial: UInt64?, until deadline: HostTime,
    for condition: @escaping @Sendable (isolated MPVPlayer) -> Bool
  ) async -> WaitOutcome {
    if let serial, serial != transportSerial { return .superseded }
    if isShutDown { return .unloaded }
    if condition(self) { return .met }
    let id = makeObserver()
    let outcome = OneShot<WaitOutcome>()
    waiters[id] = Waiter(serial: serial ?? .max, condition: condition, outcome: outcome)
    let timer = deadlines.run(at: deadline) { outcome.fulfil(.timedOut) }
    let result = await outcome.value() ?? .superseded
    deadlines.cancel(timer)
    waiters[id] = nil
    // Met in the meantime, but a newer command is active by now.
    if result == .met, let serial, serial != transportSerial { return .superseded }
    return result
  }

  func wakeWaiters() {
    for (id, waiter) in waiters where waiter.condition(self) {
      waiters[id] = nil
      waiter.outcome.fulfil(.met)
    }
  }

  func unloadWaiters() {
    for (id, waiter) in waiters {
      waiters[id] = nil
      waiter.outcome.fulfil(.unloaded)
    }
  }

  func sleep(until deadline: HostTime, serial: UInt64) async -> WaitOutcome {
    let outcome = await wait(serial: serial, until: deadline, for: { _ in false })
    return outcome == .timedOut ? .met : outcome
  }
}
