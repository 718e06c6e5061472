@testable import GroupActivities
@testable import PlaybackCoordination

/// Checks that all participants use the same relay after the network has healed, or connected ones if some participants
/// don't reach each relay, or some follow no rules. Meanwhile they connect rarely to addresses that others only claim.
struct RelayChecker: Checker {
  let name = "all participants meet at one relay"
  /// The connections of one participant to claimed addresses: those at once, and those of each second, both of its program
  /// and of its transport.
  private static let tries = (burst: 16.0, perSecond: 0.4)

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .tick = occurrence else { return nil }
    let seconds = Double(simulation.now - participant.person.arrivesAt) / 1e9
    let tries = participant.relays.strangeTries
    guard Double(tries) > Self.tries.burst + Self.tries.perSecond * seconds else { return nil }
    return "\(participant.label) connected \(tries) times to addresses that it had never reached"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    guard simulation.scenario.hasRelays else { return nil }
    let villains = simulation.villains
    let honest = simulation.running.filter { !villains.contains($0.id) }
    let used = honest.map { ($0.label, $0.relays.current) }
    if let lost = used.first(where: { $0.1 == nil }) { return "\(lost.0) is at no relay" }
    // An owner that hears the others at its own relay may stay at one that passes nothing on.
    guard villains.isEmpty, simulation.scenario.blockedRelays.isEmpty else {
      return apart(honest, in: simulation)
    }
    guard let first = used.first, let other = used.first(where: { $0.1 != first.1 }) else {
      return nil
    }
    return "\(first.0) is at the relay of \(text(first.1)), and \(other.0) at that of "
      + text(other.1)
  }

  private func apart(
    _ participants: [SimulatedParticipant], in simulation: Simulation
  ) -> String? {
    for one in participants {
      for other in participants where one !== other && !simulation.sharesRelay(one, other) {
        return "the relays of \(one.label) and \(other.label) aren't connected"
      }
    }
    return nil
  }

  private func text(_ relay: Int?) -> String { relay.map { "number \($0)" } ?? "nobody" }
}
