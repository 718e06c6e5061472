import Dispatch
import Synchronization
import Timekeeping

/// A flag that is set once and that threads, not tasks, wait for.
package final class ThreadFlag: Sendable {
  private let value = Atomic(false)
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  /// Sets the flag. Idempotent.
  package func set() {
    if !value.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  /// Blocks the thread until the flag is set.
  package func wait() {
    semaphore.wait()
    // For the next thread that waits.
    semaphore.signal()
  }

  /// Blocks the thread until the flag is set, or the limit is over.
  package func wait(atMost limit: Duration) {
    guard semaphore.wait(timeout: .now() + .nanoseconds(Int(limit.inNanoseconds))) == .success
    else { return }
    semaphore.signal()
  }
}
