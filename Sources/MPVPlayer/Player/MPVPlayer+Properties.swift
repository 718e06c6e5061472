import Timekeeping

/// The observed properties.
extension MPVPlayer {
  func propertyChanged(_ name: String, _ value: MPVValue, at time: HostTime) {
    if state.took(name, value, isLive: film.item.isLive) { return }
    switch name {
    case MPVProperty.pause: if let flag = value.flag { pauseChanged(flag) }
    case MPVProperty.speed:
      if let speed = value.double, attribution.observedSpeed(speed) { verifySpeed() }
    case MPVProperty.eofReached: endReached(value.flag ?? false)
    case MPVProperty.pausedForCache: stalled(value.flag ?? false, at: time)
    case MPVProperty.cacheBufferingState:
      state.buffering(value.double.map { Int(clampingRounded: $0) })
      loadedPercentChanged()
    case MPVProperty.volume:
      if state.volumeChanged(value.double) { reportVolume() }
    case MPVProperty.mute:
      if state.muted(value.flag ?? false) { reportVolume() }
    case MPVProperty.fullscreen:
      pictureOutput.fullscreenChanged(value.flag ?? false)
      emitter.yield(.fullscreenChanged)
    case MPVProperty.trackList: tracksChanged(value)
    case MPVProperty.subVisibility:
      // In frames mode mpv rarely shows subtitles; the viewer's choice is stored here.
      if pictureOutput.mode != .frames {
        state.subtitlesShown(value.flag ?? true)
        drawOverlays()
      }
    case MPVProperty.idleActive: if value.flag == true { film.idle() }
    case MPVProperty.abLoopA, MPVProperty.abLoopB, MPVProperty.loopFile:
      // Before a film is open, its own options come into force.
      if film.item.isLoaded, Self.isLoop(name, value) { emitter.yield(.loopBegan) }
    case MPVProperty.subScale, MPVProperty.subPos:
      if state.subtitleShapeChanged(name, value.double) { emitter.yield(.subtitlesChanged) }
    case MPVProperty.subText: subtitlesChanged(value.string)
    case MPVProperty.audioDevice:
      sound.chose(value.string)
      lookForAudioDevice()
    case MPVProperty.currentAO: audioOutputChanged(value.string)
    case MPVProperty.demuxerCacheTime: buffered(value.double.map(MediaTime.init(seconds:)))
    case MPVProperty.demuxerCacheIdle:
      film.cacheFull(value.flag ?? false)
      lookForEnd()
      measureDuration()
    case MPVProperty.osdDimensions: windowChanged(value)
    case MPVProperty.playlistCount: if let count = value.integer, count > 1 { listGrew() }
    default: preconditionFailure("\(name) is observed but not handled")
    }
  }

  /// Returns whether a value makes the player go back on its own. An A-B loop needs both of its ends.
  private static func isLoop(_ name: String, _ value: MPVValue) -> Bool {
    switch name {
    case MPVProperty.abLoopB: value.double != nil
    case MPVProperty.loopFile:
      value.flag ?? value.integer.map { $0 != 0 } ?? value.string.map { $0 != "no" } ?? false
    default: false
    }
  }

  private func pauseChanged(_ isPaused: Bool) {
    if attribution.observedPause(isPaused) { verifyPause(isSecondReading: false) }
    showPaused(isPaused)
  }

  func showPaused(_ isPaused: Bool) {
    // Also if it was paused from the beginning. The position then changes only by a foreign change. `frame-step` leaves
    // no other trace: mpv merges its two changes of `pause`.
    if isPaused { observe(MPVProperty.timePos, as: .pausedPosition) }
    guard state.paused(isPaused) else { return }
    emitter.yield(.pausedChanged(isPaused))
    if isPaused {
      comparePausedPosition()
    } else {
      known.unprime()
      stopObserving(.pausedPosition)
    }
  }

  private func stalled(_ isStalled: Bool, at time: HostTime) {
    guard isStalled != state.isStalled else { return }
    // While stalled the position is the one before the stall.
    if let position = extrapolatedItemTime(at: time) {
      known.continues(
        at: position, hostTime: time, rate: isStalled ? 0 : attribution.speed,
        uncertainty: .milliseconds(20))
    }
    if state.stalled(isStalled) { emitter.yield(.stalled(isStalled)) }
    loadedPercentChanged()
  }

  private func loadedPercentChanged() {
    if state.updateLoadedPercent() { emitter.yield(.loadedPercentChanged) }
  }

  private func reportVolume() {
    emitter.yield(.volumeChanged(volume: state.volume, isMuted: state.isMuted))
  }

  /// mpv reports only changes of the text without tags.
  private func subtitlesChanged(_ plain: String?) {
    let tagged = Collected<String?>(nil)
    for name in [MPVProperty.subTextASS, MPVProperty.subTextInASS] {
      request({ $0.getProperty(name, id: $1) }) { player, reply in
        if let text = reply.value.string { tagged.value = text }
        guard name == MPVProperty.subTextInASS,
          player.state.subtitleTextChanged(tagged.value ?? plain)
        else { return }
        player.emitter.yield(.subtitlesChanged)
      }
    }
  }

  /// Reads the tracks after a command that may have selected others: mpv reports them later, perhaps after the end of the
  /// film.
  func readTracks() async throws(MPVError) {
    tracksChanged(try await get(MPVProperty.trackList).value)
  }

  private func tracksChanged(_ value: MPVValue) {
    guard state.tracksChanged(value) else { return }
    drawOverlays()
    known.unprime()
    emitter.yield(.tracksChanged)
  }

  private func buffered(_ until: MediaTime?) {
    state.buffered(until: until)
    if film.buffered(until: until), let until { emitter.yield(.buffered(until: until)) }
  }
}
