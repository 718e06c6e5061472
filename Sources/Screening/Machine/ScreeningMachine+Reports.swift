import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The reports of the player and the coordinator.
extension ScreeningMachine {
  mutating func handle(_ event: PlaybackEvent) throws -> [Effect] {
    switch event {
    case .reported(let report): return handle(report)
    case .stalled(let isStalled): return stalled(isStalled)
    case .callHeard(let isHeard): return callHeard(isHeard)
    case .latencyChanged(isSettled: false): return [.sync(.noteLatencyOffset), .sync(.forget)]
    case .latencyChanged(isSettled: true):
      // A paused player already shows the right frame.
      return group.isPlaying ? [.reapply] : []
    case .coordinated(let event): return handle(event)
    case .endReported(let item, let isEarly, let isOver):
      return endReported(item: item, isEarly: isEarly, isOver: isOver)
    case .looked(.command(let command)): return try decide(command)
    case .looked(.playFilm): return play()
    case .looked(.tracks): return []
    case .looked(.remember(let film)): return remember(film)
    case .looked(.endHere):
      end.reached(nil, isEarly: true, isOver: true)
      return (player.itemTime.map { [.endHere(at: $0)] } ?? []) + reportEnd()
    case .measured(let error):
      if let error, group.hasOthers, !group.isApart { membership.measured(error) }
      return judgePace(isInStep: error.map { $0.magnitude <= PaceLimit.reach } ?? false)
    case .wentOn(let position): return wentOn(to: position)
    case .stallOver: return endStallIfReady() + [.reapply]
    }
  }

  mutating func handle(_ report: PlayerReport) -> [Effect] {
    switch report {
    case .paused: return forward(pause())
    case .resumed: return forward([.look(.playFilm)])
    case .sought(let position): return forward([.reportSeek(to: position)])
    case .changedRate(let rate): return forward([.setDefaultRate(rate)])
    case .loaded(let path):
      return [.film(.identify(path, .loadedInPlayer, isEntry: false))]
    case .queued(let paths, let isOpening): return queuedInPlayer(paths, isOpening: isOpening)
    case .closed: return closedInPlayer()
    case .quit: return [.report(.userQuit)]
    case .strayed(let time): return strayed(at: time)
    case .loopBegan:
      guard party != nil else { return [] }
      return [
        .player(.endLoops),
        .report(.warning("A loop works only while you watch alone. It was ended.")),
      ]
    case .ended(let position, let isEarly, let item):
      // Another film may be open already, or the same one for the next entry of the list.
      guard item == nil || item == filmMachine.film?.item else { return [] }
      let warning: [Effect] =
        isEarly
        ? [.report(.warning("The film stopped early. The rest of the file is missing."))] : []
      return warning + [.reportEnd(at: position, item: item, isEarly: isEarly)]
    case .connectionLost: return films(.lostServer)
    case .failed(let text): return [.report(.failed(text))] + films(.unplayable)
    case .soundLost:
      guard !hasNoSound else { return [] }
      hasNoSound = true
      return [.report(.warning("No audio device – playing without sound"))]
    case .soundFound:
      let had = !hasNoSound
      hasNoSound = false
      return (had ? [] : [.report(.warning("Audio device connected"))]) + [.report(.changed)]
    case .windowUnavailable(let reason):
      return [.report(.warning("No window (\(reason)): playing without a picture"))]
    case .loadedPercentChanged:
      return [.reportLoadedPercent(player.loadedPercent), .report(.changed)]
    case .changed: return [.report(.changed)]
    }
  }

  /// Passes on a command that the player has already executed: if the group doesn't follow, the player returns to the
  /// group's position.
  private mutating func forward(_ effects: [Effect]) -> [Effect] {
    rejoinIfTooSlow() + [.attempt(effects, orElse: .reapply)]
  }

  /// Returns a player that strayed to the group, twice in ten seconds; the third time it is separate, because something
  /// in it would move it again and again. What a player does by itself never moves the group.
  private mutating func strayed(at time: HostTime) -> [Effect] {
    // A separate player moves nobody.
    guard group.reasons.isEmpty else { return [] }
    guard straying.isTooMuch(at: time), party != nil else { return [.reapply] }
    straying = Straying()
    let text =
      "A script or a setting of your mpv moves your player again and again. You watch on your own now. "
      + "Rejoin when it has stopped."
    return [.report(.failed(text))]
      + films(.separated(.steppedAway, for: .userActionRequired))
  }

  /// The coordinator learned that the film ended in this player.
  ///
  /// - Parameter isOver: true if the group's film is over; false if the others' copies are longer, or the group has gone
  ///   elsewhere.
  mutating func endReported(
    item: String?, isEarly: Bool, isOver: Bool
  ) -> [Effect] {
    end.reached(item ?? filmMachine.film?.item, isEarly: isEarly, isOver: isOver)
    guard isOver else { return [] }
    // At the last moment somebody may have gone elsewhere. A guest's coordinator waits for a host's report.
    let isOverHere = group.isApart || !mayControl || group.status == .paused
    return (isOverHere ? reportEnd() : [])
      + filmOver(item, isEarly: isEarly)
  }

  /// Reports the film's end to the user once. This player and the coordinator notice it in either order.
  private mutating func reportEnd() -> [Effect] {
    // A participant who is apart reaches its own end, as often as it goes there.
    guard end.isNews || group.isApart else { return [] }
    if !group.isApart { end.told() }
    return [.report(.ended(continues: !end.isEarly && hasFollowing))] + reportedMoments
      + findSequel()
  }

  // MARK: - The user's own changes in the player

