import Concurrency
import Timekeeping

extension MPVPlayer {
  /// A Boolean value that indicates whether the picture or the sound moves.
  var isMoving: Bool { state.isMoving(hasStarted: film.item.hasStarted) }

  func extrapolatedItemTime(at time: HostTime) -> MediaTime? {
    known.itemTime(at: time, isMoving: isMoving, duration: state.duration)
  }

  /// Sets the film's times on the party's timeline, on which all positions are; nil if they are the same. It counts for
  /// the film that is loaded and for those that are loaded next. The player stays at its place in the file.
  package func setTimeline(_ timeline: CopyTimeline?) {
    let now = HostTime.now()
    guard timeline != handle.timeline.withLock({ $0 }) else { return }
    let place = extrapolatedItemTime(at: now).map(ownTime(at:))
    handle.timeline.withLock { $0 = timeline }
    known.unprime()
    attribution.leftOwnTarget()
    guard let anchor = known.anchor, let place else { return }
    let position = timeline?.party(at: place) ?? place
    if anchor.rate > 0 {
      known.continues(
        at: position, hostTime: now, rate: anchor.rate, uncertainty: anchor.uncertainty)
    } else {
      known.paused(at: position, hostTime: now)
    }
    for name in [MPVProperty.duration, MPVProperty.chapterList] {
      request({ $0.getProperty(name, id: $1) }) { player, reply in
        player.propertyChanged(name, reply.code >= 0 ? reply.value : .none, at: reply.hostTime)
      }
    }
  }

  /// Returns the file's own time at a position.
  func ownTime(at position: MediaTime) -> MediaTime {
    max(handle.timeline.withLock { $0?.own(at: position) } ?? position, .zero)
  }

  /// Returns the first position from here on that the file has.
  func presentTime(from position: MediaTime) -> MediaTime {
    handle.timeline.withLock { $0 }?.party(at: ownTime(at: position)) ?? position
  }

  /// Returns whether playback jumped by itself since the last call, as at a gap in the film's time stamps.
  ///
  /// While it begins again there, measurements may be wrong by some tenths of a second.
  package func takeJump() -> Bool { known.takeJump() }

  /// Measures the position of mpv's core; see ``position()`` for the perceived one.
  ///
  /// - Parameter isOneOfMany: whether measurements before and after this one count as well, so that a reading as exact
  ///   as the others of late suffices.
  func corePosition(isOneOfMany: Bool = false) async -> PlayerPosition? {
    guard film.item.hasStarted, !state.isSeeking else { return nil }
    guard isMoving else { return await pausedPosition() }
    let measured: PlayerPosition?
    if let heard = await audioPosition(isOneOfMany: isOneOfMany) {
      measured = heard
      stopWatchingFrames()
    } else {
      measured = await framePosition()
    }
    if let measured, measured.rate > 0, film.item.hasStarted, isMoving { known.measured(measured) }
    return measured
  }

  /// Reads the position while paused.
  func pausedPosition() async -> PlayerPosition? {
    if let primed = known.primedPosition(at: .now()) { return primed }
    guard let reading = await readPausedPosition() else { return nil }
    if film.item.hasStarted, !state.isSeeking, attribution.isPaused, !attribution.isSeekPending {
      found(reading.position, hostTime: reading.hostTime)
    }
    return PlayerPosition(
      itemTime: reading.position.itemTime, hostTime: reading.hostTime, rate: 0,
      uncertainty: .zero, source: .still)
  }

  /// Reads the position of the paused player.
  func readPausedPosition() async -> (position: PausedPosition, hostTime: HostTime)? {
    let outcome = OneShot<(position: PausedPosition, hostTime: HostTime)?>()
    requestPausedPosition { _, position, hostTime in
      outcome.fulfil(position.map { ($0, hostTime) })
    }
    return await outcome.value() ?? nil
  }

  /// Reads the position of the paused player, and calls `handler` in order of the answers.
  ///
  /// - Parameter isSecondReading: whether mpv has handled a pause before. Right after one, `time-pos` may still lag
  ///   behind sound that is alone.
  func requestPausedPosition(
    isSecondReading: Bool = false,
    _ handler: @escaping @Sendable (isolated MPVPlayer, PausedPosition?, HostTime) -> Void
  ) {
    let delay = Collected(Duration.zero)
    let heard = Collected<MediaTime?>(nil)
    request({ $0.getProperty(MPVProperty.audioDelay, id: $1) }) { _, reply in
      delay.value = Duration(clampingSeconds: reply.value.double ?? 0)
    }
    request({ $0.getProperty(MPVProperty.audioPTS, id: $1) }) { _, reply in
      heard.value = reply.value.double.map(MediaTime.init(seconds:))
    }
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      let shown = reply.value.double.map(MediaTime.init(seconds:))
      if !isSecondReading, let shown, let heard = heard.value, heard > shown {
        return player.requestPausedPosition(isSecondReading: true, handler)
      }
      let position = PausedPosition(
        shown: shown, heard: heard.value, delay: delay.value, hasVideo: player.state.hasVideo,
        hasSlides: player.hasSlides)
      handler(player, position, reply.hostTime)
    }
  }

  /// Measures by the sound: the quickest of three readings, or the first that is exact enough.
  private func audioPosition(isOneOfMany: Bool) async -> PlayerPosition? {
    var best: PlayerPosition?
    for _ in 0..<3 {
      let asked = HostTime.now()
      guard let reply = try? await get(MPVProperty.audioPTS), let seconds = reply.value.double
      else { return best }
      let uncertainty = (reply.hostTime - asked) / 2
      let isExact = delays.isExact(uncertainty, isOneOfMany: isOneOfMany)
      if let best, best.uncertainty <= uncertainty { continue }
      let middle = asked + uncertainty
      best = PlayerPosition(
        itemTime: MediaTime(seconds: seconds) + delays.correction(at: middle),
        hostTime: middle, rate: attribution.speed, uncertainty: uncertainty, source: .audio)
      if isExact { break }
    }
    return best
  }

  /// Measures by the passing frames. After the first call the player watches them for as long as it plays.
  ///
  /// - Parameter minimumCount: the number of frames that must contribute to the estimate.
  func framePosition(minimumCount: Int = 2) async -> PlayerPosition? {
    guard state.hasVideo else { return nil }
    observe(MPVProperty.timePos, as: .frames)
    let seen = frames.seen
    let outcome = await wait(
      serial: nil, until: .now() + frames.patience(minimumCount: minimumCount),
      for: { !$0.isMoving || $0.frames.hasNext(after: seen, minimumCount: minimumCount) })
    guard isMoving else { return nil }
    return frames.position(
      minimumCount: minimumCount, speed: attribution.speed,
      bias: delays.latencies.frameLeadBias.value, isLate: outcome == .timedOut, now: .now())
  }

  func stopWatchingFrames() {
    frames.stopped()
    stopObserving(.frames)
  }
}
