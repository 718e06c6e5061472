import Synchronization

/// A value that arrives once, from any thread, for any number of waiting tasks.
package final class OneShot<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    /// The waiters that gave up before they began to wait.
    var givenUp: Set<Int> = []
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The value; nil until it arrives.
  package var current: Value? { state.withLock { $0.value } }

  /// Sets the value. The first call wins; later ones have no effect.
  package func fulfil(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Returns: nil if the task is cancelled before the value arrives.
  package func value() async -> Value? {
    let waiter = makeWaiter()
    return await withTaskCancellationHandler {
      await wait(as: waiter)
    } onCancel: {
      giveUp(waiter)
    }
  }

  /// Waits for the value for a limited time, even if the task is cancelled: a caller that cleans up still waits.
  ///
  /// - Returns: nil if the value doesn't arrive in time.
  package func value(
    atMost limit: Duration, clock: some Clock<Duration> = SuspendingClock()
  ) async -> Value? {
    if let current { return current }
    let waiter = makeWaiter()
    let alarm = Task {
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      giveUp(waiter)
    }
    defer { alarm.cancel() }
    return await wait(as: waiter)
  }

  /// Waits for the value without a limit, even if the task is cancelled. The caller knows that it arrives.
  package func certainValue() async -> Value { await wait(as: makeWaiter())! }

  private func makeWaiter() -> Int {
    state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
  }

  private func wait(as waiter: Int) async -> Value? {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.value != nil || state.givenUp.remove(waiter) != nil { return true }
        state.waiters[waiter] = continuation
        return false
      }
      if isReady { continuation.resume(returning: current) }
    }
  }

  private func giveUp(_ waiter: Int) {
    let continuation = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      guard state.value == nil else { return nil }
      if let waiting = state.waiters.removeValue(forKey: waiter) { return waiting }
      state.givenUp.insert(waiter)
      return nil
    }
    continuation?.resume(returning: nil)
  }
}
