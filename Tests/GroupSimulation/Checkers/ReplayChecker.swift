import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A replay ends by itself: when it has reached the group, when the group seeks or its film ends, and
/// when the film or the session changes. Half a second later it must be over, as the participant's
/// own reasons show it. A user who touches the replay may make it longer, but not endless beyond the
/// group's position.
struct ReplayChecker: Checker {
  let name = "a replay ends"
  private static let reason = CoordinatedPlaybackSuspension.Reason(rawValue: "whatHappened")
  private static let grace = Nanoseconds.milliseconds(400)
  /// The longest replay that nobody touches: ten seconds at twice the rate, after a start that
  /// waited for ten seconds, during which the group got up to a third faster.
  private static let longest = Nanoseconds.seconds(40)

  private struct Replay {
    var item: String?
    var session: GroupSessionID?
    var touchedAt: Nanoseconds
    /// The time since when a reason for its end exists.
    var overSince: Nanoseconds?
  }

  private var replays: [Int: Replay] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    let index = participant.index
    if case .gone = occurrence { replays[index] = nil }
    guard isReplaying(participant) else {
      replays[index] = nil
      return nil
    }
    var replay =
      replays[index]
      ?? Replay(
        item: participant.coordinator.currentItem, session: participant.session,
        touchedAt: simulation.now)
    if case .coordinated(.user, _) = occurrence { replay.touchedAt = simulation.now }
    // A machine that was frozen couldn't do anything.
    if participant.thawedAt > replay.touchedAt { replay.touchedAt = participant.thawedAt }
    let isOver =
      replay.item != participant.coordinator.currentItem || replay.session != participant.session
      || hasGroupLeft(occurrence, participant) || isBeyondGroup(participant, simulation)
    if isOver { replay.overSince = replay.overSince ?? simulation.now }
    replays[index] = replay
    guard case .tick = occurrence else { return nil }
    if let over = replay.overSince,
      simulation.now - max(over, participant.thawedAt) > Self.grace
    {
      return "\(participant.label) still replays"
    }
    if simulation.now - replay.touchedAt > Self.longest,
      participant.coordinator.ownState?.isPaused == false
    {
      return "\(participant.label) replays for \((simulation.now - replay.touchedAt).secondsText) s"
    }
    return nil
  }

  private func isReplaying(_ participant: SimulatedParticipant) -> Bool {
    participant.coordinator.suspensions.contains { $0.reason == Self.reason }
  }

  /// Returns a Boolean value that indicates whether a report moved the group or ended its film.
  private func hasGroupLeft(_ occurrence: Occurrence, _ participant: SimulatedParticipant) -> Bool {
    guard case .changed(let change) = occurrence else { return false }
    return change.kind == .seek || change.kind == .ended
  }

  private func isBeyondGroup(
    _ participant: SimulatedParticipant, _ simulation: Simulation
  ) -> Bool {
    let machine = participant.coordinator
    guard let own = machine.ownState, own.isPlaying, let group = machine.groupState else {
      return false
    }
    let now = participant.groupTime(at: simulation.now)
    return own.itemTime(at: now) > machine.settled(group).itemTime(at: now) + .milliseconds(50)
  }
}
