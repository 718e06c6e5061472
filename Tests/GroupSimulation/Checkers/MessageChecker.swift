@testable import GroupActivities
@testable import PlaybackCoordination

/// Reliable messages arrive exactly once, in their sender's order, and without gaps at every
/// participant that was a member throughout: that knew the sender, and was known to it, from before
/// the message was sent until the end.
///
/// A participant that was taken for absent meanwhile may miss messages, but then it is notified of
/// their number.
struct MessageChecker: Checker {
  let name = "reliable messages arrive exactly once and in order"

  private struct Lane: Hashable {
    var sender: Participant.ID
    var receiver: Participant.ID
  }

  private struct Reception {
    var last = 0
    var heard: Set<Int> = []
    /// The number of events that were reported to the receiver as missing.
    var missing: UInt64 = 0
    /// The sender's message count when it became known to the receiver; nil while it is unknown.
    var knownSince: Int?
    /// The sender's message count when it got to know the receiver; nil while it doesn't know it.
    var knowsSince: Int?
  }

  private var receptions: [Lane: Reception] = [:]
  private var sent: [Participant.ID: Int] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .chatSent(let number): sent[participant.id] = number
    case .chatHeard(let sender, let number):
      let lane = Lane(sender: sender, receiver: participant.id)
      var reception = receptions[lane] ?? Reception()
      defer { receptions[lane] = reception }
      let who = simulation.participant(sender)?.label ?? "nobody"
      guard number > reception.last else {
        return "\(participant.label) hears message \(number) of \(who) "
          + (reception.heard.contains(number) ? "twice" : "after \(reception.last)")
      }
      reception.last = number
      reception.heard.insert(number)
    case .eventsMissing(let sender, let count):
      receptions[Lane(sender: sender, receiver: participant.id), default: Reception()].missing +=
        count
    case .met(let other):
      let (here, there) = lanes(participant.id, other)
      let (mine, theirs) = (sent[participant.id] ?? 0, sent[other] ?? 0)
      if receptions[here]?.knownSince == nil {
        receptions[here, default: Reception()].knownSince = theirs
      }
      if receptions[there]?.knowsSince == nil {
        receptions[there, default: Reception()].knowsSince = mine
      }
    case .lost(let other):
      let (here, there) = lanes(participant.id, other)
      receptions[here]?.knownSince = nil
      receptions[there]?.knowsSince = nil
    default: break
    }
    return nil
  }

  /// Returns the lane from the other participant to this one, and the one back.
  private func lanes(_ me: Participant.ID, _ other: Participant.ID) -> (Lane, Lane) {
    (Lane(sender: other, receiver: me), Lane(sender: me, receiver: other))
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for sender in simulation.running {
      for receiver in simulation.running where receiver !== sender {
        guard let there = receptions[Lane(sender: sender.id, receiver: receiver.id)],
          let known = there.knownSince, let knows = there.knowsSince
        else { continue }
        // The messages after the later of the two meetings.
        let first = max(known, knows)
        let last = sent[sender.id] ?? 0
        guard first < last else { continue }
        for number in (first + 1)...last where !there.heard.contains(number) {
          return "\(receiver.label) never hears message \(number) of \(sender.label)"
            + (there.missing > 0 ? ", and was told that \(there.missing) are missing" : "")
        }
      }
    }
    return nil
  }
}