  /// Handles a film that the user opened in the player: for this player alone while it is separate from the group, else
  /// for everyone. A participant who may not choose films returns to the group's.
  mutating func loadedInPlayer(
    _ film: FilmIdentity
  ) -> [Effect] {
    if membership.isMember, filmMachine.keepsFilm { return openAlone(film) }
    guard mayChoose || film.identifier == list?.current.identifier else {
      let text = "Only hosts choose films in this party. You are back at the party's film."
      return [.report(.failed(text))] + films(.putBack(list))
    }
    return open(film)
  }

  /// Handles films that were appended to the player's own list: they follow in the user's list. A party's list takes only
  /// those that the user appends. A script's would show everyone the names of all files in a folder.
  private func queuedInPlayer(_ paths: [String], isOpening: Bool) -> [Effect] {
    guard !membership.isMember || !isOpening else {
      let text =
        "A script of your mpv lists more films. The party doesn't get them; add them in the library "
        + "(e)."
      return [.report(.notice(text))]
    }
    guard mayChoose else {
      return [.report(.failed("Only hosts add films to the playlist in this party."))]
    }
    let room = max(1, Playlist.entryLimit - (list?.entries.count ?? 0))
    return paths.prefix(room).map { path in
      .attempt([.film(.identify(path, .queuedInPlayer, isEntry: false))], orElse: .report(""))
    }
  }

  /// Handles a film that the user closed in the player. A participant who may not choose films returns to the group's.
  private mutating func closedInPlayer() -> [Effect] {
    guard mayChoose || filmMachine.keepsFilm else {
      let text = "Only hosts close films in this party. You are back at the party's film."
      return [.report(.failed(text))] + films(.putBack(list))
    }
    return [.report(.warning("The film was closed in the player"))] + films(.unplayable)
  }

  /// Returns a Boolean value that indicates whether an effect is one of a film that isn't wanted any more: another effect of
  /// its chain took so long that the next film came before it, whose loading it would end.
  package func isOutdated(_ effect: Effect) -> Bool {
    if case .film(.load(let number, _, proposing: _)) = effect {
      return !filmMachine.isCurrent(number)
    }
    if case .film(.reopen(let number, _)) = effect { return !filmMachine.isCurrent(number) }
    return false
  }

  /// An effect failed.
  ///
  /// - Returns: the effects that follow instead of the failure; nil if it is the failure of the command.
  package mutating func failed(_ effect: Effect, _ error: any Error) -> [Effect]? {
    if case .film(.identify(_, let purpose, _)) = effect {
      return cannotIdentify(for: purpose, "\(error)")
    }
    if case .film(.tryOut(let film, _)) = effect { return cannotPlay(film, "\(error)") }
    if case .separate(let separation, _) = effect {
      return [.report(.failed("\(error)"))] + films(.separationFailed(separation))
    }
    if case .party(.setList(let edit)) = effect { listNotSet(edit) }
    if case .party(.enter) = effect, membership.enteringFailed() {
      return [
        .report(.failed("\(error) You are back in the room.")), .then(.party(.enters(.room))),
      ]
    }
    if case .party(.bridge(let server)) = effect { standby.bridgeFailed(to: server) }
    if case .drawing(.start(let number, _)) = effect { _ = drawing.handle(.startFailed(number)) }
    return nil
  }

  /// A film that the user named, or opened in the player, can't be read.
  private mutating func cannotIdentify(for purpose: FilmPurpose, _ text: String) -> [Effect]? {
    switch purpose {
    case .watch, .watchTogether, .sameFilm, .sequel, .resume: [.report(.failed(text))]
    case .loadedInPlayer: [.report(.failed(text))] + films(.putBack(list))
    case .watchAlone, .enqueue, .queuedInPlayer: nil
    }
  }

  // MARK: - The coordinator

  mutating func handle(_ event: CoordinatorEvent) -> [Effect] {
    switch event {
    case .changed(let change):
      pace.interrupted()
      if change.kind == .play { endReadyCheck() }
      if change.kind == .seek { history.offer.ended() }
      let effects =
        [.report(.command(change, by: name(of: change.originator)))] + rejoinIfTooSlow()
      let item = end.waitingItem
      guard change.kind == .ended else {
        end = FilmEnd()
        return effects
      }
      end.waitsNoLonger()
      // Another participant's player may have ended first, and taken this one to the end.
      let report = group.isApart ? [] : reportEnd()
      // The list may have moved on already, and the next film be on its way.
      guard let item else { return effects + report }
      return effects + report + filmOver(item, isEarly: false)
    case .waiting(let participants, let until):
      let names = (participants ?? []).sorted().map { name(of: $0) }
      return [.report(.waiting(for: names, until: until, now: now))]
    case .suspensionReasonsChanged:
      let reasons = group.reasons
      let isStuck = reasons.contains(.coordinatedPlaybackNotPossible) && !player.canSeek
      let text = "There is no way to seek in this film, so you can't join everyone in the middle."
      return [.report(.suspension(reasons.map(\.rawValue)))]
        + (isStuck ? [.report(.warning(text))] : [])
    case .replayEnded(let end): return [.report(.replayEnded(end))]
    case .waitsAtOwnEnd:
      return [.report(.warning("Your copy of the film ends here. Everyone else continues."))]
    case .sessionEnded(let reason):
      return pause(afterEndOf: reason) + [.report(.changed)]
    case .settled, .otherParticipantsChanged: return [.report(.changed)]
    }
  }

  /// Pauses after the end of the group's session, which may have come before the group's pause. This player plays alone
  /// by now, so that it needs no permission.
  private mutating func pause(
    afterEndOf reason: InvalidationReason
  ) -> [Effect] {
    // In the meantime the next session may have begun.
    guard case .ended = reason, [nil, .over].contains(party?.session) else { return [] }
    let pause = pauseIfPlaying()
    return pause.isEmpty ? [] : [.attempt(pause, orElse: .warn(""))]
  }
}
