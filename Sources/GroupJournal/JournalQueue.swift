import Dispatch

/// The executor of a journal. File access may be slow, and nothing may block Swift's cooperative pool.
final class JournalQueue: SerialExecutor {
  private let queue = DispatchQueue(label: "matinee.journal", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
