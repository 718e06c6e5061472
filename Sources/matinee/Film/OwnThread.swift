import Foundation
import Synchronization

/// Runs code that may wait for a sleeping or remote disk, off the threads that all tasks share.
enum OwnThread {
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  /// - Returns: nil if the code takes longer than the limit; it then continues without a caller.
  static func run<Value: Sendable>(
    atMost limit: Duration, _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      let waiter = Waiter(continuation)
      Thread.detachNewThread { waiter.end(body()) }
      // This task ends after the limit in any case.
      Task {
        try? await Task.sleep(for: limit, clock: .suspending)
        waiter.end(nil)
      }
    }
  }

  private final class Waiter<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
      self.continuation = Mutex(continuation)
    }

    /// Resumes the waiting caller. Only the first call has an effect.
    func end(_ value: Value?) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(returning: value)
    }
  }
}
