import Timekeeping

/// The commands of this participant's user, and the player's own reports.
extension CoordinatorMachine {
  /// Plays at `rate`, or pauses.
  ///
  /// - Parameter rate: 0 to pause, otherwise within ``rates``.
  mutating func coordinateRateChange(
    to rate: Double, immediately: Bool, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state else { return [] }
    let here = state.itemTime(at: now)
    if rate == 0 {
      switch state.phase {
      case .paused: return []
      case .starting(let from, _):
        return change(.pause, at: now) { $0.phase = .paused(at: from, isExact: true) }
      case .playing:
        let isExact = !configuration.pauseSnapsToMediaTimeOfOriginator
        return change(.pause, at: now) { $0.phase = .paused(at: here, isExact: isExact) }
      }
    }
    switch state.phase {
    case .playing:
      guard rate != state.rate else { return [] }
      let instant = now + rateChangeLead
      let there = state.itemTime(at: instant)
      let oldRate = state.rate
      return change(.rate, at: now) {
        $0.rate = rate
        $0.phase = .playing(Timeline(itemTime: there, groupTime: instant, previousRate: oldRate))
      }
    case .starting where !immediately:
      // The wait keeps its due date: a change of rate must not delay the start.
      guard rate != state.rate else { return [] }
      return change(.rate, at: now) { $0.rate = rate }
    case .paused, .starting:
      let start = startPhase(from: here, immediately: immediately, at: now)
      return change(.play, at: now) {
        $0.rate = rate
        $0.phase = start
      }
    }
  }

  /// Sets the rate at which the item will play, without starting it.
  mutating func coordinateDefaultRateChange(
    to rate: Double, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state, rate != state.rate else { return [] }
    guard state.isPaused else { return coordinateRateChange(to: rate, immediately: false, at: now) }
    return change(.rate, at: now) { $0.rate = rate }
  }

  mutating func coordinateSeek(
    to itemTime: MediaTime, resumeImmediately: Bool, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state else { return [] }
    let target = max(.zero, itemTime)
    let phase =
      state.isPaused
      ? .paused(at: target, isExact: true)
      : startPhase(from: target, immediately: resumeImmediately, at: now)
    return change(.seek, at: now) { $0.phase = phase }
  }

  /// Plays along a line that players outside the group follow already. It waits for no participant, and begins where the
  /// line is once they can start.
  ///
  /// - Parameter kind: the change that the participants see.
  mutating func coordinatePlayback(
    along line: Timeline, as kind: CoordinatedChange.Kind, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state else { return [] }
    let instant = now + lead
    let there = max(.zero, line.itemTime(at: instant, rate: state.rate))
    return change(kind, at: now) {
      $0.phase = .playing(Timeline(itemTime: there, groupTime: instant, previousRate: 0))
    }
  }

  /// Commands the player again to follow the state, whatever its last command was.
  mutating func reapply(at now: GroupTime) -> [CoordinatorAction] {
    commanded = .nothing
    return follow(at: now, isReapplied: true)
  }

  /// Outside a group, or apart from it, the player's own clock counts: the line moves to the player's position,
  /// inaudibly.
  mutating func playerPlays(at itemTime: MediaTime, now: GroupTime) {
    guard inFlight == nil, others.isEmpty || !suspensions.isEmpty, let item = currentItem,
      var state,
      case .playing(var timeline) = state.phase, timeline.groupTime <= now
    else { return }
    timeline.itemTime = itemTime
    timeline.groupTime = now
    state.phase = .playing(timeline)
    commanded = .playing(timeline, rate: state.rate)
    if suspensions.isEmpty { states[item] = state } else { ownState = state }
  }

  mutating func setLatencies(start: Duration, rateChange: Duration) -> [CoordinatorAction] {
    let range = ParticipantReport.latencies
    latencies.start = min(max(start, range.lowerBound), range.upperBound)
    latencies.rateChange = min(max(rateChange, range.lowerBound), range.upperBound)
    return publish(announce: false)
  }

  mutating func setSync(_ measurement: SyncMeasurement?) -> [CoordinatorAction] {
    measured.sync = measurement
    return publish(announce: false)
  }

  mutating func setLoadedPercent(_ percent: Int?) -> [CoordinatorAction] {
    measured.loadedPercent = percent.map { min(max($0, 0), 100) }
    return publish(announce: false)
  }
}
