import GroupActivities
import PlaybackCoordination
import Timekeeping

/// The reports of the player and the coordinator.
extension ScreeningMachine {
  package mutating func handle(
    _ report: PlayerReport, in reading: ScreeningReading
  ) -> [Directive] {
    switch report {
    case .paused: return forward(pause(in: reading))
    case .resumed: return forward(play(in: reading))
    case .sought(let position): return forward([.reportSeek(to: position)])
    case .changedRate(let rate): return forward([.setDefaultRate(rate)])
    case .loaded(let path): return [.identify(path, .loadedInPlayer)]
    case .closed: return closedInPlayer(in: reading)
    case .quit: return [.report(.userQuit)]
    case .strayed(let time): return strayed(at: time, in: reading)
    case .loopBegan:
      guard reading.party != nil else { return [] }
      return [
        .player(.endLoops),
        .report(.warning("A loop works only while you watch alone. It was ended.")),
      ]
    case .ended(let position, let isEarly, let item):
      // Another film may be open already, or the same one for the next entry of the list.
      guard item == nil || item == filmMachine.film?.item else { return [] }
      let warning: [Directive] =
        isEarly
        ? [.report(.warning("The film stopped early. The rest of the file is missing."))] : []
      return warning + [.reportEnd(at: position, item: item, isEarly: isEarly)]
    case .connectionLost: return [.film(.lostServer)]
    case .failed(let text): return [.report(.failed(text)), .film(.unplayable)]
    case .soundLost:
      hasNoSound = true
      return [.report(.warning("No audio device – playing without sound"))]
    case .soundFound:
      let had = !hasNoSound
      hasNoSound = false
      return (had ? [] : [.report(.warning("Audio device connected"))]) + [.report(.changed)]
    case .windowUnavailable(let reason):
      return [.report(.warning("No window (\(reason)): playing without video"))]
    case .loadedPercentChanged: return [.reportLoadedPercent, .report(.changed)]
    case .changed: return [.report(.changed)]
    }
  }

  /// Passes on a command that the player has already executed: if the group doesn't follow, the player returns to the
  /// group's position.
  private func forward(_ directives: [Directive]) -> [Directive] {
    rejoinIfTooSlow() + [.attempt(directives, orElse: .reapply)]
  }

  /// Returns a player that strayed to the group, twice in ten seconds; the third time it is separate, because something
  /// in it would move it again and again. What a player does by itself never moves the group.
  private mutating func strayed(at time: HostTime, in reading: ScreeningReading) -> [Directive] {
    // A separate player moves nobody.
    guard reading.coordinator.suspensionReasons.isEmpty else { return [] }
    strays = strays.filter { time - $0 < .seconds(10) } + [time]
    guard strays.count > 2, reading.party != nil else { return [.reapply] }
    strays = []
    let text =
      "A script or a setting of your mpv moves your player again and again. You watch apart from the "
      + "others now. Rejoin when it has stopped."
    return [
      .report(.failed(text)),
      .film(.separated(.steppedAway, for: .userActionRequired)),
    ]
  }

  /// The coordinator learned that the film ended in this player.
  ///
  /// - Parameter isOver: true if the group's film is over; false if the others' copies are longer.
  package mutating func endReported(
    item: String?, isEarly: Bool, isOver: Bool, in reading: ScreeningReading
  ) -> [Directive] {
    waitsAtOwnEnd = !isOver
    isEndEarly = isEarly
    guard isOver else { return [] }
    // At the last moment somebody may have gone elsewhere. A guest's coordinator waits for a host's report.
    let isOverHere = reading.isApart || !reading.mayControl || reading.coordinator.status == .paused
    return (isOverHere ? reportEnd(in: reading) : [])
      + filmOver(item, isEarly: isEarly, in: reading)
  }

  /// Reports the film's end to the user once. This player and the coordinator notice it in either order.
  private mutating func reportEnd(in reading: ScreeningReading) -> [Directive] {
    // A participant who is apart reaches its own end, as often as it goes there.
    guard isEndNews || reading.isApart else { return [] }
    if !reading.isApart { isEndNews = false }
    return [.report(.ended(continues: !isEndEarly && hasFollowing))]
  }

