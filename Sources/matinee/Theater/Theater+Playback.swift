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
    if let program, program.identifier == chosen.identifier {
      programme.resume(chosen, at: nil)
      return await adopt(program)
    }
    programme.resume(chosen, at: place)
    guard let party else {
      let own = openInOwnPlaylist(chosen)
      emit(.playlist(ScreeningEvent.ListedFilm.all(of: own)))
      await take(
        .chose(
          chosen.shown(as: own.current.id), own, proposing: PlaybackTiming(rate: 1, itemTime: .zero)
        ))
      return await waitForFile()
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

  /// Adopts a program for this user, who wants its film opened in any case.
  func adopt(_ program: FilmActivity) async {
    await take(.adopted(program.playlist, by: .user, .chosen))
    await waitForFile()
  }

  /// Adopts the party's program.
  ///
  /// - Parameters:
  ///   - id: the participant who chose it.
  ///   - cause: the reason; nil for a film that a participant chose, or that follows another in the playlist.
  func adopt(_ program: FilmActivity, by id: Participant.ID, cause: FilmCause? = nil) async {
    var known = cause
    if known == nil { known = await isAtEnd ? .following : .chosen }
    let chooser = Chooser.participant(id, isLocal: id == party?.localID)
    await take(.adopted(program.playlist, by: chooser, known ?? .chosen))
  }

  /// A Boolean value that indicates whether the film on the screen is over. Another participant's film may have ended a
  /// little earlier.
  private var isAtEnd: Bool {
    get async {
      let snapshot = await player.snapshot()
      guard let end = snapshot.duration else { return false }
      return snapshot.itemTime ?? .zero > end - Self.endOfFilm
    }
  }

  /// Carries out the user's answer to ``ScreeningEvent/mayOpen(_:)``.
  ///
  /// - Parameter forGood: true to trust the origin permanently, in all parties.
  func decide(_ isAllowed: Bool, forGood: Bool = false) async {
    guard let question = openQuestion else { return }
    if isAllowed {
      policy.allow(question.origin, on: question.network)
      if forGood { await trust(question.origin) }
    }
    await take(.answered(isAllowed))
  }

  /// The question that the user has to answer; nil if there is none.
  var openQuestion: AddressQuestion? { programme.isAsking ? question : nil }

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
    case .windowKey(let key): windowContinuation.yield(.key(key))
    case .pointerMoved(let x, let y): windowContinuation.yield(.pointer(x: x, y: y))
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
    case .connectionLost: await take(.lostServer)
    case .failed(let error):
      emit(.failed("\(error)"))
      await take(.unplayable)
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
      if isError, !programme.isRecovering { keep(log: text) }
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
      emit(.waiting(for: names, until: until, now: .now()))
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
