import Concurrency
import Timekeeping

/// Foreign changes; see ``ChangeAttribution``.
extension MPVPlayer {
  /// Reads `pause` and the related properties.
  func verifyPause(isSecondReading: Bool) {
    // The answers come in this order, with no change of ours between them.
    let reading = Collected(PauseReading())
    request({ $0.getProperty(MPVProperty.eofReached, id: $1) }) { _, reply in
      reading.value.isAtEnd = reply.value.flag ?? false
    }
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { _, reply in
      reading.value.position = reply.value.double.map(MediaTime.init(seconds:))
    }
    request({ $0.getProperty(MPVProperty.pause, id: $1) }) { player, reply in
      guard let isPaused = reply.value.flag else { return }
      player.pauseRead(
        isPaused, isAtEnd: reading.value.isAtEnd, position: reading.value.position,
        isSecondReading: isSecondReading, at: reply.hostTime)
    }
  }

  private func pauseRead(
    _ isPaused: Bool, isAtEnd: Bool, position: MediaTime?, isSecondReading: Bool, at time: HostTime
  ) {
    switch attribution.readPause(isPaused, isAtEnd: isAtEnd, isSecondReading: isSecondReading) {
    case .none: break
    case .changed(let change): report(change, position: position, at: time)
    case .inDoubt: verifyPauseLater()
    case .comparePosition:
      // `frame-step` unpauses for the time of one frame.
      comparePausedPosition()
    }
  }

  /// Reads `pause` again after one and a half frames, when a `frame-step` is over.
  private func verifyPauseLater() {
    let frame = min(state.frameDuration ?? .zero, .milliseconds(150))
    let oneShot = OneShot<Void>()
    deadlines.run(at: .now() + max(frame * 1.5, .milliseconds(60))) { oneShot.fulfil(()) }
    tasks.replace(.doubting) { _ in
      Task { [weak self] in
        guard await oneShot.value() != nil else { return }
        await self?.verifyPause(isSecondReading: true)
      }
    }
  }

  func verifySpeed() {
    request({ $0.getProperty(MPVProperty.speed, id: $1) }) { player, reply in
      guard let speed = reply.value.double else { return }
      let before = player.attribution.speed
      if let change = player.attribution.readSpeed(speed) {
        player.noteSpeed(from: before, to: speed, at: reply.hostTime, buffered: nil)
        player.report(change, position: nil, at: reply.hostTime)
      }
    }
  }

  func seekBegan(at time: HostTime) {
    if handle.sources.seekBegan(at: time) {
      deadlines.run(at: time + SourceStreams.patience) { [handle] in handle.sources.wake() }
    }
    attribution.seekBegan(from: extrapolatedItemTime(at: time), at: time)
    state.seeking(true)
    delays.seekBegan()
    known.unprime()
  }

