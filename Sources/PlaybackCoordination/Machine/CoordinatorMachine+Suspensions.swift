import Timekeeping

/// Separating this participant from the group, and rejoining.
extension CoordinatorMachine {
  mutating func beginSuspension(
    for reason: CoordinatedPlaybackSuspension.Reason, at now: GroupTime
  ) -> (id: UInt64, actions: [CoordinatorAction]) {
    let id = takeID()
    if !isApart { separate() }
    trouble.hold.isHeld = false
    suspensions.append(ActiveSuspension(id: id, reason: reason))
    trouble.isRecovering = false
    return (
      id,
      [.report(.suspensionsChanged)] + publish(announce: true) + follow(at: now) + settle(at: now)
    )
  }

  /// Copies the group's state for this participant, who is apart from now on.
  mutating func separate() {
    ownState = groupState.map(settled)
    if case .starting(let from, _) = ownState?.phase {
      // A participant who suspends during a start doesn't start alone.
      ownState?.phase = .paused(at: from, isExact: true)
    }
  }

  /// - Parameter newTime: the position that the group should go to; counts only with the last suspension.
  mutating func endSuspension(
    _ id: UInt64, proposingNewTime newTime: MediaTime? = nil, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let index = suspensions.firstIndex(where: { $0.id == id }) else { return [] }
    suspensions.remove(at: index)
    if catchingUp == id { catchingUp = nil }
    var actions: [CoordinatorAction] = [.report(.suspensionsChanged)]
    guard suspensions.isEmpty else {
      return actions + publish(announce: true) + settle(at: now)
    }
    ownState = nil
    trouble.hold.isHeld = false
    readyFor = nil
    if case .preparing = commanded { commanded = .nothing }
    if let newTime, mayControl(me) {
      actions += coordinateSeek(to: newTime, resumeImmediately: false, at: now)
    }
    actions += claimIfUnowned(at: now)
    return actions + publish(announce: true) + follow(at: now) + settle(at: now)
  }
}
