import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// While a participant is suspended, the others' actions don't move its player, and its actions
/// don't move theirs: its player follows a state of its own, and no command of the group has its
/// stamp. Its proposal for an item without a state of the group is older than any command.
struct SuspensionChecker: Checker {
  /// All stamps that were ever published: a stamp that returns is not new.
  private var published: Set<Stamp> = []
  /// The participants that were suspended after their last occurrence.
  private var suspended: Set<Int> = []
  let name = "a suspended participant neither moves nor is moved"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    let isSuspended = participant.isSuspended
    defer {
      if case .coordinated = occurrence {
        if isSuspended {
          suspended.insert(participant.index)
        } else {
          suspended.remove(participant.index)
        }
      }
    }
    if case .published(let report) = occurrence, let state = report.state {
      defer { published.insert(state.stamp) }
      if isSuspended, suspended.contains(participant.index),
        state.stamp.participant == participant.id, state.stamp.time > 0,
        !published.contains(state.stamp)
      {
        return "\(participant.label) is suspended and publishes a change of \(state.item)"
      }
    }
    switch occurrence {
    case .issued(let directive, .heard(let sender), let before)
    where before.isSuspended && isSuspended:
      if let originator = directive.originator, originator != participant.id {
        return "\(participant.label) is suspended and its player is moved for another"
      }
      guard participant.coordinator.ownState?.stamp.participant == participant.id else {
        return "\(participant.label) is suspended and moves by a report of \(sender)"
      }
    case .coordinated(.heard, let before) where before.isSuspended && isSuspended:
      guard let own = participant.coordinator.ownState, own != before.ownState else { break }
      // The participant's own start may be due at just this moment.
      if case .starting = before.ownState?.phase, own.stamp.participant == participant.id { break }
      return "\(participant.label) is suspended and its own state changes by a report"
    case .coordinated(_, let before) where before.isSuspended && isSuspended:
      for (item, state) in participant.coordinator.states
      where state.stamp != before.stamps[item] && state.stamp.participant == participant.id
        && state.stamp.time > 0 && !published.contains(state.stamp)
      {
        return "\(participant.label) is suspended and changes the group's \(item)"
      }
    default: break
    }
    return nil
  }
}
