import Timekeeping

/// The end of a film, and of the part of it that has arrived.
extension MPVPlayer {
  func endReached(_ isAtEnd: Bool) {
    if state.atEnd(isAtEnd), isAtEnd { judgeEnd() }
  }

  /// Reports the end at which mpv is.
  func judgeEnd() {
    readEnd { player, reported, reading, hostTime in
      guard player.state.isAtEnd else { return }
      switch player.foundEnd(reported, reading) {
      case .ended(let position, let isEarly):
        player.known.paused(at: position, hostTime: hostTime)
        // A seek there is no end of playback.
        if !player.attribution.isPaused { player.reportEnd(at: position, isEarly: isEarly) }
      case .connectionLost: player.lost()
      }
    }
  }

  /// Remembers the end that mpv has found, if it comes before the promised one.
  @discardableResult
  func foundEnd(_ reported: MediaTime?, _ reading: FilmEnd.Reading) -> FilmEnd.End {
    measureDuration(reading)
    let film = judgedFilm
    let end = FilmEnd.end(
      reported: reported, target: attribution.ownSeekTarget, reading, of: film)
    if case .ended(let position, let isEarly) = end, film.lacksRest(after: position) {
      self.film.ended(FilmEnd.Found(position: position, isEarly: isEarly))
    }
    return end
  }

  /// The facts about the film by which its end is judged.
  var judgedFilm: FilmEnd.Film {
    FilmEnd.Film(
      duration: state.duration, isRemote: state.isRemote, isSegmented: state.isSegmented,
      complaints: film.item.complaints)
  }

  /// Reads the facts by which the film's end is judged. There is no answer if another film is opened meanwhile.
  func readEnd(
    _ body: @escaping @Sendable (isolated MPVPlayer, MediaTime?, FilmEnd.Reading, HostTime) -> Void
  ) {
    let entry = film.item.entryID
    let values = Collected<[String: MPVValue]>([:])
    for name in [MPVProperty.timePos, MPVProperty.streamPos, MPVProperty.streamEnd] {
      request({ $0.getProperty(name, id: $1) }) { _, reply in
        if reply.code >= 0 { values.value[name] = reply.value }
      }
    }
    request({ $0.getProperty(MPVProperty.demuxerCacheState, id: $1) }) { player, reply in
      guard player.film.item.entryID == entry else { return }
      let reading = FilmEnd.Reading(
        cache: reply.value, byte: values.value[MPVProperty.streamPos] ?? .none,
        size: values.value[MPVProperty.streamEnd] ?? .none)
      let position = values.value[MPVProperty.timePos]?.double.map(MediaTime.init(seconds:))
      body(player, position, reading, reply.hostTime)
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
      // A picture may last.
      for name in [MPVProperty.timePos, MPVProperty.audioPTS] {
        request({ $0.getProperty(name, id: $1) }) { _, reply in
          let position = reply.value.double.map(MediaTime.init(seconds:))
          if let position, position - start > Self.movement { hasMoved.value = true }
        }
      }
      let isAnswered = Collected(false)
      request({ $0.getProperty(MPVProperty.eofReached, id: $1) }) { player, reply in
        isAnswered.value = true
        guard let isAtEnd = reply.value.flag else { return }
        // mpv may have been there before the start, and its event may come later, as no news.
        _ = player.state.atEnd(isAtEnd)
        if isAtEnd { player.judgeEnd() }
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
    readEnd { player, _, reading, hostTime in
      guard player.film.item.isCacheFull,
        let position = player.extrapolatedItemTime(at: hostTime)
      else { return }
      if FilmEnd.isCutOff(at: position, reading, of: player.judgedFilm) { player.lost() }
    }
  }

  /// Takes the duration of a file that names none, once all of it has been read.
  func measureDuration() {
    guard state.isDurationGrowing else { return }
    readEnd { player, _, reading, _ in player.measureDuration(reading) }
  }

  /// mpv also says that no more data comes while it looks for a place in a file without an index.
  private func measureDuration(_ reading: FilmEnd.Reading) {
    guard reading.isOver, reading.isComplete == true else { return }
    state.durationMeasured(isLive: film.item.isLive)
  }

  func lost() {
    if film.lost() { emitter.yield(.connectionLost) }
  }

  // MARK: Reports

  /// Reports the film's end when it is perceived; an earlier report would cut off the end for the others.
  private func reportEnd(at position: MediaTime, isEarly: Bool) {
    guard filmEnd.mustReport(after: transportSerial) else { return }
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
  ///   - end: the end that the film promises, or that was found before it.
  ///   - isEarly: whether the film's rest is missing.
  func reportEnd(of line: PlaybackLine, at end: MediaTime, isEarly: Bool) {
    let perceived = line.hostTime(atItemTime: end) + outputLatency
    let serial = transportSerial
    report(
      .ended(at: end, isEarly: isEarly, item: film.item.request?.identifier),
      after: max(perceived - .now(), .zero)
    ) { player in
      serial == player.transportSerial && player.filmEnd.mustReport(after: serial)
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
