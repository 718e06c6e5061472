import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// Every wait for a start ends by its due date. If the participant that was to publish the start
/// has left, the others follow, 0.4 s each. A timer that fired is done: a machine whose next
/// deadline has already passed would make its shell loop.
struct WaitChecker: Checker {
  let name = "every wait ends by its due date"
  /// The last announcement of a wait at each participant.
  private var told: [Int: WaitingForParticipants] = [:]
  private static let grace = Nanoseconds.milliseconds(100)

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .waiting(let waiting): told[participant.index] = waiting
    case .gone: told[participant.index] = nil
    case .coordinated(.timer, _):
      let now = participant.groupTime(at: simulation.now)
      if let next = participant.coordinator.nextDeadline, next <= now {
        return "\(participant.label)'s timer has fired, and is due again at once"
      }
    case .tick:
      // A process that got no time could not keep any date.
      guard participant.thawedAt == 0 || participant.thawedAt + .seconds(1) < simulation.now else {
        return nil
      }
      let now = participant.groupTime(at: simulation.now)
      let others = Nanoseconds(simulation.participants.count)
      var slack = .milliseconds(400) * (others + 1) + Self.grace
      if participant.coordinator.controllers != nil {
        // If no participant that may start it is there, all start on their own.
        slack += CoordinatorMachine.overdueWait.inNanoseconds
      }
      if let state = participant.coordinator.state, case .starting(_, let due) = state.phase,
        now.nanoseconds > due.nanoseconds + slack
      {
        return "\(participant.label) holds a start that was due "
          + "\((now.nanoseconds - due.nanoseconds).secondsText) s ago"
      }
      if let waiting = told[participant.index],
        now.nanoseconds > waiting.due.nanoseconds + slack
      {
        return "\(participant.label) says that it waits, "
          + "\((now.nanoseconds - waiting.due.nanoseconds).secondsText) s after the due date"
      }
    default: break
    }
    return nil
  }
}
