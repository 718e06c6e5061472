import GroupActivities
import PlaybackCoordination

extension ProgramStatus {
  /// A Boolean value that indicates whether this participant has the party's film open.
  package var hasPartyFilm: Bool {
    guard let film, let activity else { return false }
    return film.item == activity.item && !isOpening
  }

  /// Returns whether a participant has the party's film open, follows the group, and isn't waited for.
  func isReady(_ id: Participant.ID) -> Bool {
    if case .waiting(let others, _) = coordinator.status, others.contains(id) { return false }
    if id == me?.id { return hasPartyFilm && coordinator.suspensionReasons.isEmpty }
    guard let activity, let other = coordinator.otherParticipants.first(where: { $0.id == id })
    else { return false }
    return other.isReadyToPlay && other.suspensionReasons.isEmpty
      && other.currentItemIdentifier == activity.item
  }
}
