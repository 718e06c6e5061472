import Concurrency
import Timekeeping

extension MPVPlayer {
  /// The latency from the call that unpauses to the line.
  var startLatency: Duration { delays.startLatency(hasAudio: state.hasAudio) }

  var speedChangeLatency: Duration { delays.speedChangeLatency(hasAudio: state.hasAudio) }

  /// Multiplies the speed for the correction of drift.
  ///
  /// A nudge is not a rate change: it appears neither in the snapshot's rate nor in any event, and each play command,
  /// seek and load ends it.
  ///
  /// - Parameter factor: near 1; clamped to 0.9901...1.0099 at rate 1, where it is resampled, and to 0.8...1.25 at
  ///   others. A round one is made a millionth larger.
  package func setNudge(_ factor: Double) async throws(MPVError) {
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

  /// Sets whether nudges are expected, as in a group; true at first. If they are, mpv's resampler is inserted before it
  /// is needed. If they aren't, it stays until the next change of the speed, because its removal could be heard.
  package func setExpectsNudges(_ expects: Bool) async throws(MPVError) {
    speed.nudgesExpected(expects)
    if expects, film.item.hasStarted { try await writeSpeed() }
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
      first: { player, reply in
        if reply.code >= 0 { player.wrotePause(isPaused, at: reply.hostTime) }
      })
  }

  /// mpv answered our own write. The change event comes later; a reader should see the change already now.
  func wrotePause(_ isPaused: Bool, at time: HostTime) {
    attribution.wrotePause(isPaused, at: time)
    showPaused(isPaused)
  }

  /// Writes the speed at once.
  func writeSpeed() async throws(MPVError) {
    guard !isWritten(speed.effective) else { return }
    try await readPitchSetting()
    guard !isWritten(speed.effective) else { return }
    let write = expectSpeedWrite(speed.effective, rate: speed.rate)
    write.send(handle)
    guard let code = await write.outcome.value() else { throw MPVError(.superseded, "set speed") }
    try MPVError.check(code, "set speed")
  }

  private func isWritten(_ value: Double) -> Bool {
    value == attribution.speed && speed.pitch.isOn == speed.keepsPitch(at: value)
  }

  // MARK: Pitch

  /// Reads the user's setting of `audio-pitch-correction`, before the player changes it.
  func readPitchSetting() async throws(MPVError) {
    guard speed.pitch.isWanted == nil else { return }
    let isWanted = try await get(MPVProperty.audioPitchCorrection).value.flag ?? true
    speed.pitch.read(isWanted: isWanted)
  }

  /// Keeps the pitch, or stops doing so, as mpv's present speed needs it.
  func matchPitch() async throws(MPVError) {
    try await readPitchSetting()
    let keepsPitch = speed.keepsPitch(at: attribution.speed)
    guard speed.pitch.isOn != keepsPitch else { return }
    try await set(MPVProperty.audioPitchCorrection, .flag(keepsPitch))
    speed.pitch.wrote(keepsPitch)
  }

  /// The requests of a change of speed. A larger change reads `audio-pts` before and after it: the size of its jump
  /// shows the amount of sound in buffers; see ``SpeedChanges``.
  struct SpeedWrite: Sendable {
    let speed: Double
    let keepsPitch: Bool
    let before: UInt64?
    let write: UInt64
    let after: UInt64?
    let pitch: UInt64
    let outcome: OneShot<CInt>

    var requests: [UInt64] { [before, write, after, pitch].compactMap(\.self) }

    /// The request whose answer completes the change.
    var last: UInt64 { after ?? write }

    func send(_ handle: MPVHandle) {
      // In this order no speed beyond the resampler's range reaches it.
      if keepsPitch { writePitch(handle) }
      if let before { handle.getProperty(MPVProperty.audioPTS, id: before) }
      handle.setProperty(MPVProperty.speed, .double(speed), id: write)
      if let after { handle.getProperty(MPVProperty.audioPTS, id: after) }
      if !keepsPitch { writePitch(handle) }
    }

