import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Opening films, and the events of the player and the coordinator.
extension Theater {
  private static let endOfFilm = Duration.seconds(3)

  /// Opens a film: in a party for everyone, otherwise for this player alone.
  ///
  /// If it is a copy of the film that the party already watches, only this player opens the copy.
  func open(_ location: String) async {
    do {
      try await open(FilmIdentity.read(location))
    } catch {
      emit(.failed(error.description))
    }
  }

  /// - Parameter place: the position to continue at; in a party for everyone.
  func open(_ chosen: FilmIdentity, at place: MediaTime? = nil) async {
    partyEnding = nil
    remember([chosen])
    resumption = nil
    if let program, program.identifier == chosen.identifier {
      return await adopt(program, by: nil)
    }
    resumption = place.map { (chosen.identifier, $0) }
    guard let party else {
      let entry = openInOwnPlaylist(chosen)
      emit(.playlist)
      return await follow(
        chosen.shown(as: entry), chosenBy: nil,
        proposing: PlaybackTiming(rate: 1, itemTime: .zero))
    }
    do {
      if session?.state == .joined {
        try await openInPlaylist(chosen)
      } else {
        try await start(FilmActivity(chosen), in: party)
      }
    } catch {
      emit(.failed("Can't open the film for everyone: \(error)"))
    }
  }

  /// Adopts the party's program.
  ///
  /// - Parameters:
  ///   - id: the participant who chose it; nil for this user's own choice, which is opened in any case.
  ///   - cause: the reason; nil for a film that a participant chose, or that follows another in the playlist.
  func adopt(
    _ activity: FilmActivity, by id: Participant.ID?, cause: TheaterEvent.ActivityCause? = nil
  ) async {
    let before = adopted
    adoptions += 1
    defer { adoptions -= 1 }
    var cause = cause ?? .chosen
    if cause == .chosen, await follows(activity, before) { cause = .following }
    adopted = activity
    if before?.playlist != activity.playlist { emit(.playlist) }
    guard id == nil || before?.item != activity.item else { return }
    let title = activity.title
    await updateParty { $0.title = title }
    if let id { emit(.activity(activity, by: await name(of: id), cause)) }
    // A newer film may have been chosen during each suspension.
    guard adopted?.item == activity.item else { return }
    let isOwnChoice = id == nil || id == party?.localID
    guard isOwnChoice || !keepsFilm else { return }
    guard id == nil || film?.item != activity.item else { return }
    undecided = nil
    ownChoice = nil
    await beginFilmChange(ending: isOwnChoice ? .keepsFilm : .ends)
    guard adopted?.item == activity.item else { return }
    let entry = activity.current.id
    if let copy = copies[activity.identifier] {
      return await follow(copy.shown(as: entry), chosenBy: id)
    }
    let copy = await ownCopy(of: activity.identifier)
    guard adopted?.item == activity.item else { return }
    if let copy {
      remember([copy])
      return await follow(copy.shown(as: entry), chosenBy: id)
    }
    guard let location = activity.location else {
      await showNothing()
      return emit(
        .failed(
          "This party is watching the file “\(PartyText.clean(activity.title, limit: 200))”. "
            + "Open your own copy to join in."
            + (copies.isEmpty ? "" : " The file that you named is another film.")))
    }
    switch policy.verdict(on: location) {
    case .open:
      await follow(
        FilmIdentity(identifier: activity.identifier, title: activity.title, location: location)
          .shown(as: entry),
        chosenBy: id)
    case .ask(let origin):
      await ask(about: OriginRefusal(origin: origin, location: location), for: activity)
    case .refuse(let reason):
      await showNothing()
      emit(.failed(reason))
    }
  }

  /// Returns whether a film is the next one in the playlist after a film that has reached its end.
  private func follows(_ activity: FilmActivity, _ before: FilmActivity?) async -> Bool {
    guard let before, before.playlist.entry(at: 1)?.id == activity.current.id,
      film?.item == before.item, !keepsFilm,
      let end = await player.snapshot().duration
    else { return false }
    // Another participant's film may have ended a little earlier.
    let position = await player.snapshot().itemTime ?? .zero
    return position > end - Self.endOfFilm
  }

