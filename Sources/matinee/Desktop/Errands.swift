import NowPlaying
import Synchronization
import Timekeeping

/// Commands of the desktop's that may take long: a film from a slow server, say. Whoever asked waits for a moment at
/// most, so that a pause after it isn't kept waiting.
final class Errands: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var last = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private static let patience = Duration.seconds(1)

  /// - Returns: what came of it; success if it is still being done.
  func run(_ body: @escaping @Sendable () async -> RemoteCommandStatus) async -> RemoteCommandStatus
  {
    let (results, result) = AsyncStream.makeStream(of: RemoteCommandStatus.self)
    let number: Int? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.last += 1
      let number = state.last
      state.tasks[number] = Task { [weak self] in
        result.yield(await body())
        result.finish()
        self?.forget(number)
      }
      return number
    }
    guard number != nil else { return .commandFailed }
    let alarm = Task {
      try? await Task.sleep(for: Self.patience, clock: .suspending)
      result.finish()
    }
    defer { alarm.cancel() }
    var iterator = results.makeAsyncIterator()
    return await iterator.next() ?? .success
  }

  func cancel() {
    let tasks = state.withLock { state in
      defer { state.tasks = [:] }
      state.isOver = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  private func forget(_ number: Int) { state.withLock { $0.tasks[number] = nil } }
}
