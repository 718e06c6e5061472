import Timekeeping

/// The alarm of an actor: a task that sleeps until a time and then calls the actor.
///
/// It belongs to the actor that owns it, and ends with it.
package final class Alarm {
  package typealias Sleep = @Sendable (HostTime) async throws -> Void

  private let sleep: Sleep
  private var task: Task<Void, Never>?

  /// - Parameter sleep: returns at a time, not before, or throws if its task is cancelled.
  package init(sleep: @escaping Sleep = Alarm.sleep(until:)) { self.sleep = sleep }

  deinit { task?.cancel() }

  /// Makes a change that a host returned.
  ///
  /// - Parameter ring: called with the alarm's number when it is due. Doesn't own the actor.
  package func perform(
    _ change: AlarmSetting.Change?, ring: @escaping @Sendable (_ number: Int) async -> Void
  ) {
    switch change {
    case nil: break
    case .cancel:
      task?.cancel()
      task = nil
    case .set(let due, let number):
      task?.cancel()
      task = Task { [sleep] in
        guard (try? await sleep(due)) != nil, !Task.isCancelled else { return }
        await ring(number)
      }
    }
  }

  /// Sleeps until a time of this machine's clock. The clock is the one that stops while the machine sleeps.
  static func sleep(until due: HostTime) async throws {
    try await Task.sleep(for: max(Duration.zero, due - .now()), clock: .suspending)
  }
}
