import Foundation
import Synchronization

/// Makes one blocking call on a thread of its own, which Swift's pool must not do.
///
/// - Parameter limit: after which nil comes instead of the call's value; the call runs on, to its own
///   end, and what it gives then goes nowhere.
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

/// Resumes its continuation once, with what is given first.
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
