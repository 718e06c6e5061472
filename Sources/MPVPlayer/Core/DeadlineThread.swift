import Concurrency
import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs short closures at exact instants, on a thread of its own. Swift's clocks wake tasks up to milliseconds late,
/// and use a different clock from ours.
///
/// The thread costs nothing while nothing is due.
///
/// `@unchecked Sendable`: the C objects live on the heap from `init` to `deinit`, and everything else is accessed only
/// with `mutex` held.
final class DeadlineThread: @unchecked Sendable {
  typealias Token = UInt64

  /// The thread wakes this much early and then watches the clock: `pthread_cond_timedwait` wakes
  /// 50 µs or more late, which is the kernel's default timer slack.
  private static let spin = Duration.microseconds(200)

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var entries: [Token: (deadline: HostTime, body: @Sendable () -> Void)] = [:]
  private var lastToken: Token = 0
  private var isStopped = false
  private var isRunning = false

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` at `deadline`, or as soon as possible if that has passed. Never runs it after ``stop()``.
  ///
  /// - Parameter body: a short closure; it runs with the lock held, so it can't call this object.
  @discardableResult
  func run(at deadline: HostTime, _ body: @escaping @Sendable () -> Void) -> Token {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    lastToken += 1
    guard !isStopped else { return lastToken }
    entries[lastToken] = (deadline, body)
    if !isRunning {
      isRunning = true
      // Keeps `self` alive until `stop()`.
      OwnedThread.start("deadlines") { self.loop() }
    }
    pthread_cond_signal(condition)
    return lastToken
  }

  /// Cancels a closure. Once this returns, the closure either has finished or never runs.
  ///
  /// - Returns: whether it was cancelled in time.
  @discardableResult
  func cancel(_ token: Token) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return entries.removeValue(forKey: token) != nil
  }

  /// Discards all closures that have not run, and ends the thread.
  func stop() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isStopped = true
    entries = [:]
    pthread_cond_signal(condition)
  }

  private func loop() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isStopped {
      guard let (token, entry) = entries.min(by: { $0.value.deadline < $1.value.deadline }) else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      guard entry.deadline - HostTime.now() <= Self.spin else {
        var wake = timespec(entry.deadline - Self.spin)
        pthread_cond_timedwait(condition, mutex, &wake)
        continue  // a nearer deadline may have come, or this one may be gone
      }
      while HostTime.now() < entry.deadline {}
      entries[token] = nil
      entry.body()
    }
  }
}

extension timespec {
  fileprivate init(_ time: HostTime) {
    let nanoseconds = max(time.nanoseconds, 0)
    self.init(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
