@testable import GroupActivities
@testable import PlaybackCoordination

/// Checks that all participants use the same relay after the network has healed, or connected ones if some participants
/// don't reach each relay.
struct RelayChecker: Checker {
  let name = "all participants meet at one relay"

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    guard simulation.scenario.hasRelays else { return nil }
    let used = simulation.running.map { ($0.label, $0.relays.current) }
    if let lost = used.first(where: { $0.1 == nil }) { return "\(lost.0) is at no relay" }
    guard simulation.scenario.blockedRelays.isEmpty else { return apart(in: simulation) }
    guard let first = used.first, let other = used.first(where: { $0.1 != first.1 }) else {
      return nil
    }
    return "\(first.0) is at the relay of \(text(first.1)), and \(other.0) at that of "
      + text(other.1)
  }

  private func apart(in simulation: Simulation) -> String? {
    for one in simulation.running {
      for other in simulation.running where !simulation.sharesRelay(one, other) {
        return "the relays of \(one.label) and \(other.label) aren't connected"
      }
    }
    return nil
  }

  private func text(_ relay: Int?) -> String { relay.map { "number \($0)" } ?? "nobody" }
}
