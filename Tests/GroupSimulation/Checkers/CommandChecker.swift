import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// Every command that a coordinator issues is answered exactly once, and no coordinator waits for
/// an answer that it has.
struct CommandChecker: Checker {
  let name = "every command is completed exactly once"
  /// The commands without an answer, by participant.
  private var open: [Int: [UInt64: PlayerDirective]] = [:]
  private var newest: [Int: UInt64] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .issued(let directive, _, _):
      if let last = newest[participant.index], directive.id <= last {
        return "\(participant.label) issues command \(directive.id) after \(last)"
      }
      newest[participant.index] = directive.id
      open[participant.index, default: [:]][directive.id] = directive
    case .answered(let directive, _):
      guard open[participant.index]?.removeValue(forKey: directive.id) != nil else {
        return "\(participant.label)'s command \(directive.id) is answered twice"
      }
    case .gone: open[participant.index] = nil
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running where participant.player.pending == nil {
      if let id = open[participant.index]?.keys.min() {
        return "\(participant.label)'s command \(id) is never answered"
      }
      if let inFlight = participant.coordinator.inFlight {
        return "\(participant.label) still waits for the answer to \(inFlight.directive.id)"
      }
    }
    return nil
  }
}
