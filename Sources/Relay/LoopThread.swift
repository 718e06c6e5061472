import CEpoll
import Glibc
import Synchronization

/// The thread that a ``RelayLoop`` lives on, and the way to it from others.
final class LoopThread: Sendable {
  typealias Job = @Sendable (RelayLoop) -> Void

  private struct State: Sendable {
    var jobs: [Job] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  /// An eventfd(2), written to when there are jobs.
  private let bell: CInt

  /// - Parameter make: makes the loop, on the thread.
  init(_ make: @escaping @Sendable () -> RelayLoop) {
    bell = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(bell >= 0, "eventfd: errno \(errno)")
    start { [self] in
      let loop = make()
      loop.watch(bell)
      repeat {
        loop.runOnce()
        runJobs(on: loop)
      } while !state.withLock { $0.isStopped && $0.jobs.isEmpty }
      loop.close()
    }
  }

  // The thread holds on to this object until it has stopped.
  deinit { Glibc.close(bell) }

  /// Runs `job` on the thread, after those before it; from any thread.
  ///
  /// - Returns: false when the thread has been stopped.
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

  /// Runs `body` on the thread and returns what it returns; nil when the thread has been stopped.
  func submit<Value: Sendable>(_ body: @escaping @Sendable (RelayLoop) -> Value) async -> Value? {
    await withCheckedContinuation { continuation in
      let isTaken = execute { loop in continuation.resume(returning: body(loop)) }
      if !isTaken { continuation.resume(returning: nil) }
    }
  }

  /// Ends the thread when it has done what it was given before. Idempotent.
  func stop() {
    state.withLock { $0.isStopped = true }
    ring()
  }

  private func runJobs(on loop: RelayLoop) {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    for job in jobs { job(loop) }
  }

  private func ring() {
    var one: UInt64 = 1
    // It fails only when the counter is full, and then it rings already.
    _ = write(bell, &one, 8)
  }

  private func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(run: body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        pthread_setname_np(pthread_self(), "relay")
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    precondition(status == 0, "a thread can't be started: errno \(status)")
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
