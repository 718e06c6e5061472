import PlaybackCoordination
import Timekeeping

/// What happens while the film's data doesn't come: the others go on, and this player catches up by itself.
extension Theater {
  /// Between two attempts to open a film whose server has gone; the last one holds from then on.
  private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]
  /// So many times in a row a film may be lost right after it was opened again: then it isn't the server.
  private static let reopeningLimit = 3
  private static let rightAfter = Duration.seconds(10)

  /// The player waits for data, or has some.
  func stalled(_ isStalled: Bool) async {
    emit(.changed)
    guard isStalled else {
      guard separations[.stalled] != nil else { return }
      await rejoin(.stalled)
      await endStallIfReady()
      return await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
    guard case .playing = await coordinator.snapshot().status else { return }
    noteSync(.stalled)
    guard party != nil else { return }
    await separate(.stalled, for: .stallRecovery)
  }

  /// A command that the player couldn't carry out for want of data ends with a suspension, and there are no
  /// more until somebody says that there is data again.
  func endStallIfReady() async {
    guard !isOpening, reopening == nil,
      await coordinator.suspensionReasons.contains(.stallRecovery)
    else { return }
    let snapshot = await player.snapshot()
    guard snapshot.isLoaded, !snapshot.isSeeking, !snapshot.isStalled, !isOpening, reopening == nil
    else { return }
    await coordinator.playerDidBecomeReady()
  }

  /// Nothing more comes of a film that isn't over: it is opened again when its server is back.
  ///
  /// Nor does it end for the others when that is of no use, since nobody can tell whether they get more.
  func connectionLost() async {
    guard let film, reopening == nil else { return }
    guard party != nil else {
      emit(.warning("The film stopped early. The rest of the file is missing."))
      if let place = await player.snapshot().itemTime {
        await coordinator.playerDidReachEnd(at: place)
      }
      return emit(.ended(continues: false))
    }
    let isAgain = reopenings.last.map { .now() - $0 < Self.rightAfter } ?? false
    reopenings.count = isAgain ? reopenings.count + 1 : 0
    guard reopenings.count < Self.reopeningLimit else {
      emit(.failed("The rest of the film can't be loaded. Open it again to retry."))
      return await cannotFollow()
    }
    let mine = opening
    reopening = Task { [weak self] in await self?.reopen(film, opening: mine) }
    await separate(.disconnected, for: .stallRecovery)
    await forgetDrift()
    if !isAgain {
      emit(.warning("Lost the film's server. You rejoin the others when it is back."))
    }
  }

  /// Another film is opened, or none.
  func giveUpReopening() async {
    reopening?.cancel()
    reopening = nil
    await rejoin(.disconnected)
  }

  private func reopen(_ film: FilmIdentity, opening mine: Int) async {
    for attempt in 0... {
      let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
      try? await Task.sleep(for: pause, clock: .suspending)
      guard !Task.isCancelled, mine == opening else { return }
      do {
        try await fetch(film, proposing: nil, opening: mine)
      } catch {
        continue
      }
      guard !Task.isCancelled, mine == opening else { return }
      reopening = nil
      reopenings.last = .now()
      await rejoin(.disconnected)
      await rejoin(.stalled)
      await coordinator.playerDidBecomeReady()
      return emit(.changed)
    }
  }
}
