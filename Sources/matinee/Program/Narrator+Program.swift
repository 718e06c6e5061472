import Screening

extension Narrator.Context {
  /// Creates the context of the current state.
  init(_ status: ProgramStatus) {
    self.init()
    me = status.me?.id
    hasFilm = status.film != nil
    partyEnding = status.partyEnding
    isPlaying = status.coordinator.status == .playing
    let mine = status.coordinator.currentItemIdentifier
    let having = Set(
      status.coordinator.otherParticipants.filter { $0.currentItemIdentifier == mine }.map(\.id))
    withoutFilm = status.participants.filter { $0.id != me && !having.contains($0.id) }.map(\.name)
  }
}
