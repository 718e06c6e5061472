import Timekeeping

/// The end of a film, and of the part of it that has arrived.
extension MPVPlayer {
  func endReached(_ isAtEnd: Bool) {
    guard state.atEnd(isAtEnd), isAtEnd else { return }
    request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { player, reply in
      guard player.state.isAtEnd else { return }
      player.endReached(at: reply.value.double.map(MediaTime.init(seconds:)), reply.hostTime)
    }
  }

  private func endReached(at reported: MediaTime?, _ hostTime: HostTime) {
    if let reported, !state.isRemote { return ended(at: reported, hostTime: hostTime) }
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      guard player.state.isAtEnd else { return }
      let position = FilmEnd.position(
        reported: reported, FilmEnd.Fetched(reply.value), target: player.attribution.ownSeekTarget,
        duration: player.state.duration, isRemote: player.state.isRemote)
      player.ended(at: position, hostTime: hostTime)
    }
  }

  private func ended(at position: MediaTime, hostTime: HostTime) {
    known.paused(at: position, hostTime: hostTime)
    switch FilmEnd.report(at: position, duration: state.duration, isRemote: state.isRemote) {
    case .connectionLost: lost()
    case .ended(let position, let isEarly): reportEnd(at: position, isEarly: isEarly)
    }
  }

  /// Waits after a start until the film has left the position of the start, and looks for its end meanwhile.
  ///
  /// mpv mentions the end only when it stops moving, so it doesn't mention a start at the end, as after a seek beyond a
  /// truncated film's last frame: it claims to play.
  ///
  /// - Returns: false if the film doesn't move: it is at its end, or was commanded otherwise.
  func hasLeft(_ start: MediaTime, _ serial: UInt64) async -> Bool {
    let hasMoved = Collected(false)
    let deadline = HostTime.now() + Self.endPatience
    while .now() < deadline {
      request({ $0.getProperty(MPVProperty.timePos, id: $1) }) { _, reply in
        let position = reply.value.double.map(MediaTime.init(seconds:))
        hasMoved.value = position.map { $0 - start > Self.movement } ?? false
      }
      let isAnswered = Collected(false)
      request({ $0.getProperty(MPVProperty.eofReached, id: $1) }) { player, reply in
        isAnswered.value = true
        if let isAtEnd = reply.value.flag { player.endReached(isAtEnd) }
      }
      let outcome = await wait(
        serial: serial, until: deadline, for: { _ in isAnswered.value })
      guard outcome == .met, !state.isAtEnd else { return false }
      if hasMoved.value { return true }
      guard await sleep(until: .now() + .milliseconds(10), serial: serial) == .met else {
        return false
      }
    }
    return false
  }

  /// The longest time for which the end is looked for after a start.
  private static let endPatience = Duration.seconds(10)
  /// The distance that shows that a film moves: more than its last frame.
  private static let movement = Duration.milliseconds(45)

  /// Checks for the end of a film when mpv fetches no more: it has enough, or it has come to the apparent end. In the
  /// latter case a seek beyond it ends at the last received frame, and mpv never sets `eof-reached`.
  func lookForEnd() {
    guard state.isRemote, film.item.hasStarted, film.item.isCacheFull else { return }
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      guard player.film.item.isCacheFull,
        let position = player.extrapolatedItemTime(at: reply.hostTime)
      else { return }
      let isCutOff = FilmEnd.isCutOff(
        at: position, FilmEnd.Fetched(reply.value), duration: player.state.duration,
        isRemote: player.state.isRemote)
      if isCutOff { player.lost() }
    }
  }

  func lost() {
    if film.lost() { emitter.yield(.connectionLost) }
  }

  // MARK: Reports

  /// Reports the film's end when it is perceived; an earlier report would cut off the end for the others.
  private func reportEnd(at position: MediaTime, isEarly: Bool) {
    guard filmEnd.isNews(after: transportSerial) else { return }
    tasks.cancel(.endReport)
    let event = PlayerEvent.ended(
      at: position, isEarly: isEarly, item: film.item.request?.identifier)
    let latency = outputLatency
    guard latency > .zero else {
      emitter.yield(event)
      return
    }
    let entry = film.item.entryID
    // Meanwhile the player may have been paused, or sought away from there.
    report(event, after: latency) {
      $0.state.isAtEnd && !$0.attribution.isPaused && $0.film.item.entryID == entry
    }
  }

  /// Reports the end of a film whose start came too late for its rest, when the line has reached the end.
  ///
  /// The player is paused there, where mpv mostly doesn't say that the end was reached.
  ///
  /// - Parameters:
  ///   - end: the end that the film promises.
  ///   - lastFrame: the position to which a seek there led; nil if there is none.
  func reportEnd(of line: PlaybackLine, at end: MediaTime, lastFrame: MediaTime?) {
    let isEarly = lastFrame.map { FilmEnd.isEarly($0, duration: end) } ?? false
    let end = isEarly ? lastFrame ?? end : end
    let perceived = line.hostTime(atItemTime: end) + outputLatency
    let serial = transportSerial
    report(
      .ended(at: end, isEarly: isEarly, item: film.item.request?.identifier),
      after: max(perceived - .now(), .zero)
    ) { player in
      player.filmEnd.lineEnded(
        after: serial, current: player.transportSerial, isAtEnd: player.state.isAtEnd)
    }
  }

  /// Sends the report of an end after a delay, in place of one that is still delayed.
  private func report(
    _ end: PlayerEvent, after delay: Duration,
    if isDue: @escaping @Sendable (isolated MPVPlayer) -> Bool
  ) {
    tasks.replace(.endReport) { _ in
      Task { [weak self] in
        do { try await Task.sleep(for: delay, clock: .suspending) } catch { return }
        await self?.report(end, if: isDue)
      }
    }
  }

  private func report(
    _ end: PlayerEvent, if isDue: @Sendable (isolated MPVPlayer) -> Bool
  ) {
    if !Task.isCancelled, isDue(self) { emitter.yield(end) }
  }
}
