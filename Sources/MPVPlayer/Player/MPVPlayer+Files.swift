import Concurrency
import Timekeeping

/// The files that mpv opens and closes.
extension MPVPlayer {
  func fileStarted(_ entryID: Int64) {
    attribution.fileStarted()
    delays.fileStarted()
    known.unprime()
    known.forget()
    state.fileStarted()
    switch film.fileStarted(entryID) {
    case .own: break
    case .unwanted(let mustStop):
      supersedeTransport()
      if mustStop {
        request({ $0.command(.array([.string(MPVCommand.stop)]), id: $1) }) { _, _ in }
      }
    case .foreign:
      supersedeTransport()
      request({ $0.getProperty(MPVProperty.path, id: $1) }) { player, reply in
        guard let path = reply.value.string else { return }
        player.emitter.yield(.userLoaded(path: path))
      }
    }
  }

  /// The time to wait for further files that are appended to mpv's list.
  private static let listDelay = Duration.milliseconds(300)

  /// mpv's own list has more than the film.
  func listGrew() {
    let isOpening = !film.item.hasStarted
    tasks.replace(.listing) { _ in
      Task { [weak self] in
        do { try await Task.sleep(for: Self.listDelay, clock: .suspending) } catch { return }
        await self?.reportQueue(isOpening: isOpening)
      }
    }
  }

  /// Reports the files after the film, which mpv itself doesn't play: the program has a list.
  private func reportQueue(isOpening: Bool) {
    request({ $0.getProperty(MPVProperty.playlist, id: $1) }) { player, reply in
      let entries = reply.value.array ?? []
      guard let current = entries.firstIndex(where: { $0["current"]?.flag == true }) else {
        return
      }
      let queued = entries[(current + 1)...].filter { entry in
        !(entry["id"]?.integer.map { player.film.isUnwanted($0) } ?? false)
      }.compactMap { $0["filename"]?.string }
      guard !queued.isEmpty else { return }
      player.request({ $0.command(.array([.string(MPVCommand.playlistClear)]), id: $1) }) {
        player, _ in
        player.emitter.yield(.userQueued(paths: queued, isOpening: isOpening))
      }
    }
  }

  func fileLoaded() {
    guard let request = film.fileLoaded() else { return }
    state.loaded()
    request.outcome.fulfil(.success(()))
  }

  /// The time to wait for mpv's log after the end of a file.
  static let logDelay = Duration.milliseconds(150)

  func fileEnded(_ end: MPVEvent.EndOfFile) {
    guard mayLackWindow(end), !pictureOutput.hasNoWindow else { return judge(end) }
    let reason = film.postponed(end)
    deadlines.run(at: .now() + Self.logDelay) { reason.fulfil(()) }
    // The deadline or the line ends the wait.
    Task { [weak self] in
      _ = await reason.value()
      await self?.judgePostponed()
    }
  }

  private func judgePostponed() {
    guard let end = film.takePostponedEnd() else { return }
    judge(end)
    wakeWaiters()
  }

  /// Returns whether a window that couldn't be opened may be the reason for the end of this file.
  private func mayLackWindow(_ end: MPVEvent.EndOfFile) -> Bool {
    film.isOurs(end)
      && pictureOutput.mayLackWindow(end.reason, mayOpenWindow: configuration.mayOpenWindow)
  }

  private func judge(_ end: MPVEvent.EndOfFile) {
    let lacksWindow = mayLackWindow(end) && pictureOutput.hasNoWindow
    let ending = film.ended(end, lacksWindow: lacksWindow)
    if case .redirected = ending { return }
    attribution.fileEnded()
    switch ending {
    case .redirected: break
    case .openAgain(let request):
      pictureOutput.opensWithoutWindow()
      send(request)
    case .closed(let loss, let isCurrent):
      report(loss, of: end)
      guard isCurrent else { return }
      state.unloaded()
      known.forget()
      transport.unloaded()
    }
  }

  private func report(_ loss: FilmLoading.Loss, of end: MPVEvent.EndOfFile) {
    switch loss {
    case .silent: break
    case .request(let request):
      request.outcome.fulfil(.failure(film.error(of: request.location, reach: request.reach, end)))
    case .playback: emitter.yield(.failed(film.error(of: state.path ?? "", reach: nil, end)))
    case .stop: reportStop()
    }
  }

  /// Reports that the user closed the film, unless mpv continues with another one, which is reported instead.
  private func reportStop() {
    request({ $0.getProperty(MPVProperty.idleActive, id: $1) }) { player, reply in
      guard reply.value.flag == true, player.film.request == nil else { return }
      player.emitter.yield(.userStopped)
    }
  }
}
