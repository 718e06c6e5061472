import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A pause leaves all participants on the originator's frame. The exact position that the group
/// agrees on is the frame on which the originator's player stopped, and every player shows the
/// frame of its own copy that covers that position.
///
/// If the originator leaves before it could report its frame, all participants go to the time that
/// it paused at.
struct PauseChecker: Checker {
  let name = "a pause leaves all on the originator's frame"
  private static let samePlace = Nanoseconds.milliseconds(1)

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    // The player's answer made the pause exact, so the player is at that position now.
    guard case .coordinated(.player, let before) = occurrence, !participant.isSuspended,
      let state = participant.coordinator.groupState, state.change == .pause,
      state.originator == participant.id, state.stamp.participant == participant.id,
      before.stamps[state.item] != state.stamp,
      case .paused(let place, isExact: true) = state.phase
    else { return nil }
    let standing = participant.itemTime(at: simulation.now)
    guard isSame(standing, place) else {
      return "\(participant.label) pauses at \(standing.nanoseconds.secondsText) and "
        + "tells the others \(place.nanoseconds.secondsText)"
    }
    return nil
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      let player = participant.player
      guard !participant.isSuspended, player.item != nil,
        let state = participant.coordinator.groupState, case .paused(let at, _) = state.phase
      else { continue }
      let place = player.reachable(participant.place(of: state, at: simulation.now))
      let standing = participant.itemTime(at: simulation.now)
      if player.isMoving { return "\(participant.label) moves although the group pauses" }
      guard player.shownFrame(at: standing) == player.shownFrame(at: place) else {
        return
          "\(participant.label) stands at \(standing.nanoseconds.secondsText), the pause is at "
          + at.nanoseconds.secondsText
      }
    }
    return nil
  }

  private func isSame(_ a: MediaTime, _ b: MediaTime) -> Bool {
    (a.nanoseconds - b.nanoseconds).magnitude <= Self.samePlace.magnitude
  }
}
