import PlaybackCoordination
import Timekeeping

/// A coordinator's four commands. Each completes as described for ``PlaybackControlDelegate``.
extension MPVPlayer {
  /// The limit of every wait, even on a slow network.
  static let longestWait = Duration.seconds(60)

  public func play(_ command: PlayCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    guard PlayPlan.speeds.contains(command.rate) else {
      return .failed(.coordinatedPlaybackNotPossible)
    }
    let line = PlaybackLine(
      rate: command.rate, itemTime: command.itemTime, hostTime: command.hostTime
    ).ahead(by: outputLatency)
    return await finish(serial) { () async throws(Interruption) in
      try await self.waitForStart(serial)
      try await self.follow(line, serial)
      return .completed(itemTime: nil)
    }
  }

  public func pause(_ command: PauseCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      guard command.shouldBufferInAnticipationOfPlayback else {
        let place = try await self.standingPlace(serial)
        // Not part of the command: the group should learn of the pause as soon as possible.
        self.settle { try? await $0.prime(rate: $0.commandedRate, serial) }
        return .completed(itemTime: place)
      }
      try await self.prime(rate: command.anticipatedPlaybackRate, serial)
      try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
      return .completed(itemTime: try await self.standingPlace(serial))
    }
  }

  public func seek(_ command: SeekCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      guard self.canSeek else {
        // The player needn't seek to its own position.
        guard let standing = try await self.standingPlace(serial),
          (standing - command.itemTime).magnitude <= .milliseconds(50)
        else { throw .failed(.coordinatedPlaybackNotPossible) }
        if command.shouldBufferInAnticipationOfPlayback {
          try await self.prepareSpeed(command.anticipatedPlaybackRate, serial)
          try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
        }
        return .completed(itemTime: standing)
      }
      try await self.prepareSpeed(command.anticipatedPlaybackRate, serial)
      let place = try await self.seekExactly(to: command.itemTime, serial)
      if command.shouldBufferInAnticipationOfPlayback {
        try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
      }
      return .completed(itemTime: place)
    }
  }

  public func buffer(_ command: BufferingCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      try await self.prime(rate: command.anticipatedPlaybackRate, serial)
      try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
      return .completed(itemTime: try await self.standingPlace(serial))
    }
  }

  // MARK: The frame of every command

  /// The reason for which a command stops before its end.
  enum Interruption: Error {
    case superseded
    case failed(CoordinatedPlaybackSuspension.Reason)
  }

  /// Returns the command's serial, or nil if the command is meant for another item.
  private func begin(_ command: some PlaybackCoordinatorCommand) -> UInt64? {
    guard command.expectedCurrentItemIdentifier == currentItemIdentifier, !Task.isCancelled else {
      return nil
    }
    supersedeTransport()
    return transportSerial
  }

  private func finish(
    _ serial: UInt64, _ body: () async throws(Interruption) -> CommandResult
  ) async -> CommandResult {
    do {
      let result = try await body()
      return serial == transportSerial ? result : .superseded
    } catch {
      switch error {
      case .superseded: return .superseded
      case .failed(let reason): return serial == transportSerial ? .failed(reason) : .superseded
      }
    }
  }

  func check(_ serial: UInt64) throws(Interruption) {
    guard serial == transportSerial, !Task.isCancelled else { throw .superseded }
  }

  private func wait(
    _ serial: UInt64, timeout: Duration = longestWait,
    for condition: @escaping @Sendable (isolated MPVPlayer) -> Bool
  ) async throws(Interruption) {
    try Self.check(await wait(serial: serial, until: .now() + timeout, for: condition))
  }

  static func check(_ outcome: WaitOutcome) throws(Interruption) {
    switch outcome {
    case .met: return
    case .superseded: throw .superseded
    case .timedOut: throw .failed(.stallRecovery)
    case .unloaded: throw .failed(.coordinatedPlaybackNotPossible)
    }
  }

  /// Runs a request; its failure is the command's.
  func perform<R>(
    _ serial: UInt64, _ body: () async throws(MPVError) -> R
  ) async throws(Interruption) -> R {
    let result: R
    do {
      result = try await body()
    } catch {
      throw error.reason == .superseded || serial != transportSerial
        ? .superseded : .failed(.coordinatedPlaybackNotPossible)
    }
    try check(serial)
    return result
  }

  // MARK: Steps

  /// Waits until the first frame of the item is there.
  private func waitForStart(_ serial: UInt64) async throws(Interruption) {
    guard item.entryID != nil || load != nil else { throw .failed(.coordinatedPlaybackNotPossible) }
    try await wait(serial, for: { $0.item.hasStarted })
  }

  private func holdStill(_ serial: UInt64) async throws(Interruption) {
    try check(serial)
    // A start that came at its instant may not have been answered yet: it counts as begun.
    let isStarting = scheduledStart.map { isExpected($0.answer) } ?? false
    guard !attribution.isPaused || isStarting else { return }
    try await perform(serial) { () async throws(MPVError) in try await self.writePause(true) }
  }

  /// Returns the value of `time-pos` once all movement has ended.
  func standingPlace(_ serial: UInt64) async throws(Interruption) -> MediaTime? {
    try await wait(serial, for: { !$0.state.isSeeking && !$0.attribution.isOwnSeekPending })
    let place = await standingPosition()
    try check(serial)
    anchor = place ?? anchor
    return place?.itemTime
  }

  /// Sets the speed before a seek, so that the sound buffered after it is made for this speed.
  func prepareSpeed(_ rate: Double, _ serial: UInt64) async throws(Interruption) {
    let rate = PlayPlan.speeds.contains(rate) ? rate : commandedRate
    try await perform(serial) { () async throws(MPVError) in
      try await self.resetSpeed(toRate: rate)
    }
  }

  /// Seeks exactly to the player's position, so that sound and picture begin there together.
  ///
  /// After a pause they don't: frames are handed over up to 50 ms before they are due.
  private func prime(rate: Double, _ serial: UInt64) async throws(Interruption) {
    guard canSeek, !state.isAtEnd else { return }
    try await prepareSpeed(rate, serial)
    if let primed, primed.speed == attribution.speed { return }
    if let place = try await standingPlace(serial) { try await seekExactly(to: place, serial) }
  }

  /// Waits until playback could start at `rate` without running out of data soon.
  private func waitUntilReady(rate: Double, _ serial: UInt64) async throws(Interruption) {
    try await wait(serial, for: { $0.isReady(rate: rate) })
  }

  private func isReady(rate: Double) -> Bool {
    guard item.hasStarted, !state.isSeeking, !attribution.isOwnSeekPending, !state.isStalled else {
      return false
    }
    guard state.isRemote, !item.isCacheFull, !state.isAtEnd else { return true }
    guard let until = state.bufferedUntil, let place = anchor?.itemTime else { return false }
    if let duration = state.duration, until >= duration - .milliseconds(500) { return true }
    return until - place >= .seconds(2) * max(rate, 1)
  }

  // MARK: Playing along a line

  private func follow(_ line: PlaybackLine, _ serial: UInt64) async throws(Interruption) {
    var plan = PlayPlan(line: line)
    while true {
      let standing = try await standing(serial)
      let step = plan.nextStep(from: standing, now: .now())
      if plan.lastSeekWasTooShort { latencies.seek.wasTooShort() }
      switch step {
      case .stay:
        command(rate: line.rate)
        return
      case .seek(let target):
        try await holdStill(serial)
        try await prepareSpeed(line.rate, serial)
        try await seekExactly(to: target, serial)
        try await wait(serial, for: { !$0.state.isStalled })
      case .start(let instant):
        if !plan.lastSeekWasTooShort { latencies.seek.wasEnough() }
        try await prepareSpeed(line.rate, serial)
        try await start(at: instant, from: standing, along: line, serial)
        return
      case .changeSpeed(let through, let period, let instant):
        try await changeSpeed(to: line, through: through, for: period, at: instant, serial)
        return
      case .standAtEnd:
        try await holdStill(serial)
        try await prepareSpeed(line.rate, serial)
        guard let duration = state.duration else { return }
        try await seekExactly(to: duration, serial)
        return reportEnd(of: line, at: duration)
      case .fail(let reason): throw .failed(reason)
      }
    }
  }

  private func standing(_ serial: UInt64) async throws(Interruption) -> PlayPlan.Standing {
    try await wait(serial, for: { !$0.state.isSeeking && !$0.attribution.isOwnSeekPending })
    var place: PlayerPosition?
    if isMoving, !attribution.isPaused { place = await corePosition() }
    if place == nil || attribution.isPaused {
      try await holdStill(serial)
      let itemTime = try await standingPlace(serial)
      place = PlayerPosition(
        itemTime: itemTime ?? .zero, hostTime: .now(), rate: 0, uncertainty: .zero,
        source: .standing)
    }
    try check(serial)
    guard let place else { throw .failed(.coordinatedPlaybackNotPossible) }
    return PlayPlan.Standing(
      itemTime: place.itemTime, hostTime: place.hostTime, speed: place.rate,
      bufferedSpeed: primed?.speed,
      frameDuration: state.frameDuration ?? .zero, duration: state.duration,
      isSeekable: canSeek,
      startLatency: startLatency,
      speedChangeLatency: speedChangeLatency,
      seekCost: latencies.seek.prediction)
  }

  /// Unpauses at exactly `instant`, on the deadline thread.
  private func start(
    at instant: HostTime, from standing: PlayPlan.Standing, along line: PlaybackLine,
    _ serial: UInt64
  ) async throws(Interruption) {
    try check(serial)
    let answered = Collected<CInt?>(nil)
    let answeredAt = Collected<HostTime?>(nil)
    let id = expectReply { player, reply in
      answered.value = reply.code
      answeredAt.value = reply.hostTime
      guard reply.code >= 0 else { return }
      player.wrotePause(false)
      player.anchor = PlayerPosition(
        itemTime: standing.itemTime, hostTime: instant + standing.startLatency,
        rate: player.attribution.speed, uncertainty: .milliseconds(5), source: .standing)
    }
    let handle = handle
    let timer = deadlines.run(at: instant) {
      handle.setProperty(MPVProperty.pause, .flag(false), id: id)
    }
    scheduledStart = (timer, id)
    let patience = max(instant - .now(), .zero) + Self.longestWait
    do {
      try await wait(serial, timeout: patience, for: { _ in answered.value != nil })
    } catch {
      if deadlines.cancel(timer) { forgetReply(id) }
      throw error
    }
    guard answered.value == 0 else { throw .failed(.coordinatedPlaybackNotPossible) }
    // A late start shows nothing about how long starts take.
    let wasOnTime =
      line.hostTime(atItemTime: standing.itemTime) - standing.startLatency <= instant
      && (state.hasAudio || answeredAt.value.map { $0 - instant < .milliseconds(3) } ?? false)
    settle {
      await $0.verify(
        line, serial, at: instant + .milliseconds(150),
        learns: wasOnTime ? .start(allowed: standing.startLatency) : .nothing)
    }
  }

  private func changeSpeed(
    to line: PlaybackLine, through: Double, for period: Duration, at instant: HostTime,
    _ serial: UInt64
  ) async throws(Interruption) {
    try check(serial)
    try await perform(serial) { () async throws(MPVError) in
      try await self.installTempoFilter()
    }
    // Before the instant the old rate remains valid.
    let difference = line.rate - commandedRate
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
    isCatchUpEnding = rate == commandedRate && catchUp == 1
    let nudge = rate == commandedRate ? nudge : 1
    let write = expectSpeedWrite(rate * nudge * catchUp)
    let handle = handle
    let timer = deadlines.run(at: instant) { write.send(handle) }
    scheduledSpeed = timer
    let outcome = await wait(
      serial: serial, until: max(instant, .now()) + Self.longestWait,
      for: { !$0.isExpected(write.after) })
    guard outcome == .met else {
      if deadlines.cancel(timer) {
        for id in [write.before, write.write, write.after] { forgetReply(id) }
      }
      return outcome
    }
    scheduledSpeed = nil
    command(rate: rate)
    self.catchUp = catchUp
    // The nudge may have been changed meanwhile.
    if nudge != self.nudge {
      if rate != commandedRate { self.nudge = 1 }
      try? await writeSpeed()
    }
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
      var error = await medianError(line, serial)
    else { return }
    switch lesson {
    case .nothing: break
    case .start(let allowed):
      let source: PlayerPosition.Source = state.hasAudio ? .audio : .frame
      latencies.learnStart(
        allowed: allowed, error: error, rate: line.rate, source: source)
      if source == .frame { error = .zero }
    case .speedChange(let difference):
      if state.hasAudio { latencies.learnSpeedChange(difference: difference, error: error) }
    }
    guard error.magnitude > PlayPlan.tolerance, settlings < 3 else {
      settlings = 0
      return
    }
    settlings += 1
    try? await follow(line, serial)
  }

  /// Returns the median of five measurements; nil if playback stopped meanwhile.
  private func medianError(_ line: PlaybackLine, _ serial: UInt64) async -> Duration? {
    var errors: [Duration] = []
    // The frames' estimate is a median already.
    guard state.hasAudio else {
      let place = await framePosition(minimumCount: Self.framesToLearnFrom)
      guard !Task.isCancelled, serial == transportSerial else { return nil }
      return place?.syncError(against: line)
    }
    for _ in 0..<5 {
      guard !Task.isCancelled, serial == transportSerial, isMoving, let place = await corePosition()
      else { return nil }
      errors.append(place.syncError(against: line))
      guard await sleep(until: .now() + .milliseconds(10), serial: serial) == .met else {
        return nil
      }
    }
    return errors.sorted()[errors.count / 2]
  }
}
