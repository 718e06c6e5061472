import Synchronization

/// A value that any number of tasks may follow. Each task gets the current value first and then each newer
/// one; a slow task misses values in between.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var isFinished = false
    var nextID = 0
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let state: Mutex<State>

  init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

  var value: Value? { state.withLock { $0.value } }

  func send(_ value: Value) {
    let continuations = state.withLock { state in
      state.value = value
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.yield(value) }
  }

  func finish() {
    let continuations = state.withLock { state in
      state.isFinished = true
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }

  func values() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      if let value = state.value { continuation.yield(value) }
      guard !state.isFinished else { return nil }
      state.nextID += 1
      state.continuations[state.nextID] = continuation
      return state.nextID
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
