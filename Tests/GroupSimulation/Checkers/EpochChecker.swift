@testable import GroupActivities
@testable import PlaybackCoordination

/// A removed participant reads nothing that is sent by those who know of its removal: none of their keys was ever
/// sealed for it. In the end all participants use the same key, and no message waits for one.
struct EpochChecker: Checker {
  let name = "a removed participant reads nothing, the others everything"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .sealed(let message, let key) = occurrence, message.confidentiality == .epoch,
      !simulation.villains.contains(participant.id)
    else { return nil }
    let readers = participant.party.rules.removed.filter { simulation.seals.knows($0, key) }
    guard let reader = readers.min() else { return nil }
    return
      "\(simulation.label(reader)), who was removed, can read what \(participant.label) sends: "
      + "\(message)"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    var agreed: (key: ContentKeyID, epoch: KeyEpoch, holder: SimulatedParticipant)?
    for participant in simulation.running where participant.party.joinedAt != nil {
      // A closed party gives its key to nobody else.
      guard participant.party.rules.admits(participant.id),
        !simulation.villains.contains(participant.id)
      else { continue }
      let keys = participant.party.policy.keys
      guard let key = keys.sealing else {
        return "\(participant.label) has no key of its epoch"
      }
      let waiting = keys.unopened.count + keys.held.events.count
      if waiting > 0 {
        return "\(waiting) messages of \(participant.label) wait for a key"
      }
      if let agreed, agreed.epoch == keys.epoch, agreed.key != key {
        return "\(participant.label) uses another key than \(agreed.holder.label)"
      }
      agreed = agreed ?? (key, keys.epoch, participant)
    }
    return nil
  }
}
