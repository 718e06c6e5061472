import Timekeeping

/// Separating this participant from the group.
extension DelegatingPlaybackCoordinator {
  /// Separates this participant from the group until ``end(_:proposingNewTime:)``. Suspensions nest.
  ///
  /// - Throws: ``CoordinationError/unusableReason``; never for the reasons that this module defines.
  ///
  /// Mirrors `beginSuspension(for:)`.
  @discardableResult
  public func beginSuspension(
    for reason: CoordinatedPlaybackSuspension.Reason
  ) throws(CoordinationError) -> CoordinatedPlaybackSuspension {
    try reason.check()
    let (id, actions) = machine.beginSuspension(for: reason, at: now)
    let suspension = CoordinatedPlaybackSuspension(
      id: id, reason: reason, beginDate: .now(), coordinator: self)
    suspensionDates[id] = suspension
    perform(actions)
    return suspension
  }

  /// Ends a suspension. After the last one this participant goes to the group's position, or, with `newTime`, the group
  /// goes to `newTime`.
  ///
  /// Mirrors `end()` and `end(proposingNewTime:)` of `AVCoordinatedPlaybackSuspension`.
  public func end(
    _ suspension: CoordinatedPlaybackSuspension, proposingNewTime newTime: MediaTime? = nil
  ) {
    suspensionDates[suspension.id] = nil
    let newTime = newTime.map(interstitials.contentTime)
    perform(machine.endSuspension(suspension.id, proposingNewTime: newTime, at: now))
  }

  /// Replays the last ten seconds for this participant alone, at twice the rate, until it has caught up with the group.
  ///
  /// A call during the replay ends the replay. ``CoordinatorEvent/replayEnded(_:)`` reports its end in any case.
  ///
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/suspended`` while this participant is apart for
  ///   another reason, ``CoordinationError/rateOutOfRange(_:)`` if twice the group's rate is.
  public func whatHappened() throws(CoordinationError) {
    if machine.catchingUp != nil { return endReplay() }
    guard let state = machine.state else { throw .noCurrentItem }
    guard machine.suspensions.isEmpty else { throw .suspended }
    guard CoordinatorMachine.rates.contains(state.rate * 2) else {
      throw .rateOutOfRange(state.rate * 2)
    }
    perform(machine.whatHappened(at: now))
  }

  /// Ends a replay that ``whatHappened()`` began, if there is one.
  public func endReplay() { perform(machine.endReplay(.stopped, at: now)) }
}
