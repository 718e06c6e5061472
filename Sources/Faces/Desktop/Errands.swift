import Concurrency
import MatineeKit
import NowPlaying
import Synchronization

/// Commands from the desktop that may take long, such as a film from a slow server. The caller waits for one second at
/// most, so that a later command, such as a pause, isn't delayed.
final class Errands: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var last = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private static let patience = Duration.seconds(1)

  /// - Returns: the command's result; success if it is still running.
  package func run(_ body: @escaping @Sendable () async -> RemoteCommandStatus) async
    -> RemoteCommandStatus
  {
    let result = OneShot<RemoteCommandStatus>()
    let number: Int? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.last += 1
      let number = state.last
      state.tasks[number] = Task { [weak self] in
        result.fulfil(await body())
        self?.forget(number)
      }
      return number
    }
    guard number != nil else { return .commandFailed }
    return await result.value(atMost: Self.patience) ?? .success
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
