@testable import GroupActivities
@testable import PlaybackCoordination

/// A coordinator publishes a start when all are ready, the frame of a pause, the end of a film, and a state whose author
/// lost its rights, without a user. A command that a user has given since the state from which that follows prevails,
/// although the publisher hasn't heard of it.
struct UndoneCommandChecker: Checker {
  let name = "what follows by itself undoes no command"
  /// The stamps of the users' commands, by item.
  private var commands: [String: [Stamp]] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .coordinated(let cause, let before) = occurrence, !before.isSuspended,
      !participant.isSuspended
    else { return nil }
    for (item, state) in participant.coordinator.states
    where state.stamp != before.stamps[item] && state.stamp.participant == participant.id {
      if cause == .user {
        commands[item, default: []].append(state.stamp)
        continue
      }
      guard state.change != .proposed else { continue }
      let heard = participant.coordinator.others.values.compactMap(\.state).filter {
        $0.item == item
      }
      guard let newest = (heard.map(\.stamp) + [before.stamps[item]].compactMap { $0 }).max(),
        let undone = commands[item]?.first(where: { newest < $0 && $0 < state.stamp })
      else { continue }
      return
        "\(participant.label) undoes a later command of \(simulation.label(undone.participant))"
    }
    return nil
  }
}
