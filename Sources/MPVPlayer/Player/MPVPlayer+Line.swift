import PlaybackCoordination
import Timekeeping

/// The way onto the line of a play command, and the checks that the player is on it.
extension MPVPlayer {
  func follow(_ line: PlaybackLine, _ serial: UInt64) async throws(Interruption) {
    var plan = PlayPlan(line: line)
    while true {
      let situation = try await situation(serial)
      let step = plan.nextStep(from: situation, now: .now())
      if plan.lastSeekWasTooShort { delays.seekWasTooShort() }
      switch step {
      case .stay: return try await stay(on: line, serial)
      case .seek(let target) where attribution.isAnswering && isMoving:
        // Without a pause, which something in this player would answer. What is left is corrected as drift.
        try await sendSeek(to: presentTime(from: target), serial)
        try await waitForSeek(serial)
        return try await stay(on: line, serial)
      case .seek(let target):
        try await holdStill(serial)
        try await prepareSpeed(line.rate, serial)
        try await seekExactly(to: target, serial)
        try await wait(serial, for: { !$0.state.isStalled })
      case .start(let instant):
        if !plan.lastSeekWasTooShort { delays.seekWasEnough() }
        try await prepareSpeed(line.rate, serial)
        try await start(at: instant, from: situation, along: line, serial)
        return
      case .changeSpeed(let through, let period, let instant):
        try await changeSpeed(to: line, through: through, for: period, at: instant, serial)
        return
      case .stayAtEnd:
        try await holdStill(serial)
        try await prepareSpeed(line.rate, serial)
        if film.item.foundEnd == nil, let duration = state.duration {
          try await seekExactly(to: duration, serial)
        }
        let found = film.item.foundEnd
        guard let end = found?.position ?? state.duration else { return }
        return reportEnd(of: line, at: end, isEarly: found?.isEarly ?? false)
      case .fail(let reason): throw .failed(reason)
      }
    }
  }

  private func stay(on line: PlaybackLine, _ serial: UInt64) async throws(Interruption) {
    command(rate: line.rate)
    try await perform(serial) { () async throws(MPVError) in try await self.matchPitch() }
  }

  /// The assumed duration of a frame during which the sound runs on.
  private static let lastingFrame = Duration.seconds(1)

  private func situation(_ serial: UInt64) async throws(Interruption) -> PlayPlan.Situation {
    try await waitForSeek(serial)
    var position: PlayerPosition?
    if isMoving, !attribution.isPaused {
      position = await corePosition()
      // Right after a seek mpv may not know the sound's position yet. A pause would be answered again.
      if position == nil, attribution.isAnswering, isMoving { position = known.anchor }
    }
    if position == nil || attribution.isPaused {
      try await holdStill(serial)
      var itemTime = try await pausedItemTime(serial)
      // mpv may have gone to the last frame since.
      if let place = itemTime, let target = attribution.ownSeekTarget {
        itemTime = await placeIfMissed(target, at: place)
      }
      position = PlayerPosition(
        itemTime: itemTime ?? .zero, hostTime: .now(), rate: 0, uncertainty: .zero,
        source: .still)
    }
    try check(serial)
    guard let position else { throw .failed(.coordinatedPlaybackNotPossible) }
    return PlayPlan.Situation(
      itemTime: position.itemTime, hostTime: position.hostTime, speed: position.rate,
      factor: position.rate > 0 ? position.rate / speed.rate : 1,
      bufferedSpeed: known.primed?.speed,
      // A slide isn't a gap.
      gap: hasSlides ? .zero : known.primed.map { $0.itemTime - $0.target } ?? .zero,
      tolerance: tolerance(rate: speed.rate),
      frameDuration: max(
        state.frameDuration ?? .zero, known.picture == .lasting ? Self.lastingFrame : .zero),
      duration: state.duration, foundEnd: film.item.foundEnd?.position, isSeekable: canSeek,
      startLatency: startLatency,
      speedChangeLatency: speedChangeLatency,
      seekCost: delays.latencies.seek.prediction)
  }

  /// Unpauses at exactly `instant`, on the deadline thread.
  private func start(
    at instant: HostTime, from situation: PlayPlan.Situation, along line: PlaybackLine,
    _ serial: UInt64
  ) async throws(Interruption) {
    try check(serial)
    let answered = Collected<CInt?>(nil)
    let answeredAt = Collected<HostTime?>(nil)
    let id = expectReply { player, reply in
      answered.value = reply.code
      answeredAt.value = reply.hostTime
      guard reply.code >= 0 else { return }
      player.wrotePause(false, at: reply.hostTime)
      player.known.continues(
        at: situation.itemTime, hostTime: instant + situation.startLatency,
        rate: player.attribution.speed, uncertainty: .milliseconds(5))
    }
    let handle = handle
    let timer = deadlines.run(at: instant) { handle.play(id: id) }
    speed.scheduledStart(timer, answer: id)
    let patience = max(instant - .now(), .zero) + Self.longestWait
    do {
      try await wait(serial, timeout: patience, for: { _ in answered.value != nil })
    } catch {
      if deadlines.cancel(timer) { requests.forget(id) }
      throw error
    }
    guard answered.value == 0 else { throw .failed(.coordinatedPlaybackNotPossible) }
    if situation.isBeyondGap(line.itemTime(atHostTime: instant)) { return known.jumped() }
    // A late start shows nothing about how long starts take.
    let wasOnTime =
      line.hostTime(atItemTime: situation.itemTime) - situation.startLatency <= instant
      && (state.hasAudio || answeredAt.value.map { $0 - instant < .milliseconds(3) } ?? false)
    settle {
      let check = instant + ($0.state.hasAudio ? .milliseconds(60) : .milliseconds(150))
      guard await $0.sleep(until: check, serial: serial) == .met,
        await $0.hasLeft(situation.itemTime, serial)
      else { return }
      await $0.verify(
        line, serial, at: check,
        learns: wasOnTime ? .start(allowed: situation.startLatency) : .nothing)
    }
  }

