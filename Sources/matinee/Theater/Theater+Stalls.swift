import PlaybackCoordination
import Timekeeping

/// Playback while the film's data is missing: the group continues, and this player catches up afterwards.
extension Theater {
  /// The pauses between attempts to open a film whose server is unreachable. The last one repeats.
  private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]
  /// The maximum number of successive losses right after the film was opened again. More of them aren't the server's
  /// fault.
  private static let reopeningLimit = 3
  private static let rightAfter = Duration.seconds(10)

  /// Handles the beginning or the end of a wait for data.
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

  /// Ends a stall in the coordinator once the player is ready. A command that fails for lack of data begins a
  /// suspension; the coordinator sends no more commands until it learns that there is data again.
  func endStallIfReady() async {
    guard !isOpening, reopening == nil,
      await coordinator.suspensionReasons.contains(.stallRecovery)
    else { return }
    let snapshot = await player.snapshot()
    guard snapshot.isLoaded, !snapshot.isSeeking, !snapshot.isStalled, !isOpening, reopening == nil
    else { return }
    await coordinator.playerDidBecomeReady()
  }

  /// Handles the loss of the film's server before the film's end. In a party the film is opened again when the server
  /// is back.
  ///
  /// The film doesn't end for the other participants even if this fails, because they may still get data.
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

  /// Ends the attempts to open the film again, because another film is opened, or none.
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
