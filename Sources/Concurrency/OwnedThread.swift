import CThreads
import Glibc

/// A thread for calls that block, which Swift's pool must not do.
package enum OwnedThread {
  /// The error of a system that can't make a thread; `code` is an `errno`.
  package struct Failure: Error, Hashable, Sendable {
    package let code: CInt
  }

  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// - Parameter name: at most 15 bytes, shown by `top -H` and debuggers.
  package static func make(
    _ name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(name, body))
    let status = pthread_create(
      &thread, nil,
      { argument in
        let work = Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue()
        cthreads_name(work.name)
        work.body()
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      throw Failure(code: status)
    }
    pthread_detach(thread)
  }

  /// Runs `body` on a new thread, without which the program can't continue.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    do {
      try make(name, body)
    } catch {
      preconditionFailure("no thread for \(name): errno \(error.code)")
    }
  }

  /// Makes one blocking call on a thread of its own, and waits for it even if the task is cancelled.
  package static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    let answer = OneShot<Value>()
    start(name) { answer.fulfil(body()) }
    return await answer.certainValue()
  }

  /// Makes one blocking call on a thread of its own.
  ///
  /// - Returns: nil if the call takes longer than the limit. It then continues to its own end, and its value is
  ///   discarded.
  package static func run<Value: Sendable>(
    _ name: String, atMost limit: Duration, clock: some Clock<Duration> = SuspendingClock(),
    _ body: @escaping @Sendable () -> Value
  ) async -> Value? {
    let answer = OneShot<Value>()
    start(name) { answer.fulfil(body()) }
    return await answer.value(atMost: limit, clock: clock)
  }
}
