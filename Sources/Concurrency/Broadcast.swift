import Synchronization

/// A value that any number of tasks may follow. Each task gets the current value first and then each newer one.
///
/// One value waits for each task: a slow task misses values in between, and always gets the newest.
package final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var isFinished = false
    var nextID = 0
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let state: Mutex<State>
  /// Held while values are delivered, so that the newest value is the last one that each task gets.
  ///
  /// It isn't the lock of ``state``. Delivering a value locks the record of the task that waits for it, and cancelling
  /// that task holds the record while it removes the task here: with one lock each would wait for the other.
  private let delivery = Mutex(())

  /// - Parameter value: the current value; nil for none yet.
  package init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

  /// The current value; nil before the first.
  package var value: Value? { state.withLock { $0.value } }

  /// Sets the value, and delivers it to all tasks that follow.
  package func send(_ value: Value) {
    delivery.withLock { _ in
      let continuations = state.withLock { state in
        state.value = value
        return Array(state.continuations.values)
      }
      for continuation in continuations { continuation.yield(value) }
    }
  }

  /// Ends the sequences of all tasks, after the value that waits for each of them. Idempotent.
  package func finish() {
    let continuations = state.withLock { state in
      state.isFinished = true
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }

  /// Returns the current value and the newer ones, for one task.
  package func values() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = delivery.withLock { _ in
      let (value, id) = state.withLock { state -> (Value?, Int?) in
        guard !state.isFinished else { return (state.value, nil) }
        state.nextID += 1
        state.continuations[state.nextID] = continuation
        return (state.value, state.nextID)
      }
      if let value { continuation.yield(value) }
      return id
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.continuations[id] = nil }
    }
    return stream
  }
}
