import GroupActivities

/// This user's question to the others: the film is paused, and starts when all who were asked are ready.
package struct ReadyCheck: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    case idle
    /// The others have been asked. Their players haven't learned of it yet.
    case asked
    case waiting(Set<Participant.ID>)
  }

  package enum Action: Hashable, Sendable {
    case none
    /// Show the user which participants are missing.
    case show
    case start
  }

  private var state = State.idle

  package init() {}

  package mutating func asked() { state = .asked }

  /// The check is over: the film plays, or there is another one.
  package mutating func ended() { state = .idle }

  /// Notes the participants who haven't confirmed that they are ready.
  package mutating func note(_ missing: Set<Participant.ID>) -> Action {
    switch state {
    case .idle: return .none
    case .asked:
      guard !missing.isEmpty else { return .none }
      state = .waiting(missing)
      return .show
    case .waiting(missing): return .none
    case .waiting:
      state = missing.isEmpty ? .idle : .waiting(missing)
      return missing.isEmpty ? .start : .show
    }
  }
}
