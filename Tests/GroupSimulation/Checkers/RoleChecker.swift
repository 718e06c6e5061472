@testable import GroupActivities
@testable import PlaybackCoordination

/// Forbidden actions have no effect. No participant takes over a state or a session from one that
/// may not control. A refused command changes nothing and moves no player. No participant receives
/// messages from a removed one. In the end all participants hold the same rules, each change of
/// which was made by a participant that might make it.
struct RoleChecker: Checker {
  let name = "no effect from one who may not"

  /// The arrival times: a participant took what it held by then before it knew the rules.
  private var arrivals: [Participant.ID: Nanoseconds] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    let rules = participant.party.rules
    guard !simulation.villains.contains(participant.id) else { return nil }
    switch occurrence {
    case .coordinated(let cause, let before):
      for (item, state) in participant.coordinator.states where state.stamp != before.stamps[item] {
        let author = state.stamp.participant
        guard state.stamp.time > 0, !mayControl(author, rules) else { continue }
        // A participant without a session is its own host.
        guard participant.session != nil else { continue }
        return "\(participant.label) takes a state of \(item) from "
          + "\(simulation.label(author)), who may not control (\(cause))"
      }
    case .arrived: arrivals[participant.id] = simulation.now
    case .chatHeard(let sender, _) where rules.removed.contains(sender):
      return "\(participant.label) hears \(simulation.label(sender)), who was removed"
    case .sessionTaken(let stamp)
    where arrivals[participant.id] != simulation.now
      && (rules.removed.contains(stamp.participant) || !mayControl(stamp.participant, rules)):
      return "\(participant.label) takes a session from \(simulation.label(stamp.participant)), "
        + "who may not control"
    default: break
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    var agreed: (policyLog: PolicyLog, holder: SimulatedParticipant)?
    for participant in simulation.running where participant.party.joinedAt != nil {
      let policyLog = participant.party.policyLog
      if let complaint = history(policyLog, of: participant, simulation) { return complaint }
      if let (other, holder) = agreed, other != policyLog {
        return "\(participant.label) holds other rules than \(holder.label)"
      }
      agreed = (policyLog, participant)
      if policyLog.rules.removed.contains(participant.id) {
        return "\(participant.label) was removed and doesn't know it"
      }
      for other in participant.party.others where policyLog.rules.removed.contains(other.id) {
        return "\(participant.label) still sees \(simulation.label(other.id)), who was removed"
      }
    }
    return nil
  }

  private func mayControl(_ id: Participant.ID, _ rules: PartyRules) -> Bool {
    rules.control == .everyone || id == rules.host || rules.coHosts.contains(id)
  }

  /// Replays the changes and keeps its own account of every participant's role.
  private func history(
    _ policyLog: PolicyLog, of participant: SimulatedParticipant, _ simulation: Simulation
  ) -> String? {
    var host = simulation.participants[0].id
    var coHosts: Set<Participant.ID> = []
    var removed: Set<Participant.ID> = []
    if let summary = policyLog.summary {
      let rules = summary.rules(creator: host)
      (coHosts, removed) = (rules.coHosts, rules.removed)
    }
    for link in policyLog.links {
      let author = link.author
      let isHost = author == host
      let isAllowed: Bool
      switch link.amendment {
      case .control, .lifetime, .waiting: isAllowed = isHost
      case .appointCoHost(let id):
        isAllowed = isHost
        coHosts.insert(id)
      case .dismissCoHost(let id):
        isAllowed = isHost
        coHosts.remove(id)
      case .handOver(let id):
        isAllowed = isHost
        coHosts.insert(host)
        coHosts.remove(id)
        host = id
      case .remove(let id):
        isAllowed = isHost || coHosts.contains(author) && id != host && !coHosts.contains(id)
        removed.insert(id)
        coHosts.remove(id)
      case .close, .open: isAllowed = isHost || coHosts.contains(author)
      }
      if !isAllowed || removed.contains(author) {
        return "\(participant.label) holds a rule that \(simulation.label(author)) may not make: "
          + "\(link.amendment)"
      }
    }
    return nil
  }
}