  /// Carries out the user's answer to ``TheaterEvent/mayOpen(_:)``.
  ///
  /// - Parameter forGood: true to trust the origin permanently, in all parties.
  func decide(_ isAllowed: Bool, forGood: Bool = false) async {
    guard let (activity, question) = undecided else { return }
    undecided = nil
    await rejoin(.undecided)
    guard isAllowed else { return }
    policy.allow(question.origin, on: question.network)
    if forGood { await trust(question.origin) }
    await adopt(activity, by: nil)
  }

  func showNothing() async {
    await rememberProgress()
    film = nil
    probing?.cancel()
    opening += 1
    isOpening = false
    await giveUpReopening()
    try? await coordinator.transitionToItem(withIdentifier: nil)
    await player.setCurrentItemIdentifier(nil)
    try? await player.stop()  // A player that has shut down shows nothing either.
    endFilter()
    emit(.changed)
  }

  /// Opens a film. The call doesn't wait for another participant's choice or for a stream, because those may never open
  /// (a stream that promises more and sends nothing), and the next choice must still be handled.
  func follow(
    _ chosen: FilmIdentity, chosenBy id: Participant.ID?, proposing timing: PlaybackTiming? = nil
  ) async {
    guard id != nil || chosen.isStream else { return await load(chosen, proposing: timing) }
    // A user who is looking for something else isn't interrupted: a film that others begin appears in a small picture
    // (rule 26).
    if id != nil, id != party?.localID, isBrowsing {
      try? await player.setPictureInPicture(true)
    }
    let mine = await beginOpening(chosen)
    loading?.cancel()
    loading = Task { [weak self] in await self?.load(chosen, proposing: timing, opening: mine) }
  }

  func load(_ chosen: FilmIdentity, proposing timing: PlaybackTiming?) async {
    await load(chosen, proposing: timing, opening: await beginOpening(chosen))
  }

  /// - Returns: the number of the opening.
  private func beginOpening(_ chosen: FilmIdentity) async -> Int {
    await rememberProgress()
    probing?.cancel()
    opening += 1
    if film?.item != chosen.item { stallMeter = StallMeter() }
    film = chosen
    isOpening = true
    emit(.changed)
    return opening
  }

  private func load(
    _ chosen: FilmIdentity, proposing timing: PlaybackTiming?, opening mine: Int
  ) async {
    guard mine == opening else { return }
    await giveUpReopening()
    beginStreamLog()
    do {
      try await fetch(chosen, proposing: timing, opening: mine)
      guard mine == opening else { return }
      isOpening = false
      waitsAtOwnEnd = false
      await rejoin(.unable)
      emit(.opened(chosen))
      // A drawing belongs to its film.
      if drawingPart.board != nil { await drawingChanged() }
      await resumeIfWanted(chosen)
      await coordinator.playerDidBecomeReady()
      if !trailers.isEmpty {
        tasks.append(Task { [weak self] in await self?.playPreroll() })
      }
      if playsNext == chosen.identifier {
        playsNext = nil
        try await play()
      }
    } catch let elsewhere as LeadsElsewhere {
      guard mine == opening else { return }
      guard let adopted else { return }
      await ask(about: elsewhere.refusal, for: adopted)
    } catch let problem as StreamProblem {
      guard mine == opening else { return }
      await showNothing()
      emit(.failed(problem.description))
    } catch {
      guard mine == opening else { return }
      let text = await explanation(of: error, chosen)
      guard mine == opening else { return }
      if let refusal = originWatch?.refusal, let adopted {
        return await ask(about: refusal, for: adopted)
      }
      isOpening = false
      if chosen.isStream { endStreamLog() }
      emit(.failed(text))
      await cannotFollow()
    }
  }

  /// Lets the group continue without this player until the player has a film again.
  func cannotFollow() async {
    guard party != nil else {
      film = nil
      try? await coordinator.transitionToItem(withIdentifier: nil)
      return
    }
    await separate(.unable, for: .coordinatedPlaybackNotPossible)
  }

