@testable import GroupActivities
@testable import PlaybackCoordination

/// No command for another item than the player's is ever applied, none is issued while the player
/// loads, and a report about one item changes the state of no other.
struct ItemChecker: Checker {
  let name = "items are independent"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .issued(let directive, _, _):
      if directive.item != participant.coordinator.currentItem {
        return "\(participant.label) is commanded for \(directive.item), "
          + "having \(participant.coordinator.currentItem ?? "nothing")"
      }
      if participant.player.item == nil {
        return "\(participant.label) is commanded while its player is loading"
      }
    case .applied(let directive):
      if directive.item != participant.player.item {
        return "\(participant.label)'s player applies a command for \(directive.item)"
      }
    case .coordinated(.heard(let sender), let before):
      guard let report = participant.coordinator.others[sender] else { return nil }
      for (item, state) in participant.coordinator.states
      where state.stamp != before.stamps[item] && item != report.state?.item {
        // A start that waited only for this report is published now.
        if item == participant.coordinator.currentItem, state.stamp.participant == participant.id {
          continue
        }
        return "\(participant.label)'s \(item) changes by a report on \(report.item ?? "nothing")"
      }
    default: break
    }
    return nil
  }
}
