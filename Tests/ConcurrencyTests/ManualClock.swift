import Synchronization
import Timekeeping

/// A clock that moves when a test says so. Nothing in these tests waits for a real one.
final class ManualClock: Clock, Sendable {
  private struct State {
    var now = HostTime(nanoseconds: 0)
    var sleepers: [Int: (due: HostTime, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var last = 0
  }

  private let state = Mutex(State())
  let asleep: AsyncStream<HostTime>
  private let sleeping: AsyncStream<HostTime>.Continuation

  init() { (asleep, sleeping) = AsyncStream.makeStream() }

  var now: HostTime { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns when something has begun to sleep.
  func waitForSleeper() async {
    var sleepers = asleep.makeAsyncIterator()
    _ = await sleepers.next()
  }

  func advance(by distance: Duration) {
    let due = state.withLock { state in
      state.now = state.now + distance
      let now = state.now
      let due = state.sleepers.filter { $0.value.due <= now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  func sleep(until deadline: HostTime, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[number] = (deadline, continuation)
          return nil
        }
        if let isOver { continuation.resume(with: isOver) }
        sleeping.yield(deadline)
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)?.continuation
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }
}
