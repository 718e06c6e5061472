import CMPV
import Concurrency
import Timekeeping

extension MPVPlayer {
  // MARK: Observed properties

  func propertyChanged(_ name: String, _ value: MPVValue, at time: HostTime) {
    switch name {
    case MPVProperty.pause: if let flag = value.flag { pauseChanged(flag) }
    case MPVProperty.speed:
      if let speed = value.double, attribution.observedSpeed(speed) { verifySpeed() }
    case MPVProperty.eofReached: endReached(value.flag ?? false)
    case MPVProperty.pausedForCache: stalled(value.flag ?? false, at: time)
    case MPVProperty.cacheBufferingState:
      cacheBufferingState = value.double.map { Int(clampingRounded: $0) }
      loadedPercentChanged()
    case MPVProperty.duration:
      // For a live stream mpv reports the duration that is available now.
      state.duration = item.isLive ? nil : value.double.map(MediaTime.init(seconds:))
    case MPVProperty.seekable: state.isSeekable = value.flag ?? false
    case MPVProperty.partiallySeekable: state.isPartiallySeekable = value.flag ?? false
    case MPVProperty.fileFormat: fileFormat = value.string
    case MPVProperty.mediaTitle: state.title = value.string
    case MPVProperty.path: state.path = value.string
    case MPVProperty.volume, MPVProperty.mute: volumeChanged(name, value)
    case MPVProperty.fullscreen:
      isFullscreen = value.flag ?? false
      emitter.yield(.fullscreenChanged)
    case MPVProperty.trackList: tracksChanged(value)
    case MPVProperty.chapterList:
      state.chapters = (value.array ?? []).compactMap(PlayerSnapshot.Chapter.init)
    case MPVProperty.subVisibility:
      // In frames mode mpv shows no subtitles; the viewer's choice is stored here.
      if videoMode != .frames {
        state.areSubtitlesVisible = value.flag ?? true
        drawOverlays()
      }
    case MPVProperty.subText:
      guard value.string ?? "" != state.subtitleText else { break }
      state.subtitleText = value.string ?? ""
      emitter.yield(.subtitlesChanged)
    case MPVProperty.containerFPS: state.framesPerSecond = value.double
    case MPVProperty.videoParams: state.videoSize = PlayerSnapshot.VideoSize(value)
    case MPVProperty.audioDevice:
      chosenAudioDevice = value.string
      lookForAudioDevice()
    case MPVProperty.currentAO: audioOutputChanged(value.string)
    case MPVProperty.demuxerCacheTime: buffered(value.double.map(MediaTime.init(seconds:)))
    case MPVProperty.demuxerCacheIdle:
      item.isCacheFull = value.flag ?? false
      lookForEnd()
    case MPVProperty.demuxerViaNetwork: state.isRemote = value.flag ?? false
    case MPVProperty.osdDimensions: windowChanged(value)
    default: preconditionFailure("\(name) is observed but not handled")
    }
  }

  private func pauseChanged(_ isPaused: Bool) {
    if attribution.observedPause(isPaused) { verifyPause(isSecondReading: false) }
    showPaused(isPaused)
  }

  func showPaused(_ isPaused: Bool) {
    guard isPaused != state.isPaused else { return }
    state.isPaused = isPaused
    emitter.yield(.pausedChanged(isPaused))
    if isPaused {
      readStandingPlace()
      observeStandingPlace()
    } else {
      primed = nil
      if let standingObserver { handle.unobserveProperty(observer: standingObserver) }
      standingObserver = nil
    }
  }

  /// Observes the position while paused. It then changes only by a foreign change. `frame-step` leaves no other trace:
  /// mpv merges its two changes of `pause`.
  private func observeStandingPlace() {
    guard standingObserver == nil else { return }
    let observer = makeObserver()
    standingObserver = observer
    handle.observeProperty(MPVProperty.timePos, observer: observer)
  }

