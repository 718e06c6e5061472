import Timekeeping

extension MPVPlayer {
  /// A Boolean value that indicates whether the picture or the sound moves.
  var isMoving: Bool {
    item.hasStarted && !state.isPaused && !state.isAtEnd && !state.isStalled && !state.isSeeking
  }

  func extrapolatedItemTime(at time: HostTime) -> MediaTime? {
    guard let anchor else { return nil }
    guard isMoving, anchor.rate > 0 else { return anchor.itemTime }
    let place = anchor.itemTime(atHostTime: time)
    return state.duration.map { min(place, $0) } ?? place
  }

  /// Measures the position of mpv's core; see ``position()`` for the perceived one.
  func corePosition() async -> PlayerPosition? {
    guard item.hasStarted, !state.isSeeking else { return nil }
    let measured: PlayerPosition?
    if isMoving {
      if let heard = await audioPosition() {
        measured = heard
        stopWatchingFrames()
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

  /// The property for the position while paused. Without frames `time-pos` lags behind the sound.
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

  /// Measures by the sound: the quickest of three readings; one within 0.3 ms is sufficient.
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

  /// The number of frames that must pass before they serve for learning.
  static let framesToLearnFrom = 6

  /// Measures by the passing frames. After the first call the player watches them for as long as it plays.
  ///
  /// - Parameter minimumCount: the number of frames that must contribute to the estimate.
  func framePosition(minimumCount: Int = 2) async -> PlayerPosition? {
    guard state.hasVideo else { return nil }
    watchFrames()
    let seen = framesSeen
    // Three frames pass before the first reading.
    var patience = frameClock.reading == nil ? Self.framePatience * 2 : Self.framePatience
    if minimumCount > 2 { patience = .seconds(1) }
    // Wait for the next one: the same measurement twice would count as two.
    let outcome = await wait(
      serial: nil, until: .now() + patience,
      for: {
        !$0.isMoving
          || $0.framesSeen > seen && ($0.frameClock.reading?.count ?? 0) >= minimumCount
      })
    guard isMoving, let reading = frameClock.reading, reading.count >= minimumCount else {
      return nil
    }
    let due = reading.due + latencies.frameLeadBias.value
    let uncertainty = reading.spread + (reading.count < 4 ? .milliseconds(4) : .milliseconds(1))
    if outcome == .timedOut {
      // Not every film has a frame in so short a time. The last frame predicts the position now.
      guard frameClock.longestFrame > Self.framePatience / 2 else { return nil }
      let now = HostTime.now()
      return PlayerPosition(
        itemTime: reading.itemTime + (now - due) * attribution.speed, hostTime: now,
        rate: attribution.speed, uncertainty: uncertainty, source: .frame)
    }
    return PlayerPosition(
      itemTime: reading.itemTime + (reading.handedOver - due) * attribution.speed,
      hostTime: reading.handedOver, rate: attribution.speed, uncertainty: uncertainty,
      source: .frame)
  }

  private static let framePatience = Duration.milliseconds(300)

  private func watchFrames() {
    guard frameObserver == nil else { return }
    let observer = makeObserver()
    frameObserver = observer
    handle.observeProperty(MPVProperty.timePos, observer: observer)
  }

  func stopWatchingFrames() {
    frameClock = FrameClock()
    guard let observer = frameObserver else { return }
    handle.unobserveProperty(observer: observer)
    frameObserver = nil
  }

  func frameHandedOver(_ itemTime: MediaTime, at time: HostTime) {
    framesSeen += 1
    frameClock.handedOver(itemTime, at: time, speed: attribution.speed)
  }
}
