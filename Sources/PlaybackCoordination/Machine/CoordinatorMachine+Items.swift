import Timekeeping

/// The player's item, and whether the player can be commanded.
extension CoordinatorMachine {
  /// The player has, or begins to load, another item.
  ///
  /// - Parameters:
  ///   - proposal: the group's state if it has none for the item; nil for paused at 0.
  ///   - isPlayerReady: false while the player is still loading: it counts as not ready, and gets its commands after
  ///     ``playerBecameReady(at:)``.
  ///   - isOtherCopy: whether the player has another copy of the item than the one that its identifier names.
  mutating func transition(
    to item: String?, proposing proposal: PlaybackTiming?, isPlayerReady: Bool,
    isOtherCopy: Bool = false, at now: GroupTime
  ) -> [CoordinatorAction] {
    currentItem = item
    measured.isOtherCopy = isOtherCopy
    self.isPlayerReady = isPlayerReady
    commanded = .nothing
    readyFor = nil
    trouble.isRecovering = false
    measured.sync = nil
    snapDeadline = nil
    copyEnd.named = nil
    copyEnd.lastFrame = nil
    copyEnd.isReached = false
    trouble.hold = .init()
    var actions: [CoordinatorAction] = inFlight == nil ? [] : [.cancelCommand]
    inFlight = nil
    actions += dropReplay(.filmChanged)
    ownState = nil
    if let item {
      let isGroups = states[item] != nil
      if !isGroups {
        let timing = proposal ?? PlaybackTiming(rate: 0, itemTime: .zero)
        remember(
          ItemState(
            item: item, stamp: proposalStamp(at: now), originator: me, change: .proposed,
            rate: timing.rate == 0 ? 1 : timing.rate,
            phase: timing.rate == 0
              ? .paused(at: timing.itemTime, isExact: true)
              : startPhase(from: timing.itemTime, immediately: false, at: now)))
      }
      if !suspensions.isEmpty {
        if isGroups { separate() } else { ownState = states[item] }
      }
    }
    actions += endFailure(at: now) + claimIfUnowned(at: now)
    return actions + follow(at: now) + publish(announce: true) + settle(at: now)
  }

  /// The player can take commands for the current item, for the first time or again.
  mutating func playerBecameReady(at now: GroupTime) -> [CoordinatorAction] {
    isPlayerReady = true
    return endFailure(at: now) + follow(at: now)
  }

  mutating func endFailure(at now: GroupTime) -> [CoordinatorAction] {
    guard let id = trouble.failure else { return [] }
    trouble.failure = nil
    return endSuspension(id, at: now)
  }
}
