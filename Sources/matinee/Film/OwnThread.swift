import Foundation
import Synchronization

/// What may wait for a disk that sleeps or lies far away, off the threads that everybody shares.
enum OwnThread {
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  /// - Returns: nil if it takes longer than that: it is left to itself then.
  static func run<Value: Sendable>(
    atMost limit: Duration, _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      let waiter = Waiter(continuation)
      Thread.detachNewThread { waiter.end(body()) }
      // It ends with the time, whoever was first.
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

    /// Whoever comes second is too late.
    func end(_ value: Value?) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(returning: value)
    }
  }
}