  /// A film begins on the screen.
  package mutating func filmBegins() { filmMoves() }

  private mutating func filmMoves() {
    waitsAtOwnEnd = false
    isEndNews = true
    isEndEarly = false
  }

  // MARK: - The user's own changes in the player

  /// Handles a film that the user opened in the player: for this player alone while it is separate from the group, else
  /// for everyone. A participant who may not choose films returns to the group's.
  mutating func loadedInPlayer(
    _ film: FilmIdentity, in reading: ScreeningReading
  ) -> [Directive] {
    if membership.isMember, filmMachine.keepsFilm { return openAlone(film, in: reading) }
    guard reading.mayChoose || film.identifier == list?.current.identifier else {
      let text = "Only hosts choose films in this party. You are back at the party's film."
      return [.report(.failed(text)), .film(.putBack(list))]
    }
    return open(film, in: reading)
  }

  /// Handles a film that the user closed in the player. A participant who may not choose films returns to the group's.
  private func closedInPlayer(in reading: ScreeningReading) -> [Directive] {
    guard reading.mayChoose || filmMachine.keepsFilm else {
      let text = "Only hosts close films in this party. You are back at the party's film."
      return [.report(.failed(text)), .film(.putBack(list))]
    }
    return [.report(.warning("The film was closed in the player")), .film(.unplayable)]
  }

  /// A film that the user opened in the player can't be read.
  package func cannotIdentify(_ purpose: FilmPurpose, _ text: String) -> [Directive] {
    switch purpose {
    case .watch, .resume: [.report(.failed(text))]
    case .loadedInPlayer: [.report(.failed(text)), .film(.putBack(list))]
    case .watchAlone, .enqueue: []
    }
  }

  // MARK: - The coordinator

  package mutating func handle(
    _ event: CoordinatorEvent, in reading: ScreeningReading, at now: HostTime
  ) -> [Directive] {
    switch event {
    case .changed(let change):
      let directives =
        [.report(.command(change, by: name(of: change.originator)))] + rejoinIfTooSlow()
      let waited = waitsAtOwnEnd
      waitsAtOwnEnd = false
      guard change.kind == .ended else {
        filmMoves()
        return directives
      }
      // Another participant's player may have ended first, and taken this one to the end.
      let end = reading.isApart ? [] : reportEnd(in: reading)
      guard waited else { return directives + end }
      return directives + end + filmOver(filmMachine.film?.item, isEarly: false, in: reading)
    case .waiting(let participants, let until):
      let names = (participants ?? []).sorted().map { name(of: $0) }
      return [.report(.waiting(for: names, until: until, now: now))]
    case .suspensionReasonsChanged:
      let reasons = reading.coordinator.suspensionReasons
      let isStuck = reasons.contains(.coordinatedPlaybackNotPossible) && !reading.player.canSeek
      let text = "There is no way to seek in this film, so you can't join the others in the middle."
      return [.report(.suspension(reasons.map(\.rawValue)))]
        + (isStuck ? [.report(.warning(text))] : [])
    case .replayEnded(let end): return [.report(.replayEnded(end))]
    case .waitsAtOwnEnd:
      return [.report(.warning("Your copy of the film ends here. The others go on."))]
    case .sessionEnded(let reason):
      return pause(afterEndOf: reason, in: reading) + [.report(.changed)]
    case .settled, .otherParticipantsChanged: return [.report(.changed)]
    }
  }

  /// Pauses after the end of the group's session, which may have come before the group's pause. This player plays alone
  /// by now, so that it needs no permission.
  private mutating func pause(
    afterEndOf reason: InvalidationReason, in reading: ScreeningReading
  ) -> [Directive] {
    // In the meantime the next session may have begun.
    guard case .ended = reason, [nil, .over].contains(reading.party?.session) else { return [] }
    let pause = pauseIfPlaying(in: reading)
    return pause.isEmpty ? [] : [.attempt(pause, orElse: .warn(""))]
  }
}
