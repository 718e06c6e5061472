import Synchronization

/// A value that arrives once, from any thread, for one waiting task.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value?, Never>)
    case done(Value?)
  }

  private let state = Mutex(State.empty)

  /// Sets the value. The first call wins; later ones have no effect.
  func fulfil(_ value: Value) { finish(value) }

  /// Waits for the value; called at most once. Returns nil if the task is cancelled before the value arrives.
  func value() async -> Value? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Value?? = state.withLock { state in
          switch state {
          case .empty:
            state = .waiting(continuation)
            return .none
          case .done(let value): return .some(value)
          case .waiting: preconditionFailure("a one-shot value has one reader")
          }
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      finish(nil)
    }
  }

  private func finish(_ value: Value?) {
    let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .done(value)
        return nil
      case .waiting(let continuation):
        state = .done(value)
        return continuation
      case .done: return nil
      }
    }
    waiting?.resume(returning: value)
  }
}

/// A latch that opens once; any number of tasks can wait for it.
final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}
