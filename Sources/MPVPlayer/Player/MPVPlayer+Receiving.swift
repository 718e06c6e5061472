import Concurrency
import Timekeeping

/// mpv's events, in their order.
extension MPVPlayer {
  func received(_ stamped: StampedEvent) {
    switch stamped.event {
    case .reply(let id, let code, let value):
      reply(id: id, MPVReply(code: code, value: value, hostTime: stamped.hostTime))
    case .propertyChange(let name, let value, let observer):
      if observer == 0 {
        propertyChanged(name, value, at: stamped.hostTime)
      } else {
        observed(value, as: observers.role(of: observer), at: stamped.hostTime)
      }
    case .startFile(let entryID):
      scriptsLoaded()
      lifecycle.configurationReport?.isFilmOpening = true
      fileStarted(entryID)
    case .idle: scriptsLoaded()
    case .fileLoaded: fileLoaded()
    case .endFile(let end): fileEnded(end)
    case .seek: seekBegan(at: stamped.hostTime)
    case .playbackRestart: playbackRestarted(at: stamped.hostTime)
    case .logMessage(let level, let prefix, let text): logged(text, level, prefix: prefix)
    case .clientMessage(let message):
      if let key = WindowKey(message: message) { emitter.yield(.windowKey(key)) }
    case .shutdown: wasShutDown()
    case .other: break
    }
    if !isMoving { stopWatchingFrames() }
    wakeWaiters()
    updateTicking()
  }

  private func observed(_ value: MPVValue, as role: Observers.Role?, at time: HostTime) {
    switch role {
    case .pointer: pointerMoved(value)
    case .pausedPosition: pausedPositionChanged(value)
    case .frames:
      guard let seconds = value.double else { break }
      frames.handedOver(MediaTime(seconds: seconds), at: time, speed: attribution.speed)
    case nil: break
    }
  }

  private func wasShutDown() {
    if lifecycle.wasShutDown() { emitter.yield(.userQuit) }
    if let request = film.shutDown() {
      request.outcome.fulfil(.failure(MPVError(.shutDown, request.location)))
    }
    failRequests()
    film.closed()
    state.unloaded()
    for role in [
      OwnedTasks.Role.settling, .doubting, .soundSearch, .deviceSearch, .listing, .endReport,
    ] {
      tasks.cancel(role)
    }
    transport.unloaded()
    emitter.yield(.shutdown)
  }

  // MARK: Settling

  func settle(_ body: @escaping @Sendable (isolated MPVPlayer) async -> Void) {
    tasks.replace(.settling) { number in
      Task { [weak self] in
        await self?.run(body)
        await self?.settled(number)
      }
    }
  }

  private func run(_ body: @Sendable (isolated MPVPlayer) async -> Void) async { await body(self) }

  private func settled(_ number: Int) { tasks.ended(.settling, number: number) }

  func stopSettling() { tasks.cancel(.settling) }

  // MARK: The measurement each second

  /// Starts or stops a measurement each second: it runs while the picture moves, and without movement there is no
  /// timer.
  private func updateTicking() {
    guard isMoving else { return tasks.cancel(.ticking) }
    guard !tasks.hasTask(.ticking) else { return }
    tasks.replace(.ticking) { _ in
      Task { [weak self] in
        while !Task.isCancelled {
          do { try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(100)) } catch {
            return
          }
          guard let self else { return }
          await self.tick()
        }
      }
    }
  }

  private func tick() async {
    guard let position = await position() else { return }
    attribution.leftOwnTarget()
    emitter.yield(.position(position))
  }

  // MARK: The log

  /// mpv has loaded its scripts. It delivers its log only when it has no events left, so the last messages about them
  /// arrive afterwards.
  func scriptsLoaded() {
    guard lifecycle.configurationReport != nil else { return }
    let isLogged = OneShot<Void>()
    deadlines.run(at: .now() + Self.logDelay) { isLogged.fulfil(()) }
    Task { [weak self] in
      _ = await isLogged.value()
      await self?.reportConfiguration()
    }
  }

  private func reportConfiguration() {
    guard let report = lifecycle.configurationReport else { return }
    lifecycle.configurationReport = nil
    handle.configurationReported()
    emitter.yield(.configured(report))
  }

  private func logged(_ text: String, _ level: MPVEvent.LogLevel, prefix: String) {
    lifecycle.configurationReport?.logged(text, level, prefix: prefix)
    let line = text.trimmingNewline
    let isError = level == .error || level == .fatal
    // Besides warnings, only the line about a screenshot is needed.
    if level == .other { return screenshots.logged(line) }
    // `ao=null` logs this at every start from a pause; nothing is wrong and no action is needed.
    if line.hasPrefix("illegal state: start() while paused") { return }
    emitter.yield(.log(text: line, isError: isError))
    film.logged(line, isError: isError)
    state.logged(line)
    guard isError else { return }
    if pictureOutput.windowFailed(line) { goOnWithoutWindow(line) }
  }

  /// Continues without a window. With an output that can't fail the times of frames stay real.
  private func goOnWithoutWindow(_ reason: String) {
    film.reasonFound()
    emitter.yield(.windowUnavailable(reason))
    request({ $0.setProperty(MPVProperty.vo, .string("null"), id: $1) }) { _, _ in }
    // A file that is loading ends now, and is opened again, even if it seems to have started.
    guard film.item.hasStarted else { return }
    // mpv has deselected the picture, and only an explicit number brings it back.
    let video = state.tracks.first { $0.kind == .video && !$0.isAlbumArt }
    request({ $0.setProperty(MPVProperty.vid, .integer(Int64(video?.id ?? 1)), id: $1) }) { _, _ in
    }
  }
}