  private func changeSpeed(
    to line: PlaybackLine, through: Double, for period: Duration, at instant: HostTime,
    _ serial: UInt64
  ) async throws(Interruption) {
    try check(serial)
    try await perform(serial) { () async throws(MPVError) in
      try await self.readPitchSetting()
    }
    // Before the instant the old rate remains valid.
    let difference = line.rate - speed.rate
    let outcome = await schedule(
      rate: line.rate, catchUp: through / line.rate, at: instant, serial)
    guard outcome == .met else { throw .superseded }
    let latency = speedChangeLatency
    settle { player in
      if period > .zero {
        guard
          await player.schedule(rate: line.rate, catchUp: 1, at: instant + period, serial) == .met
        else { return }
      }
      await player.verify(
        line, serial, at: .now() + latency + .milliseconds(150),
        learns: .speedChange(difference: difference))
    }
  }

  /// Changes the speed at exactly `instant`.
  private func schedule(
    rate: Double, catchUp: Double, at instant: HostTime, _ serial: UInt64
  ) async -> WaitOutcome {
    guard serial == transportSerial, !Task.isCancelled else { return .superseded }
    let change = speed.plan(rate: rate, catchUp: catchUp)
    let write = expectSpeedWrite(change.speed, rate: change.rate)
    let handle = handle
    let timer = deadlines.run(at: instant) { write.send(handle) }
    speed.scheduledChange(timer)
    let outcome = await wait(
      serial: serial, until: max(instant, .now()) + Self.longestWait,
      for: { !$0.requests.isExpected(write.last) })
    guard outcome == .met else {
      if deadlines.cancel(timer) {
        for id in write.requests { requests.forget(id) }
      }
      return outcome
    }
    let result = speed.reached(change)
    if result.isNewRate { emitter.yield(.rateChanged(rate)) }
    if result.mustWrite { try? await writeSpeed() }
    return .met
  }

  // MARK: Afterwards

  private enum Lesson: Sendable {
    case nothing
    case start(allowed: Duration)
    case speedChange(difference: Double)
  }

  /// Measures playback's distance from the line, learns from it, and corrects the rest.
  private func verify(
    _ line: PlaybackLine, _ serial: UInt64, at instant: HostTime, learns lesson: Lesson
  ) async {
    guard await sleep(until: instant, serial: serial) == .met,
      let measured = await medianError(line, serial)
    else { return }
    var error = measured.error
    switch lesson {
    case .nothing: break
    // At a slow rate the smallest error in the film is a long time.
    case .start where line.rate < PlaybackLine.slowRate: break
    case .start(let allowed):
      let source: PlayerPosition.Source = state.hasAudio ? .audio : .frame
      delays.learnStart(
        allowed: allowed, error: error, rate: line.rate, source: source)
      if source == .frame { error = .zero }
    case .speedChange(let difference):
      if state.hasAudio { delays.learnSpeedChange(difference: difference, error: error) }
    }
    let tolerance = tolerance(rate: line.rate)
    guard transport.mayCorrect(error, tolerance: max(tolerance, measured.uncertainty * 2))
    else { return }
    try? await follow(line, serial)
  }

  private func tolerance(rate: Double) -> Duration {
    PlayPlan.tolerance(rate: rate, hasAudio: state.hasAudio, isInGroup: speed.expectsNudges)
  }

  /// Returns the median of the exact ones of five measurements, and the uncertainty of the most exact one; nil if
  /// playback stopped meanwhile.
  private func medianError(
    _ line: PlaybackLine, _ serial: UInt64
  ) async -> (error: Duration, uncertainty: Duration)? {
    var readings: [(error: Duration, uncertainty: Duration)] = []
    // The frames' estimate is a median already.
    guard state.hasAudio else {
      let position = await framePosition(minimumCount: FrameWatch.framesToLearnFrom)
      guard !Task.isCancelled, serial == transportSerial else { return nil }
      return position.map { ($0.syncError(against: line), .zero) }
    }
    for _ in 0..<5 {
      guard !Task.isCancelled, serial == transportSerial, isMoving,
        let position = await corePosition()
      else { return nil }
      readings.append((position.syncError(against: line), position.uncertainty))
      guard await sleep(until: .now() + .milliseconds(10), serial: serial) == .met else {
        return nil
      }
    }
    let best = readings.map(\.uncertainty).min() ?? .zero
    let limit = max(best * 2, .microseconds(150))
    let errors = readings.filter { $0.uncertainty <= limit }.map(\.error).sorted()
    return (errors[errors.count / 2], best)
  }
}
