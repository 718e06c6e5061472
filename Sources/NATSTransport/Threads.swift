import Foundation
import Synchronization
import Timekeeping

/// Starts a thread for calls that block, which Swift's own pool must not.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread { body() }
  thread.name = name
  thread.start()
}

/// Makes one blocking call on a thread of its own.
func blocking<Value: Sendable>(
  _ name: String, _ body: @escaping @Sendable () -> Value
) async -> Value {
  await withCheckedContinuation { continuation in
    startThread(named: name) { continuation.resume(returning: body()) }
  }
}

/// A flag that a thread can wait for.
final class Flag: Sendable {
  private let condition = NSCondition()
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() {
    condition.withLock { value.store(true, ordering: .releasing) }
    condition.broadcast()
  }

  /// Blocks until the flag is set, or the duration is over.
  func wait(atMost duration: Duration) {
    let deadline = Date(timeIntervalSinceNow: duration.inSeconds)
    condition.withLock {
      while !isSet, condition.wait(until: deadline) {}
    }
  }
}
