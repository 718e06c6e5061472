import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// No participant makes the same other participant wait at more than two starts within ten minutes.
/// Getting ready takes every participant a moment; only a wait of more than a second counts.
struct PatienceChecker: Checker {
  let name = "nobody keeps the group waiting again and again"
  private static let window = Nanoseconds.seconds(600)
  private static let moment = Nanoseconds.milliseconds(1000)
  /// The possible lateness of the machine's own timer.
  private static let grace = Nanoseconds.milliseconds(50)

  private struct Pair: Hashable {
    var waiting: Participant.ID
    var awaited: Participant.ID
  }

  /// The start for which each participant waits now, and the awaited participants with the
  /// beginnings of their waits.
  private var waits: [Int: (start: Stamp, since: [Participant.ID: Nanoseconds])] = [:]
  /// The starts at which one participant made another wait, and the times.
  private var past: [Pair: [(start: Stamp, at: Nanoseconds)]] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    startAnew(participant, at: simulation.now)
    switch occurrence {
    case .waiting(let waiting):
      remember(participant, until: simulation.now)
      let before = waits.removeValue(forKey: participant.index)
      guard let waiting, let start = participant.coordinator.state?.stamp else { return nil }
      var since: [Participant.ID: Nanoseconds] = [:]
      // A participant that isn't ready itself isn't kept waiting by others.
      let isReady = !waiting.participants.contains(participant.coordinator.me)
      for other in isReady ? waiting.participants.sorted() : [] {
        since[other] = before?.start == start ? before?.since[other] : nil
        since[other] = since[other] ?? simulation.now
        let recent = (past[Pair(waiting: participant.id, awaited: other)] ?? []).filter {
          $0.at + Self.window > simulation.now && $0.start != start
        }
        if recent.count >= 2 {
          return "\(participant.label) waits for \(simulation.label(other)) "
            + "at a third start within ten minutes"
        }
      }
      waits[participant.index] = (start, since)
    case .gone: waits[participant.index] = nil
    default: break
    }
    return nil
  }

  /// Counts a new wait if another start replaces the current one while the same participants are
  /// awaited.
  private mutating func startAnew(_ participant: SimulatedParticipant, at now: Nanoseconds) {
    guard let wait = waits[participant.index],
      let start = participant.coordinator.state?.stamp, start != wait.start
    else { return }
    remember(participant, until: now)
    waits[participant.index] = (start, wait.since.mapValues { _ in now })
  }

  private mutating func remember(_ participant: SimulatedParticipant, until now: Nanoseconds) {
    guard let (start, since) = waits[participant.index] else { return }
    for (other, since) in since
    where now - since > Self.moment + Self.grace && participant.thawedAt < since {
      let pair = Pair(waiting: participant.id, awaited: other)
      if past[pair]?.contains(where: { $0.start == start }) ?? false { continue }
      past[pair, default: []].append((start, now))
    }
  }
}
