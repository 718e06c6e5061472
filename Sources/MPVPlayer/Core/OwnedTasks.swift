/// The tasks that a player owns, one for each role.
struct OwnedTasks: Sendable {
  enum Role: Hashable, Sendable {
    /// The task after a play command has returned, which checks that the player is on the line.
    case settling
    /// The measurement each second.
    case ticking
    /// The second reading of `pause`.
    case doubting
    /// The search for a device while the sound is lost.
    case soundSearch
    case deviceSearch
    /// The wait for further files that are appended to mpv's list.
    case listing
    /// The delayed report of the film's end, until the end is perceived.
    case endReport
  }

  private var tasks: [Role: (number: Int, task: Task<Void, Never>)] = [:]
  private var lastNumber = 0

  /// Returns whether a task of this role runs, as far as is known.
  func hasTask(_ role: Role) -> Bool { tasks[role] != nil }

  /// Cancels the role's task, and starts another one.
  ///
  /// - Parameter start: receives the task's number, for ``ended(_:number:)``.
  mutating func replace(_ role: Role, by start: (Int) -> Task<Void, Never>) {
    cancel(role)
    lastNumber += 1
    tasks[role] = (lastNumber, start(lastNumber))
  }

  mutating func cancel(_ role: Role) { tasks.removeValue(forKey: role)?.task.cancel() }

  /// A task has ended on its own. The end of one that was replaced changes nothing.
  mutating func ended(_ role: Role, number: Int) {
    if tasks[role]?.number == number { tasks[role] = nil }
  }

  /// Cancels all tasks, when their owner is gone.
  func cancelAll() {
    for (_, task) in tasks.values { task.cancel() }
  }
}
