import GroupActivities
import Timekeeping

/// This user's question to the others: the film is paused, and starts when all who were asked are ready.
package struct ReadyCheck: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    case idle
    /// The others have been asked. Their players haven't learned of it yet.
    case asked
    case waiting(Set<Participant.ID>)
    /// All are ready. The number that was counted last, and the time of the next one.
    case counting(Int, until: HostTime)
  }

  package enum Action: Hashable, Sendable {
    case none
    /// Show the user which participants are missing.
    case show
    /// Show everyone the number of seconds until the start.
    case count(Int)
    case start
  }

  /// The largest number of seconds that are counted down before the start.
  package static let longestCountdown = 10

  private var state = State.idle
  private var countdown = 0

  package init() {}

  /// - Parameter countdown: the number of seconds that are counted down before the start.
  package mutating func asked(countdown: Int = 0) { (state, self.countdown) = (.asked, countdown) }

  /// The check is over: the film plays, or there is another one.
  package mutating func ended() { state = .idle }

  /// Notes the participants who haven't confirmed that they are ready.
  package mutating func note(_ missing: Set<Participant.ID>, at now: HostTime) -> Action {
    switch state {
    case .idle: return .none
    case .asked:
      guard !missing.isEmpty else { return .none }
      state = .waiting(missing)
      return .show
    case .waiting(missing): return .none
    case .waiting where missing.isEmpty: return count(countdown, at: now)
    case .counting where missing.isEmpty: return .none
    case .waiting, .counting:
      state = .waiting(missing)
      return .show
    }
  }

  package var nextDeadline: HostTime? {
    if case .counting(_, let time) = state { time } else { nil }
  }

  package mutating func timerFired(at now: HostTime) -> Action {
    guard case .counting(let last, let time) = state, time <= now else { return .none }
    return count(last - 1, at: now)
  }

  private mutating func count(_ number: Int, at now: HostTime) -> Action {
    state = number > 0 ? .counting(number, until: now + .seconds(1)) : .idle
    return number > 0 ? .count(number) : .start
  }
}
