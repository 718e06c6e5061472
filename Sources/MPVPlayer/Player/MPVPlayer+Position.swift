import Timekeeping

extension MPVPlayer {
  /// A Boolean value that indicates whether the picture or the sound moves.
  var isMoving: Bool { state.isMoving(hasStarted: film.item.hasStarted) }

  func extrapolatedItemTime(at time: HostTime) -> MediaTime? {
    known.itemTime(at: time, isMoving: isMoving, duration: state.duration)
  }

  /// Measures the position of mpv's core; see ``position()`` for the perceived one.
  ///
  /// - Parameter isOneOfMany: whether measurements before and after this one count as well, so that a reading as exact
  ///   as the others of late suffices.
  func corePosition(isOneOfMany: Bool = false) async -> PlayerPosition? {
    guard film.item.hasStarted, !state.isSeeking else { return nil }
    let measured: PlayerPosition?
    if isMoving {
      if let heard = await audioPosition(isOneOfMany: isOneOfMany) {
        measured = heard
        stopWatchingFrames()
      } else {
        measured = await framePosition()
      }
    } else {
      measured = await pausedPosition()
    }
    guard let measured, film.item.hasStarted, !state.isSeeking else { return measured }
    if measured.rate > 0, isMoving { known.measured(measured) }
    if measured.rate == 0, attribution.isPaused, !attribution.isSeekPending {
      found(measured.itemTime, hostTime: measured.hostTime)
    }
    return measured
  }

  /// Reads the position while paused.
  func pausedPosition() async -> PlayerPosition? {
    if let primed = known.primedPosition(at: .now()) { return primed }
    var reply = try? await get(state.pausedProperty)
    if reply?.value.double == nil { reply = try? await get(MPVProperty.timePos) }
    guard let reply, let seconds = reply.value.double else { return nil }
    return PlayerPosition(
      itemTime: MediaTime(seconds: seconds), hostTime: reply.hostTime, rate: 0,
      uncertainty: .zero, source: .still)
  }

  /// Measures by the sound: the quickest of three readings, or the first that is exact enough.
  private func audioPosition(isOneOfMany: Bool) async -> PlayerPosition? {
    var best: PlayerPosition?
    for _ in 0..<3 {
      let asked = HostTime.now()
      guard let reply = try? await get(MPVProperty.audioPTS), let seconds = reply.value.double
      else { return best }
      let uncertainty = (reply.hostTime - asked) / 2
      let isExact = timing.isExact(uncertainty, isOneOfMany: isOneOfMany)
      if let best, best.uncertainty <= uncertainty { continue }
      let middle = asked + uncertainty
      best = PlayerPosition(
        itemTime: MediaTime(seconds: seconds) + timing.correction(at: middle),
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
      bias: timing.latencies.frameLeadBias.value, isLate: outcome == .timedOut, now: .now())
  }

  func stopWatchingFrames() {
    frames.stopped()
    stopObserving(.frames)
  }
}