  func playbackRestarted(at time: HostTime) {
    state.seeking(false)
    film.started()
    let mustCompare = attribution.playbackRestarted(at: time)
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      guard let seconds = reply.value.double else { return }
      let position = MediaTime(seconds: seconds)
      let isPaused = player.attribution.isPaused
      // Without a seek, mpv has met a jump in the film's time stamps.
      if !mustCompare, !isPaused { player.known.moves(at: position, hostTime: reply.hostTime) }
      player.known.continues(
        at: position, hostTime: reply.hostTime, rate: isPaused ? 0 : player.attribution.speed,
        uncertainty: isPaused ? .zero : player.state.frameDuration ?? .zero)
      guard mustCompare else { return }
      let change = player.attribution.landed(
        at: position, duration: player.film.item.foundEnd?.position ?? player.state.duration,
        frameDuration: player.state.frameDuration ?? .zero,
        isFree: player.film.item.isLive || player.state.isInexact)
      if let change { player.report(change, position: position, at: nil) }
    }
    // mpv answers this after the read of the position.
    lookForEnd()
  }

  // MARK: The position while paused

  func pausedPositionChanged(_ value: MPVValue) {
    // It may be older than a pending read, and the sound may count: read again, and compare in order.
    if value.double != nil { comparePausedPosition() }
  }

  /// Reads the position while paused, which is exact then, and reports a foreign seek.
  func comparePausedPosition() {
    requestPausedPosition { player, position, hostTime in
      guard let position, player.attribution.isPaused else { return }
      player.found(position, hostTime: hostTime)
    }
  }

  /// Records the paused player's position, and reports a foreign seek if the player has moved.
  func found(_ position: PausedPosition, hostTime: HostTime) {
    let isMoved = isMoved(to: position)
    guard !known.prevails(over: position) else { return }
    known.paused(at: position, hostTime: hostTime)
    guard isMoved else { return }
    known.unprime()
    stopSettling()
    report(.userSought(to: position.itemTime), at: hostTime)
  }

  /// Returns whether another frame is shown although the player itself has not moved.
  private func isMoved(to position: PausedPosition) -> Bool {
    state.hasVideo && attribution.isPaused && state.isPaused && !state.isSeeking && !state.isAtEnd
      && !attribution.isSeekPending && film.item.hasStarted
      && known.isOtherFrame(position, frameDuration: state.frameDuration)
  }

  // MARK: Reports

  /// Reports a foreign change and adopts its result: the next plan starts from there.
  ///
  /// - Parameter time: when the change was made; nil for a seek, whose beginning is known.
  private func report(
    _ change: ChangeAttribution.Change, position: MediaTime?, at time: HostTime?
  ) {
    guard film.item.hasStarted else { return }
    stopSettling()
    let position = position ?? extrapolatedItemTime(at: .now()) ?? .zero
    switch change {
    case .sought: judgeLanding(at: position, isOwn: false)
    case .missed: judgeLanding(at: position, isOwn: true)
    case .paused: report(.userPaused(at: position), at: time)
    case .resumed:
      known.continues(
        at: position, hostTime: .now(), rate: attribution.speed, uncertainty: .milliseconds(20))
      report(.userResumed(at: position), at: time)
    case .changedSpeed(let changed):
      let rate = speed.foreignChange(to: changed)
      emitter.yield(.rateChanged(rate))
      report(.userChangedRate(to: rate), at: time)
      // While nudges are resampled, so is a foreign speed.
      settle { try? await $0.matchPitch() }
    }
  }

  /// Reports a user's change, unless a script made it in answer to the player's own pause or start.
  private func report(_ event: PlayerEvent, at time: HostTime?) {
    guard attribution.isAnswer(at: time) else {
      emitter.yield(event)
      return
    }
    attribution.answered()
    emitter.yield(.strayed(at: .now()))
  }

  /// Reports a seek that wasn't the player's own, or that mpv merged with one. Where nothing can be read, mpv goes to one
  /// of the last frames, or to the promised end, which isn't a foreign seek.
  private func judgeLanding(at position: MediaTime, isOwn: Bool) {
    readEnd { player, _, reading, _ in
      let target = player.attribution.ownSeekTarget
      // mpv also begins a seek from there to the last frame, which looks like another's.
      let isOwn = isOwn || reading.isUsedUp && target.map { position < $0 } ?? false
      // The sound is alone at the target, and the last picture was earlier.
      if isOwn, player.hasSoundOnly(at: target, position, reading) { return }
      switch FilmEnd.landing(at: position, isOwn: isOwn, reading, of: player.judgedFilm) {
      case .chosen:
        player.attribution.leftOwnTarget()
        player.report(.userSought(to: position), at: nil)
      case .unreadable where player.attribution.ownSeekTarget == nil:
        player.emitter.yield(.strayed(at: .now()))
      case .connectionLost: player.lost()
      // mpv reaches the end, or plays; or it looks for a frame where our own seek found none.
      case .undecided, .unreadable: break
      }
    }
  }
}

/// Values that are read together with `pause`.
private struct PauseReading: Sendable {
  var isAtEnd = false
  var position: MediaTime?
}