  // MARK: - What the player reports

  func handle(_ event: PlayerEvent) async {
    switch event {
    case .userPaused: await forward { try await self.pause() }
    case .userResumed: await forward { try await self.play() }
    case .userSought(let place):
      await forward { try await self.coordinator.playerDidSeek(to: place) }
    case .userChangedRate(let rate): await forward { try await self.setRate(rate) }
    case .userLoaded(let path): await playerLoaded(path)
    case .userStopped: await playerStopped()
    case .userQuit: emit(.userQuit)
    case .windowKey(let key): window?.take(.key(key))
    case .pointerMoved(let x, let y): window?.take(.pointer(x: x, y: y))
    case .ended(let place, let isEarly, let item):
      // Another film may be open already, or the same one for the next entry of the playlist.
      guard item == nil || item == film?.item else { break }
      if isEarly { emit(.warning("The film stopped early. The rest of the file is missing.")) }
      waitsAtOwnEnd = await !coordinator.playerDidReachEnd(at: place)
      if waitsAtOwnEnd {
        emit(.warning("Your copy of the film ends here. The others' copy is longer."))
      } else {
        await filmOver(item, isEarly: isEarly)
      }
    case .connectionLost: await connectionLost()
    case .failed(let error):
      emit(.failed("\(error)"))
      await cannotFollow()
    case .audioDeviceLost:
      hasNoSound = true
      emit(.warning("No audio device – playing without sound"))
    case .audioDeviceFound:
      if hasNoSound { emit(.warning("Audio device connected")) }
      hasNoSound = false
      emit(.changed)
    case .audioDeviceChanged(let device): await audioDeviceChanged(to: device)
    case .windowUnavailable(let reason):
      emit(.warning("No window (\(reason)): playing without video"))
    case .log(let text, let isError):
      // Important failures have their own events with texts for users. mpv writes the others to its --log-file.
      if isError, reopening == nil { keep(log: text) }
    case .stalled(let isStalled): await stalled(isStalled)
    case .loadedPercentChanged:
      await coordinator.reportLoadedPercent(await player.snapshot().loadedPercent)
      emit(.changed)
    case .buffered, .loaded, .pausedChanged, .rateChanged, .volumeChanged,
      .fullscreenChanged,
      .tracksChanged, .subtitlesChanged, .position:
      emit(.changed)
    case .shutdown: break
    }
  }

  private func filmOver(_ item: String?, isEarly: Bool) async {
    emit(.ended(continues: !isEarly && hasFollowing))
    if !isEarly { await filmEnded(item) }
  }

  private func forward(_ command: () async throws -> Void) async {
    do {
      try await command()
    } catch {
      emit(.failed("\(error)"))
      // The player already executed the command: return it to the group's position.
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  func handle(_ event: CoordinatorEvent) async {
    switch event {
    case .changed(let change):
      if let event = SyncRecord.Event(change.kind) { noteSync(event) }
      emit(.command(change, by: await name(of: change.originator)))
      let waited = waitsAtOwnEnd
      waitsAtOwnEnd = false
      if waited, change.kind == .ended { await filmOver(film?.item, isEarly: false) }
    case .waiting(let participants, let until):
      var names: [String] = []
      for id in (participants ?? []).sorted() { names.append(await name(of: id)) }
      emit(.waiting(for: names, until: until))
    case .suspensionReasonsChanged:
      emit(.suspension(await coordinator.snapshot().suspensionReasons.map(\.rawValue)))
    case .replayEnded(let end): emit(.replayEnded(end))
    case .sessionEnded(let reason):
      await pause(afterEndOf: reason)
      emit(.changed)
    case .settled, .otherParticipantsChanged: emit(.changed)
    }
  }
}

extension FilmIdentity {
  /// Creates the identity of a film that the party names.
  init(identifier: String, title: String, location: String) {
    isForeign = true
    self.identifier = identifier
    self.title = PartyText.clean(title, limit: 200)
    self.location = location
  }
}
