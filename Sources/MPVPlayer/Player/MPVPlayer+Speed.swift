import Concurrency
import Timekeeping

extension MPVPlayer {
  /// The latency from the call that unpauses to the line.
  var startLatency: Duration { timing.startLatency(hasAudio: state.hasAudio) }

  var speedChangeLatency: Duration { timing.speedChangeLatency(hasAudio: state.hasAudio) }

  /// Multiplies the speed for the correction of drift.
  ///
  /// A nudge is not a rate change: it appears neither in the snapshot's rate nor in any event, and each play command,
  /// seek and load ends it.
  ///
  /// - Parameter factor: near 1; clamped to 0.8...1.25. A round one is made a millionth larger.
  public func setNudge(_ factor: Double) async throws(MPVError) {
    switch speed.nudged(factor) {
    case .nothing: break
    case .wait: stopSettling()
    case .write(let end):
      // From here on the caller keeps the player on the line; the rest of the catch-up would be a second correction.
      stopSettling()
      if let end { deadlines.cancel(end) }
      try await writeSpeed()
    }
  }

  /// Sets whether nudges are expected, as in a group; true at first. If they are, the filter that makes them inaudible
  /// is installed before it is needed. Otherwise it is installed at the first change of speed, and stays.
  public func setExpectsNudges(_ expects: Bool) async throws(MPVError) {
    speed.nudgesExpected(expects)
    if expects, film.item.hasStarted { try await installTempoFilter() }
  }

  func resetSpeed(toRate rate: Double = 1) async throws(MPVError) {
    if speed.reset(toRate: rate) { emitter.yield(.rateChanged(rate)) }
    try await writeSpeed()
  }

  func command(rate: Double) {
    if speed.commanded(rate) { emitter.yield(.rateChanged(rate)) }
  }

  func writePause(_ isPaused: Bool) async throws(MPVError) {
    _ = try await answer(
      "set pause", { $0.setProperty(MPVProperty.pause, .flag(isPaused), id: $1) },
      first: { player, reply in if reply.code >= 0 { player.wrotePause(isPaused) } })
  }

  /// mpv answered our own write. The change event comes later; a reader should see the change already now.
  func wrotePause(_ isPaused: Bool) {
    attribution.wrotePause(isPaused)
    showPaused(isPaused)
  }

  /// Writes the speed at once.
  func writeSpeed() async throws(MPVError) {
    guard speed.effective != attribution.speed else { return }
    try await installTempoFilter()
    let speed = speed.effective
    guard speed != attribution.speed else { return }
    let write = expectSpeedWrite(speed)
    write.send(handle)
    guard let code = await write.outcome.value() else { throw MPVError(.superseded, "set speed") }
    try MPVError.check(code, "set speed")
  }

  /// The three requests of a change of speed: `audio-pts` before, the speed, `audio-pts` after. The size of its jump
  /// shows the amount of sound in buffers; see ``SpeedChanges``.
  struct SpeedWrite: Sendable {
    let speed: Double
    let before: UInt64
    let write: UInt64
    let after: UInt64
    let outcome: OneShot<CInt>

    func send(_ handle: MPVHandle) {
      handle.getProperty(MPVProperty.audioPTS, id: before)
      handle.setProperty(MPVProperty.speed, .double(speed), id: write)
      handle.getProperty(MPVProperty.audioPTS, id: after)
    }
  }

  func expectSpeedWrite(_ speed: Double) -> SpeedWrite {
    let reading = Collected(SpeedReading())
    let outcome = OneShot<CInt>()
    return SpeedWrite(
      speed: speed,
      before: expectReply { _, reply in reading.value.before = reply.value.double },
      write: expectReply { player, reply in
        guard reply.code >= 0 else { return }
        reading.value.speedBefore = player.attribution.speed
        player.attribution.wroteSpeed(speed)
      },
      after: expectReply { player, reply in
        if let old = reading.value.speedBefore {
          var buffered: Duration?
          if let before = reading.value.before, let after = reply.value.double, player.isMoving {
            buffered = Duration(clampingSeconds: (before - after) / (speed - old))
          }
          player.noteSpeed(from: old, to: speed, at: reply.hostTime, buffered: buffered)
        }
        outcome.fulfil(reading.value.speedBefore == nil ? min(reply.code, -1) : 0)
      },
      outcome: outcome)
  }

  /// Records a change of speed.
  ///
  /// - Parameter buffered: the duration of the buffered sound that was made at the old speed, if it was measured.
  func noteSpeed(from old: Double, to new: Double, at time: HostTime, buffered: Duration?) {
    guard old != new else { return }
    if let place = extrapolatedItemTime(at: time) {
      known.continues(
        at: place, hostTime: time, rate: isMoving ? new : 0, uncertainty: .milliseconds(1))
    }
    guard isMoving, state.hasAudio else { return }
    timing.speedChanged(from: old, to: new, at: time, buffered: buffered)
  }
}

/// Values that are read before a change of speed.
private struct SpeedReading: Sendable {
  var before: Double?
  var speedBefore: Double?
}
