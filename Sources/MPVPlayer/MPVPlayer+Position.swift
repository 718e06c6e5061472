import Timekeeping

extension MPVPlayer {
  /// Whether the picture or the sound moves.
  var isMoving: Bool {
    item.hasStarted && !state.isPaused && !state.isAtEnd && !state.isStalled && !state.isSeeking
  }

  func extrapolatedItemTime(at time: HostTime) -> MediaTime? {
    guard let anchor else { return nil }
    guard isMoving, anchor.rate > 0 else { return anchor.itemTime }
    let place = anchor.itemTime(atHostTime: time)
    return state.duration.map { min(place, $0) } ?? place
  }

  /// Measures where mpv's core is: see ``position()`` for what is perceived of it.
  func corePosition() async -> PlayerPosition? {
    guard item.hasStarted, !state.isSeeking else { return nil }
    let measured: PlayerPosition?
    if isMoving {
      if let heard = await audioPosition() {
        measured = heard
      } else {
        measured = await framePosition()
      }
    } else {
      measured = await standingPosition()
    }
    guard let measured, item.hasStarted, !state.isSeeking else { return measured }
    if measured.rate > 0, isMoving { anchor = measured }
    if measured.rate == 0, attribution.isPaused, !attribution.isSeekPending {
      found(measured.itemTime, hostTime: measured.hostTime)
    }
    return measured
  }

  /// Where there are no frames `time-pos` lags behind the sound.
  var standingProperty: String {
    state.hasVideo ? MPVProperty.timePos : MPVProperty.audioPTS
  }

  func standingPosition() async -> PlayerPosition? {
    if let primed {
      return PlayerPosition(
        itemTime: primed.itemTime, hostTime: .now(), rate: 0, uncertainty: .zero, source: .standing)
    }
    var reply = try? await get(standingProperty)
    if reply?.value.double == nil { reply = try? await get(MPVProperty.timePos) }
    guard let reply, let seconds = reply.value.double else { return nil }
    return PlayerPosition(
      itemTime: MediaTime(seconds: seconds), hostTime: reply.hostTime, rate: 0,
      uncertainty: .zero, source: .standing)
  }

  /// The quickest of three readings; one within 0.3 ms is good enough.
  private func audioPosition() async -> PlayerPosition? {
    var best: PlayerPosition?
    for _ in 0..<3 {
      let asked = HostTime.now()
      guard let reply = try? await get(MPVProperty.audioPTS), let seconds = reply.value.double
      else { return best }
      let uncertainty = (reply.hostTime - asked) / 2
      if let best, best.uncertainty <= uncertainty { continue }
      let middle = asked + uncertainty
      best = PlayerPosition(
        itemTime: MediaTime(seconds: seconds) + speedChanges.correction(at: middle),
        hostTime: middle, rate: attribution.speed, uncertainty: uncertainty, source: .audio)
      if uncertainty <= .microseconds(150) { break }
    }
    return best
  }

  /// How much sooner than due `time-pos` goes on to a frame.
  var frameLead: Duration {
    let frame = (state.frameDuration ?? .zero) / max(attribution.speed, 0.01)
    return latencies.frameLead?.value
      ?? LearnedLatencies.expectedFrameLead(frameDuration: frame)
  }

  /// `time-pos` is observed only for as long as it takes: it changes with every frame.
  private func framePosition() async -> PlayerPosition? {
    let observer = makeObserver()
    frameObservers[observer] = []
    handle.observeProperty(MPVProperty.timePos, observer: observer)
    defer {
      handle.unobserveProperty(observer: observer)
      frameObservers[observer] = nil
    }
    // The first is where it was; the second came with a frame, and is where a frame began.
    let outcome = await wait(
      serial: nil, until: .now() + .milliseconds(300),
      for: { ($0.frameObservers[observer]?.count ?? 0) >= 2 })
    guard outcome == .met, let frame = frameObservers[observer]?.last else { return nil }
    return PlayerPosition(
      itemTime: frame.itemTime - frameLead * attribution.speed, hostTime: frame.hostTime,
      rate: attribution.speed, uncertainty: .milliseconds(1), source: .frame)
  }
}
