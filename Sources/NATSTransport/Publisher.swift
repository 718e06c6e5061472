import Concurrency
import DequeModule
import Dispatch
import GroupActivities
import Synchronization
import Timekeeping

/// The thread that writes messages to the socket, behind a bounded queue.
final class Publisher: Sendable {
  private struct Entry: Sendable {
    let connection: NATSConnection
    let subject: String
    let payload: [UInt8]
  }

  private struct State: Sendable {
    var entries: Deque<Entry> = []
    var bytes = 0
    var isStarted = false
    var isStopped = false
    /// The time at which unsent messages are dropped.
    var deadline: HostTime?
  }

  private let state = Mutex(State())
  private let ready = DispatchSemaphore(value: 0)
  /// Fulfilled when the thread has ended.
  private let ended = OneShot<Void>()
  /// More than the session layer ever sends in a burst.
  private static let countLimit = 1024
  private static let byteLimit = 4 << 20

  /// Starts the thread at the first call.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted && !state.isStopped
    }
    if isFirst { OwnedThread.start("nats-publish") { [self] in run() } }
  }

  /// - Throws: kind `slow` when the queue is full, `closed` after ``stop()``.
  func enqueue(
    _ payload: [UInt8], to subject: String, over connection: NATSConnection
  ) throws(TransportError) {
    try state.withLock { state throws(TransportError) in
      guard !state.isStopped else { throw TransportError(.closed, "the connection was closed") }
      guard state.entries.count < Self.countLimit, state.bytes + payload.count <= Self.byteLimit
      else {
        throw TransportError(
          .slow,
          "the relay is too slow: \(state.entries.count) messages (\(state.bytes) bytes) are waiting to be sent"
        )
      }
      state.entries.append(Entry(connection: connection, subject: subject, payload: payload))
      state.bytes += payload.count
    }
    ready.signal()
  }

  /// Sends the queued messages, for a second at most, and ends the thread. Idempotent. One write
  /// may be under way at the end, so this takes no longer than a second and a write deadline.
  func stop() async {
    let isStarted = state.withLock { state in
      if !state.isStopped { state.deadline = .now() + .seconds(1) }
      state.isStopped = true
      return state.isStarted
    }
    guard isStarted else { return }
    ready.signal()
    await ended.certainValue()
  }

  private func run() {
    /// The connection that failed, to which nothing more is written: half a message may be on its
    /// way.
    var broken: NATSConnection?
    while true {
      ready.wait()
      let next = state.withLock { state -> Entry? in
        if let deadline = state.deadline, .now() >= deadline { state.entries.removeAll() }
        guard let entry = state.entries.popFirst() else { return nil }
        state.bytes -= entry.payload.count
        return entry
      }
      guard let next else {
        // Only `stop()` signals without an entry.
        guard state.withLock({ $0.isStopped }) else { continue }
        return ended.fulfil(())
      }
      guard broken !== next.connection else { continue }
      do throws(NATSError) {
        try next.connection.publish(next.payload, to: next.subject)
      } catch {
        broken = next.connection
        next.connection.observer.closed(reason: error.description)
      }
    }
  }
}
