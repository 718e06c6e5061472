import Concurrency
import Dispatch
import Glibc
import Synchronization

/// A thread that runs an actor's jobs one after the other, because ncurses must be called from one thread.
final class OwnerThread: SerialExecutor, Sendable {
  private struct Inbox: Sendable {
    var work: [Work] = []
    /// The number of actions in `work`.
    var actions = 0
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

  /// The number of actions that may wait; twice as many if they are essential. A thread that is that far behind hangs.
  ///
  /// The number of waiting jobs is that of the actor's callers, who all wait for an answer.
  static let actionLimit = 1024

  /// Runs `action` on the thread after everything that is queued, so that the effects of input have the order of the
  /// input.
  ///
  /// - Returns: false if it was refused, because too many wait.
  @discardableResult
  func perform(isEssential: Bool = false, _ action: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = inbox.withLock { inbox in
      guard inbox.actions < Self.actionLimit * (isEssential ? 2 : 1) else { return false }
      inbox.actions += 1
      inbox.work.append(.perform(action))
      return true
    }
    if isTaken { ready.signal() }
    return isTaken
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
        defer {
          inbox.work.removeAll()
          inbox.actions = 0
        }
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
