import CEpoll
import Concurrency
import Glibc
import Synchronization

/// The thread that runs a ``RelayLoop``, and the way to it from other threads.
final class LoopThread: Sendable {
  typealias Job = @Sendable (RelayLoop) -> Void

  private struct State: Sendable {
    var jobs: [Job] = []
    /// The number of offered jobs in `jobs`.
    var offered = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  /// An eventfd(2) that is written to when there are jobs.
  private let bell: CInt

  /// - Parameter make: makes the loop, on the thread.
  init(_ make: @escaping @Sendable () -> RelayLoop) {
    bell = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(bell >= 0, "eventfd: errno \(errno)")
    OwnedThread.start("relay") { [self] in
      let loop = make()
      loop.watch(bell)
      repeat {
        loop.runOnce()
        runJobs(on: loop)
      } while !state.withLock { $0.isStopped && $0.jobs.isEmpty }
      loop.close()
    }
  }

  // The thread keeps a reference to this object until it has stopped.
  deinit { Glibc.close(bell) }

  /// The limit of offered jobs that wait: a burst larger than any that the session layer sends, and at 64 KiB each still
  /// only 64 MiB.
  static let offerLimit = 1024

  enum Offer: Hashable, Sendable { case taken, full, stopped }

  /// Runs `job` like ``execute(_:)``, unless too many offered jobs wait.
  func offer(_ job: @escaping Job) -> Offer {
    let offer = state.withLock { state -> Offer in
      guard !state.isStopped else { return .stopped }
      guard state.offered < Self.offerLimit else { return .full }
      state.offered += 1
      state.jobs.append(job)
      return .taken
    }
    if offer == .taken { ring() }
    return offer
  }

  /// Runs `job` on the thread, after the jobs before it. Any thread may call this. The callers wait for their jobs, so
  /// their number is the bound.
  ///
  /// - Returns: false if the thread was stopped.
  @discardableResult
  func execute(_ job: @escaping Job) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isStopped else { return false }
      state.jobs.append(job)
      return true
    }
    if isTaken { ring() }
    return isTaken
  }

  /// Runs `body` on the thread and returns its result; nil if the thread was stopped.
  func submit<Value: Sendable>(_ body: @escaping @Sendable (RelayLoop) -> Value) async -> Value? {
    let answer = OneShot<Value>()
    guard execute({ loop in answer.fulfil(body(loop)) }) else { return nil }
    return await answer.certainValue()
  }

  /// Ends the thread after the jobs that it was given before. Idempotent.
  func stop() {
    state.withLock { $0.isStopped = true }
    ring()
  }

  private func runJobs(on loop: RelayLoop) {
    let jobs = state.withLock { state in
      defer {
        state.jobs = []
        state.offered = 0
      }
      return state.jobs
    }
    for job in jobs { job(loop) }
  }

  private func ring() {
    var one: UInt64 = 1
    // The write fails only if the counter is full; then the thread is woken anyway.
    _ = write(bell, &one, 8)
  }
}
