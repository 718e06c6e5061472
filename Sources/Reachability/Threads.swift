import Foundation
import Synchronization

/// Makes one blocking call on a thread of its own, since Swift's pool must not block.
///
/// - Parameter limit: the time after which the result is nil instead of the call's value. The call continues to its own
///   end, and its value is discarded.
func blocking<Value: Sendable>(
  _ name: String, atMost limit: Duration, _ body: @escaping @Sendable () -> Value
) async -> Value? {
  let answer = Answer<Value>()
  let alarm = Task {
    try? await Task.sleep(for: limit, clock: .suspending)
    answer.give(nil)
  }
  defer { alarm.cancel() }
  return await withCheckedContinuation { continuation in
    answer.wait(with: continuation)
    startThread(named: name) { answer.give(body()) }
  }
}

func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread { body() }
  thread.name = name
  thread.start()
}

/// Resumes its continuation once, with the first value.
private final class Answer<Value: Sendable>: Sendable {
  private let waiting = Mutex<CheckedContinuation<Value?, Never>?>(nil)

  func wait(with continuation: CheckedContinuation<Value?, Never>) {
    waiting.withLock { $0 = continuation }
  }

  func give(_ value: Value?) {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }?.resume(returning: value)
  }
}