    private func writePitch(_ handle: MPVHandle) {
      handle.setProperty(MPVProperty.audioPitchCorrection, .flag(keepsPitch), id: pitch)
    }
  }

  /// - Parameter rate: the commanded rate that the speed belongs to.
  func expectSpeedWrite(_ speed: Double, rate: Double) -> SpeedWrite {
    // With some outputs mpv asks the sound server for each reading, and waits.
    PlaybackDelays.showsBufferedSound(from: attribution.speed, to: speed)
      ? expectMeasuredSpeedWrite(speed, rate: rate) : expectPlainSpeedWrite(speed, rate: rate)
  }

  /// mpv answered our own write of the speed.
  private func wroteSpeed(_ value: Double, rate: Double) {
    attribution.wroteSpeed(value)
    speed.wrote(value, rate: rate)
  }

  private func expectPlainSpeedWrite(_ speed: Double, rate: Double) -> SpeedWrite {
    let outcome = OneShot<CInt>()
    let keepsPitch = self.speed.keepsPitch(at: speed)
    return SpeedWrite(
      speed: speed, keepsPitch: keepsPitch, before: nil,
      write: expectReply { player, reply in
        if reply.code >= 0 {
          let old = player.attribution.speed
          player.wroteSpeed(speed, rate: rate)
          player.noteSpeed(from: old, to: speed, at: reply.hostTime, buffered: nil)
        }
        outcome.fulfil(min(reply.code, 0))
      },
      after: nil, pitch: expectPitchWrite(keepsPitch), outcome: outcome)
  }

  private func expectMeasuredSpeedWrite(_ speed: Double, rate: Double) -> SpeedWrite {
    let reading = Collected(SpeedReading())
    let outcome = OneShot<CInt>()
    let keepsPitch = self.speed.keepsPitch(at: speed)
    return SpeedWrite(
      speed: speed, keepsPitch: keepsPitch,
      before: expectReply { _, reply in
        reading.value.before = reply.value.double
        reading.value.beforeTime = reply.hostTime
      },
      write: expectReply { player, reply in
        guard reply.code >= 0 else { return }
        reading.value.speedBefore = player.attribution.speed
        player.wroteSpeed(speed, rate: rate)
      },
      after: expectReply { player, reply in
        if let old = reading.value.speedBefore {
          var buffered: Duration?
          if let before = reading.value.before, let time = reading.value.beforeTime,
            let after = reply.value.double, player.isMoving
          {
            // Asking a sound server takes time, in which the sound moves on.
            let passed = (reply.hostTime - time).inSeconds * old
            buffered = Duration(clampingSeconds: (before + passed - after) / (speed - old))
          }
          player.noteSpeed(from: old, to: speed, at: reply.hostTime, buffered: buffered)
        }
        outcome.fulfil(reading.value.speedBefore == nil ? min(reply.code, -1) : 0)
      },
      pitch: expectPitchWrite(keepsPitch), outcome: outcome)
  }

  private func expectPitchWrite(_ keepsPitch: Bool) -> UInt64 {
    expectReply { player, reply in
      if reply.code >= 0 { player.speed.pitch.wrote(keepsPitch) }
    }
  }

  /// Records a change of speed.
  ///
  /// - Parameter buffered: the duration of the buffered sound that was made at the old speed, if it was measured.
  func noteSpeed(from old: Double, to new: Double, at time: HostTime, buffered: Duration?) {
    // A paused player stays where it is, and its position is exact.
    guard old != new, isMoving else { return }
    if let position = extrapolatedItemTime(at: time) {
      known.continues(at: position, hostTime: time, rate: new, uncertainty: .milliseconds(1))
    }
    guard state.hasAudio else { return }
    delays.speedChanged(from: old, to: new, at: time, buffered: buffered)
  }
}

/// Values that are read before a change of speed.
private struct SpeedReading: Sendable {
  var before: Double?
  var beforeTime: HostTime?
  var speedBefore: Double?
}