  func standingPlaceChanged(_ value: MPVValue) {
    guard let seconds = value.double, isMoved(to: MediaTime(seconds: seconds)) else { return }
    // It may be older than a pending read: read again, and compare in order.
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      guard let seconds = reply.value.double else { return }
      let place = MediaTime(seconds: seconds)
      if player.isMoved(to: place) { player.found(place, hostTime: reply.hostTime) }
    }
  }

  /// Records the paused player's position, and reports a foreign seek if the player has moved.
  func found(_ place: MediaTime, hostTime: HostTime) {
    let isMoved = isMoved(to: place)
    stand(at: place, hostTime: hostTime)
    guard isMoved else { return }
    primed = nil
    tell(.sought(to: place), place: place)
  }

  /// Returns whether another frame is shown although the player itself has not moved.
  private func isMoved(to place: MediaTime) -> Bool {
    guard state.hasVideo, attribution.isPaused, state.isPaused, !state.isSeeking, !state.isAtEnd,
      !attribution.isSeekPending, item.hasStarted, let anchor, anchor.isExact
    else { return false }
    return (place - anchor.itemTime).magnitude > (state.frameDuration ?? .zero) / 2
  }

  /// Reads the position while paused. It is exact then, and needed to detect a foreign seek.
  private func readStandingPlace() {
    request({ $0.getProperty(standingProperty, id: $1) }) { player, reply in
      guard let seconds = reply.value.double, player.attribution.isPaused else { return }
      player.found(MediaTime(seconds: seconds), hostTime: reply.hostTime)
    }
  }

  func stand(at place: MediaTime, hostTime: HostTime) {
    anchor = PlayerPosition(
      itemTime: place, hostTime: hostTime, rate: 0, uncertainty: .zero, source: .standing)
  }

  private func endReached(_ isAtEnd: Bool) {
    guard isAtEnd != state.isAtEnd else { return }
    state.isAtEnd = isAtEnd
    guard isAtEnd else { return }
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      guard player.state.isAtEnd else { return }
      guard let seconds = reply.value.double else { return player.endedNowhere() }
      player.ended(at: MediaTime(seconds: seconds), hostTime: reply.hostTime)
    }
  }

  private func ended(at place: MediaTime, hostTime: HostTime) {
    stand(at: place, hostTime: hostTime)
    let isEarly = isEarly(place)
    if isEarly, state.isRemote { return lost() }
    tellEnded(at: place, isEarly: isEarly)
  }

  /// Handles an end that was reached by a seek beyond all frames, so that mpv has no position: the film's end, or the
  /// end of the part that arrived.
  private func endedNowhere() {
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      guard player.state.isAtEnd else { return }
      let end = player.state.duration ?? .zero
      let received = reply.value["cache-end"]?.double.map(MediaTime.init(seconds:))
      let place = player.state.isRemote ? min(received ?? end, end) : end
      player.ended(at: player.isEarly(place) ? place : end, hostTime: reply.hostTime)
    }
  }

  private func isEarly(_ place: MediaTime) -> Bool {
    state.duration.map { $0 - place > .seconds(2) } ?? false
  }

  /// Checks for the end of a film when mpv fetches no more: it has enough, or it has come to the apparent end. In the
  /// latter case a seek beyond it ends at the last received frame, and mpv never sets `eof-reached`.
  private func lookForEnd() {
    guard state.isRemote, item.hasStarted, item.isCacheFull else { return }
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      guard player.item.isCacheFull,
        let place = player.extrapolatedItemTime(at: reply.hostTime)
      else { return }
      if player.isCutOff(at: place, reply.value) { player.lost() }
    }
  }

  /// Returns whether the received part of the film ends here, and no more data will come.
  private func isCutOff(at place: MediaTime, _ cache: MPVValue) -> Bool {
    guard state.isRemote, cache["eof"]?.flag == true else { return false }
    // The cache is empty after a seek that didn't reach the server.
    let end = cache["cache-end"]?.double.map(MediaTime.init(seconds:)) ?? place
    return end - place < .seconds(1) && isEarly(max(end, place))
  }

  private func lost() {
    guard !item.isLost else { return }
    item.isLost = true
    emitter.yield(.connectionLost)
  }

  private func stalled(_ isStalled: Bool, at time: HostTime) {
    guard isStalled != state.isStalled else { return }
    // While stalled the position is the one before the stall.
    if let place = extrapolatedItemTime(at: time) {
      anchor = PlayerPosition(
        itemTime: place, hostTime: time, rate: isStalled ? 0 : attribution.speed,
        uncertainty: .milliseconds(20), source: .standing)
    }
    state.isStalled = isStalled
    emitter.yield(.stalled(isStalled))
    loadedPercentChanged()
  }

  private func loadedPercentChanged() {
    let percent = state.isStalled ? cacheBufferingState.map { min(max($0, 0), 100) } : nil
    guard percent != state.loadedPercent else { return }
    state.loadedPercent = percent
    emitter.yield(.loadedPercentChanged)
  }

  private func volumeChanged(_ name: String, _ value: MPVValue) {
    let before = (state.volume, state.isMuted)
    if name == MPVProperty.mute {
      state.isMuted = value.flag ?? false
    } else {
      state.volume = value.double ?? state.volume
    }
    guard before != (state.volume, state.isMuted) else { return }
    emitter.yield(.volumeChanged(volume: state.volume, isMuted: state.isMuted))
  }

  private func tracksChanged(_ value: MPVValue) {
    let tracks = (value.array ?? []).compactMap(PlayerSnapshot.Track.init)
    guard tracks != state.tracks else { return }
    state.tracks = tracks
    drawOverlays()
    primed = nil
    emitter.yield(.tracksChanged)
  }

  private func buffered(_ until: MediaTime?) {
    state.bufferedUntil = until
    guard let until else { return item.toldBuffered = nil }
    if let told = item.toldBuffered, (until - told).magnitude < .milliseconds(500) { return }
    item.toldBuffered = until
    emitter.yield(.buffered(until: until))
  }

  // MARK: Foreign changes

  /// Reads `pause` and the related properties; see ``ChangeAttribution``.
  private func verifyPause(isSecondReading: Bool) {
    // The answers come in this order, with no change of ours between them.
    let reading = Collected(PauseReading())
    request({ $0.getProperty(MPVProperty.eofReached, id: $1) }) { _, reply in
      reading.value.isAtEnd = reply.value.flag ?? false
    }
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { _, reply in
      reading.value.place = reply.value.double.map(MediaTime.init(seconds:))
    }
    request({ $0.getProperty(MPVProperty.pause, id: $1) }) { player, reply in
      guard let isPaused = reply.value.flag else { return }
      player.pauseRead(
        isPaused, isAtEnd: reading.value.isAtEnd, place: reading.value.place,
        isSecondReading: isSecondReading)
    }
  }

  private func pauseRead(
    _ isPaused: Bool, isAtEnd: Bool, place: MediaTime?, isSecondReading: Bool
  ) {
    switch attribution.readPause(isPaused, isAtEnd: isAtEnd, isSecondReading: isSecondReading) {
    case .none: break
    case .changed(let change): tell(change, place: place)
    case .inDoubt: verifyPauseLater()
    case .comparePlace:
      // `frame-step` unpauses for the time of one frame.
      if let place, isMoved(to: place) { found(place, hostTime: .now()) }
    }
  }

  /// Reads `pause` again after one and a half frames, when a `frame-step` is over.
  private func verifyPauseLater() {
    let frame = min(state.frameDuration ?? .zero, .milliseconds(150))
    let oneShot = OneShot<Void>()
    deadlines.run(at: .now() + max(frame * 1.5, .milliseconds(60))) { oneShot.fulfil(()) }
    doubting?.cancel()
    doubting = Task { [weak self] in
      guard await oneShot.value() != nil else { return }
      await self?.verifyPause(isSecondReading: true)
    }
  }

  private func verifySpeed() {
    request({ $0.getProperty(MPVProperty.speed, id: $1) }) { player, reply in
      guard let speed = reply.value.double else { return }
      let before = player.attribution.speed
      if let change = player.attribution.readSpeed(speed) {
        player.noteSpeed(from: before, to: speed, at: reply.hostTime, buffered: nil)
        player.tell(change, place: nil)
      }
    }
  }

  func seekBegan(at time: HostTime) {
    attribution.seekBegan(standing: extrapolatedItemTime(at: time))
    state.isSeeking = true
    speedChanges.forget()
    primed = nil
  }

  func playbackRestarted() {
    state.isSeeking = false
    item.hasStarted = true
    let mustCompare = attribution.playbackRestarted()
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      guard let seconds = reply.value.double else { return }
      let place = MediaTime(seconds: seconds)
      player.anchor = PlayerPosition(
        itemTime: place, hostTime: reply.hostTime,
        rate: player.attribution.isPaused ? 0 : player.attribution.speed,
        uncertainty: player.attribution.isPaused ? .zero : player.state.frameDuration ?? .zero,
        source: .standing)
      guard mustCompare else { return }
      let change = player.attribution.landed(
        at: place, duration: player.state.duration,
        frameDuration: player.state.frameDuration ?? .zero,
        isFree: player.item.isLive || player.isInexact)
      if let change { player.tell(change, place: place) }
    }
    // mpv answers this after the read of the position.
    lookForEnd()
  }

  /// Reports a foreign change and adopts its result: the next plan starts from there.
  private func tell(_ change: ChangeAttribution.Change, place: MediaTime?) {
    guard item.hasStarted else { return }
    stopSettling()
    let place = place ?? extrapolatedItemTime(at: .now()) ?? .zero
    switch change {
    case .paused: emitter.yield(.userPaused(at: place))
    case .resumed:
      anchor = PlayerPosition(
        itemTime: place, hostTime: .now(), rate: attribution.speed, uncertainty: .milliseconds(20),
        source: .standing)
      emitter.yield(.userResumed(at: place))
    case .sought(let target): tellSought(to: target)
    case .changedSpeed(let speed):
      let rate = UserRate.rate(
        observed: speed, from: commandedRate, nudge: nudge * catchUp)
      commandedRate = rate
      nudge = 1
      catchUp = 1
      emitter.yield(.rateChanged(rate))
      emitter.yield(.userChangedRate(to: rate))
    }
  }

  /// Reports a foreign seek. If no more data comes, playback stops at one of the last frames, which isn't a foreign
  /// seek: a seek of ours beyond them ends there too.
  private func tellSought(to target: MediaTime) {
    guard state.isRemote else {
      emitter.yield(.userSought(to: target))
      return
    }
    let entry = item.entryID
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      // The answer may be about a film that was opened meanwhile.
      guard player.item.entryID == entry else { return }
      if player.isCutOff(at: target, reply.value) {
        player.lost()
      } else {
        player.emitter.yield(.userSought(to: target))
      }
    }
  }

  // MARK: The log

  func logged(_ text: String, _ level: MPVEvent.LogLevel) {
    let line = text.trimmingNewline
    let isError = level == .error || level == .fatal
    if level == .other {
      // Besides warnings, only this line of mpv's log is needed.
      if let path = screenshotPath(inLog: line) { screenshotWritten?.fulfil(path) }
      return
    }
    // `ao=null` logs this at every start from a pause; nothing is wrong and no action is needed.
    if line.hasPrefix("illegal state: start() while paused") { return }
    emitter.yield(.log(text: line, isError: isError))
    guard isError else { return }
    recentErrors.append(line)
    if recentErrors.count > 16 { recentErrors.removeFirst() }
    // mpv's message for a failed window; there is no event.
    if line.contains("the selected video_out (--vo) device"), !hasNoWindow {
      goOnWithoutWindow(line)
    }
  }

  /// Continues without a window. With an output that can't fail the times of frames stay real.
  private func goOnWithoutWindow(_ reason: String) {
    hasNoWindow = true
    postponed?.read.fulfil(())
    emitter.yield(.windowUnavailable(reason))
    request({ $0.setProperty(MPVProperty.vo, .string("null"), id: $1) }) { _, _ in }
    // A file that is loading ends now, and is opened again, even if it seems to have started.
    guard item.hasStarted else { return }
    // mpv has deselected the picture, and only an explicit number brings it back.
    let video = state.tracks.first { $0.kind == .video && !$0.isAlbumArt }
    request({ $0.setProperty(MPVProperty.vid, .integer(Int64(video?.id ?? 1)), id: $1) }) { _, _ in
    }
  }
}

/// Values that are read together with `pause`.
private struct PauseReading: Sendable {
  var isAtEnd = false
  var place: MediaTime?
}

extension String {
  fileprivate var trimmingNewline: String {
    var text = self
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}
