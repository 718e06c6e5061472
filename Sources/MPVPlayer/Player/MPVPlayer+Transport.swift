import PlaybackCoordination
import Timekeeping

/// A coordinator's four commands. Each completes as described for ``PlaybackControlDelegate``.
extension MPVPlayer {
  /// The limit of every wait, even on a slow network.
  static let longestWait = Duration.seconds(60)

  /// Plays along the command's line, ahead of it by the output's latency. A start in the future begins at its
  /// instant. Supersedes the previous command.
  ///
  /// - Returns: ``CommandResult/superseded`` for another item, or if a newer command came;
  ///   ``CommandResult/failed(_:)`` with `coordinatedPlaybackNotPossible` for a rate outside 0.01 to 100 or without
  ///   a film, with `stallRecovery` if the start isn't possible in time.
  package func play(_ command: PlayCommand) async -> CommandResult {
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

  /// Pauses at the next frame. Supersedes the previous command.
  ///
  /// - Returns: ``CommandResult/completed(itemTime:)`` with the time of the shown frame.
  package func pause(_ command: PauseCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      let position = try await self.pausedItemTime(serial)
      // Not part of the command: the group should learn of the pause as soon as possible.
      self.settle { try? await $0.prime(rate: $0.speed.rate, serial) }
      return .completed(itemTime: position)
    }
  }

  /// Pauses, and goes to the frame at exactly the command's position. Supersedes the previous command.
  ///
  /// - Returns: ``CommandResult/completed(itemTime:)`` with the time of the shown frame;
  ///   ``CommandResult/failed(_:)`` if the item can't be sought and the player is elsewhere by more than 50 ms.
  package func seek(_ command: SeekCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      guard self.canSeek else {
        // The player needn't seek to its own position.
        guard let current = try await self.pausedItemTime(serial),
          (current - command.itemTime).magnitude <= .milliseconds(50)
        else { throw .failed(.coordinatedPlaybackNotPossible) }
        if command.shouldBufferInAnticipationOfPlayback {
          try await self.prepareSpeed(command.anticipatedPlaybackRate, serial)
          try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
        }
        return .completed(itemTime: current)
      }
      try await self.prepareSpeed(command.anticipatedPlaybackRate, serial)
      let position =
        try await self.staysInPicture(at: command.itemTime, serial)
        ? command.itemTime : try await self.seekExactly(to: command.itemTime, serial)
      if command.shouldBufferInAnticipationOfPlayback {
        try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
      }
      return .completed(itemTime: position)
    }
  }

  /// Pauses, and prepares a start at the anticipated rate: it fills the buffers, for a minute at most. Supersedes
  /// the previous command.
  ///
  /// - Returns: ``CommandResult/completed(itemTime:)`` with the time of the shown frame, once the player can start
  ///   at once.
  package func buffer(_ command: BufferingCommand) async -> CommandResult {
    guard let serial = begin(command) else { return .superseded }
    return await finish(serial) { () async throws(Interruption) in
      try await self.holdStill(serial)
      try await self.waitForStart(serial)
      try await self.prime(rate: command.anticipatedPlaybackRate, serial)
      try await self.waitUntilReady(rate: command.anticipatedPlaybackRate, serial)
      return .completed(itemTime: try await self.pausedItemTime(serial))
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
    guard command.expectedCurrentItemIdentifier == film.identifier, !Task.isCancelled else {
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

  func wait(
    _ serial: UInt64, timeout: Duration = longestWait,
    for condition: @escaping Condition
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
    guard film.item.entryID != nil || film.request != nil else {
      throw .failed(.coordinatedPlaybackNotPossible)
    }
    try await wait(serial, for: { $0.film.item.hasStarted })
  }

  func holdStill(_ serial: UInt64) async throws(Interruption) {
    try check(serial)
    // A start that came at its instant may not have been answered yet: it counts as begun.
    let isStarting = speed.scheduledStart.map { requests.isExpected($0.answer) } ?? false
    guard !attribution.isPaused || isStarting else { return }
    try await perform(serial) { () async throws(MPVError) in try await self.writePause(true) }
  }

  /// Returns the position once all movement has ended.
  func pausedItemTime(_ serial: UInt64) async throws(Interruption) -> MediaTime? {
    try await waitForSeek(serial)
    if let primed = known.primed { return primed.itemTime }
    return try await readPausedPosition(serial)?.itemTime
  }

  /// Waits until mpv is where it was sent. mpv (0.35) sometimes sleeps through the end of a seek if the film's pictures
  /// last, until it is asked something.
  func waitForSeek(_ serial: UInt64) async throws(Interruption) {
    let deadline = HostTime.now() + Self.longestWait
    while true {
      let outcome = await wait(
        serial: serial, until: min(deadline, .now() + .seconds(1)),
        for: { !$0.state.isSeeking && !$0.attribution.isOwnSeekPending })
      guard outcome == .timedOut, .now() < deadline else { return try Self.check(outcome) }
      request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { _, _ in }
    }
  }

  /// Reads the position once all movement has ended.
  func readPausedPosition(_ serial: UInt64) async throws(Interruption) -> PausedPosition? {
    try await waitForSeek(serial)
    let reading = await readPausedPosition()
    try check(serial)
    guard let (position, hostTime) = reading else { return nil }
    known.paused(at: position, hostTime: hostTime)
    return position
  }

  /// Sets the speed before a seek, so that the sound buffered after it is made for this speed.
  func prepareSpeed(_ rate: Double, _ serial: UInt64) async throws(Interruption) {
    let rate = PlayPlan.speeds.contains(rate) ? rate : speed.rate
    try await perform(serial) { () async throws(MPVError) in
      try await self.resetSpeed(toRate: rate)
    }
  }

  /// Seeks exactly to the player's position, so that sound and picture begin there together.
  ///
  /// After a pause they don't: frames are handed over up to 50 ms before they are due. A picture that lasts stays: the
  /// sound continues where it is.
  private func prime(rate: Double, _ serial: UInt64) async throws(Interruption) {
    guard canSeek, !state.isAtEnd else { return }
    // Before the change of speed, which moves the sound's position.
    let position = try await pausedItemTime(serial)
    try await prepareSpeed(rate, serial)
    guard let position, !known.isPrimed(for: attribution.speed) else { return }
    guard known.picture == .lasting else {
      try await seekExactly(to: position, serial)
      return
    }
    known.primed(at: position, target: position, speed: attribution.speed)
  }

  /// Waits until playback could start at `rate` without running out of data soon.
  private func waitUntilReady(rate: Double, _ serial: UInt64) async throws(Interruption) {
    try await wait(serial, for: { $0.isReady(rate: rate) })
  }

  private func isReady(rate: Double) -> Bool {
    guard film.item.hasStarted, !state.isSeeking, !attribution.isOwnSeekPending, !state.isStalled
    else {
      return false
    }
    return state.isReady(
      rate: rate, from: known.anchor?.itemTime, isCacheFull: film.item.isCacheFull)
  }
}
