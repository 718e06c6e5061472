import Concurrency
import Dispatch
import Glibc
import Synchronization

/// A thread that runs an actor's jobs one after the other, because ncurses must be called from one thread.
final class OwnerThread: SerialExecutor, Sendable {
  private struct Inbox: Sendable {
    var work: [Work] = []
    var isStopped = false
  }

  private enum Work: Sendable {
    case job(UnownedJob)
    case perform(@Sendable () -> Void)
  }

  private let inbox = Mutex(Inbox())
  private let ready = DispatchSemaphore(value: 0)
  /// The thread's identity once it runs, for ``checkIsolated()``.
  private let identity = Atomic<UInt>(0)

  /// Starts the thread.
  ///
  /// - Throws: ``TerminalError/system(operation:code:)`` if the system can't make a thread.
  func start(name: String) throws(TerminalError) {
    try TerminalError.withThread(name) { [self] in run() }
  }

  /// Ends the thread after the work that is queued.
  func stop() {
    inbox.withLock { $0.isStopped = true }
    ready.signal()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    inbox.withLock { $0.work.append(.job(job)) }
    ready.signal()
  }

  /// Runs `action` on the thread after everything that is queued, so that the effects of input have the order of the
  /// input.
  func perform(_ action: @escaping @Sendable () -> Void) {
    inbox.withLock { $0.work.append(.perform(action)) }
    ready.signal()
  }

  func checkIsolated() {
    precondition(
      identity.load(ordering: .acquiring) == UInt(pthread_self()), "not on the screen's thread")
  }

  private func run() {
    identity.store(UInt(pthread_self()), ordering: .releasing)
    while true {
      ready.wait()
      let (batch, isStopped) = inbox.withLock { inbox in
        defer { inbox.work.removeAll() }
        return (inbox.work, inbox.isStopped)
      }
      for work in batch {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .perform(let action): action()
        }
      }
      if isStopped, batch.isEmpty { return }
    }
  }
}

extension TerminalError {
  /// Runs `body` on a new thread.
  static func withThread(
    _ name: String, _ body: @escaping @Sendable () -> Void
  ) throws(TerminalError) {
    do {
      try OwnedThread.make(name, body)
    } catch {
      throw .system(operation: "pthread_create", code: error.code)
    }
  }
}
