import Timekeeping

/// The commands to the player that follow from the state, and the player's answers.
extension CoordinatorMachine {
  /// Sends the player the commands that the state asks for and that it hasn't got yet.
  mutating func follow(at now: GroupTime, isReapplied: Bool = false) -> [CoordinatorAction] {
    guard isPlayerReady, let state else { return [] }
    switch state.phase {
    case .paused(let at, let isExact):
      return followPause(state, at: at, isExact: isExact, now: now, isReapplied: isReapplied)
    case .starting(let from, let due):
      return followStart(state, from: from, due: due, now: now, isReapplied: isReapplied)
    case .playing(let timeline):
      // Only another line moves the player; the same one, published again by any participant, does not.
      guard commanded != .playing(timeline, rate: state.rate) else { return [] }
      let wasPreparing = if case .preparing = commanded { readyFor == nil } else { false }
      commanded = .playing(timeline, rate: state.rate)
      var actions: [CoordinatorAction] = []
      if wasPreparing { actions += setRecovering(true) }
      return actions
        + issue(
          .play(rate: state.rate, itemTime: timeline.itemTime, groupTime: timeline.groupTime),
          for: state, at: now, isReapplied: isReapplied)
    }
  }

  private mutating func followPause(
    _ state: ItemState, at position: MediaTime, isExact: Bool, now: GroupTime, isReapplied: Bool
  ) -> [CoordinatorAction] {
    switch commanded {
    case .paused(let frame?):
      // A pause that isn't exact yet has stopped the player; the frame follows.
      guard isExact, !isSamePosition(frame, position) else { return setRecovering(false) }
    case .paused(at: nil):
      // The player is stopping, or seeking there already: the completion calls this again.
      if let inFlight {
        if case .pause = inFlight.directive.kind { return [] }
        if inFlight.stamp == state.stamp { return [] }
      }
      guard isExact else { return [] }
    case .playing where !isExact || state.change == .pause:
      commanded = .paused(at: nil)
      return issue(.pause, for: state, at: now, isReapplied: isReapplied)
    case .nothing, .preparing, .playing:
      break
    }
    commanded = .paused(at: nil)
    return issue(.seek(position), for: state, at: now, isReapplied: isReapplied)
  }

  private mutating func followStart(
    _ state: ItemState, from position: MediaTime, due: GroupTime, now: GroupTime, isReapplied: Bool
  ) -> [CoordinatorAction] {
    if case .preparing(let stamp, let frame) = commanded {
      if stamp == state.stamp { return [] }
      // The same start, with another due date: the player continues to get ready.
      if readyFor == nil, inFlight?.isPreparing(at: state.rate) ?? false,
        isSamePosition(frame, position)
      {
        commanded = .preparing(for: state.stamp, at: position)
        inFlight?.stamp = state.stamp
        return []
      }
    }
    let isThere: Bool
    switch commanded {
    case .paused(let frame?): isThere = isSamePosition(frame, position)
    case .preparing(_, let frame): isThere = isSamePosition(frame, position) && readyFor != nil
    case .nothing, .paused(at: nil), .playing: isThere = false
    }
    commanded = .preparing(for: state.stamp, at: position)
    readyFor = nil
    return issue(
      isThere
        ? .buffer(rate: state.rate, due: due)
        : .seekAndBuffer(position, rate: state.rate, due: due),
      for: state, at: now, isReapplied: isReapplied)
  }

  private mutating func issue(
    _ kind: PlayerDirective.Kind, for state: ItemState, at now: GroupTime, isReapplied: Bool
  ) -> [CoordinatorAction] {
    let directive = PlayerDirective(
      id: takeID(), originator: isReapplied || state.originator == me ? nil : state.originator,
      item: state.item, kind: kind)
    inFlight = InFlight(directive: directive, stamp: state.stamp, issuedAt: now)
    copyEnd.isReached = false
    return [.issue(directive)]
  }

  /// Takes the player's answer to a command.
  mutating func commandEnded(
    _ id: UInt64, _ result: CommandResult, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let ended = inFlight, ended.directive.id == id else { return [] }
    inFlight = nil
    switch result {
    case .superseded:
      // Something outside stopped the command. Its purpose remains, but an immediate retry might repeat forever; the
      // next change or re-application carries it out.
      commanded = .nothing
      return []
    case .failed(let reason):
      // The same command would fail again: the player gets commands again when it reports that it is ready.
      commanded = .nothing
      isPlayerReady = false
      guard trouble.failure == nil else { return [] }
      let (id, actions) = beginSuspension(for: reason, at: now)
      trouble.failure = id
      return actions
    case .completed(let itemTime):
      return completed(ended, at: itemTime, now: now)
    }
  }

  private mutating func completed(
    _ ended: InFlight, at itemTime: MediaTime?, now: GroupTime
  ) -> [CoordinatorAction] {
    switch ended.directive.kind {
    case .play:
      // A player that took long to join its line counted as one that waits for data.
      return setRecovering(false) + holdIfUnwatched(at: now)
    case .buffer, .seekAndBuffer:
      guard case .preparing(let stamp, _) = commanded, stamp == ended.stamp else {
        return follow(at: now)
      }
      readyFor = stamp
      return setRecovering(false) + publish(announce: true) + settle(at: now)
    case .seek(let position):
      // A seek beyond the end stops at the end; a second seek would not help.
      commanded = .paused(at: position)
      return setRecovering(false) + follow(at: now)
    case .pause:
      commanded = .paused(at: itemTime)
      guard let state, case .paused(let asked, let isExact) = state.phase else {
        return follow(at: now)
      }
      if !isExact, state.originator == me {
        // This is the frame at which all participants are to be paused, unless this copy ended earlier.
        let isBeyondEnd = copyEnd.lastFrame.map { asked - $0 > Self.endTolerance } ?? false
        let frame = isBeyondEnd ? asked : itemTime ?? asked
        commanded = .paused(at: frame)
        return continueChange(at: now) { $0.phase = .paused(at: frame, isExact: true) }
      }
      if itemTime == nil { commanded = .paused(at: isExact ? asked : nil) }
      return follow(at: now)
    }
  }

  func isSamePosition(_ a: MediaTime, _ b: MediaTime) -> Bool {
    let distance = a - b
    return distance <= Self.samePosition && distance >= .zero - Self.samePosition
  }

  mutating func takeID() -> UInt64 {
    defer { nextID += 1 }
    return nextID
  }

  mutating func setRecovering(_ value: Bool) -> [CoordinatorAction] {
    guard trouble.isRecovering != value else { return [] }
    trouble.isRecovering = value
    return [.report(.suspensionsChanged)] + publish(announce: true)
  }
}

extension CoordinatorMachine.InFlight {
  /// Returns whether the player is getting ready to start at a rate.
  fileprivate func isPreparing(at rate: Double) -> Bool {
    switch directive.kind {
    case .buffer(rate, _), .seekAndBuffer(_, rate, _): true
    case .buffer, .seekAndBuffer, .play, .pause, .seek: false
    }
  }
}
