import Foundation
import Synchronization

/// Cancels tasks that wait for elements of streams, while another thread sends elements to them.
package enum CancellationRace {
  private static let rounds = 2000

  /// Runs the race on two threads of its own, so that a deadlock doesn't stop the test that waits for the end.
  ///
  /// - Parameters:
  ///   - limit: decides only how long a failure takes.
  ///   - follow: returns a stream to wait for. Called once in each round.
  ///   - send: sends an element to the streams.
  /// - Returns: whether all tasks were cancelled and the sender came to its end. Otherwise the threads and tasks remain.
  package static func ends<Element: Sendable>(
    within limit: Duration = .seconds(60), follow: @escaping @Sendable () -> AsyncStream<Element>,
    send: @escaping @Sendable () -> Void
  ) async -> Bool {
    let isOver = Latch(), isSent = Latch()
    Thread.detachNewThread {
      while !isOver.isSet { send() }
      isSent.set()
    }
    Thread.detachNewThread {
      for round in 0..<rounds {
        let stream = follow()
        let task = Task { for await _ in stream {} }
        // The race needs a task that waits, which takes some microseconds; the delays cover the time around that.
        usleep(useconds_t(round % 100))
        task.cancel()
      }
      isOver.set()
    }
    let deadline = ContinuousClock.now + limit
    while !(isOver.isSet && isSent.isSet) {
      guard ContinuousClock.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return true
  }

  private final class Latch: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
  }
}
