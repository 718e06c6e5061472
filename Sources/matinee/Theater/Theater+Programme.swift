import Concurrency
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// The shell of the programme: it performs the directives, and returns the answers to its requests.
extension Theater {
  /// Gives the programme an event, and returns once all directives are performed. Requests go on.
  func take(_ event: FilmProgramme.Event) async {
    await perform(core.machine.programme.take(event, at: .now()))
  }

  private func alarmRang(_ number: Int) async {
    guard let actions = programmeHost.alarmRang(number, for: &core.machine.programme, at: .now())
    else { return }
    await perform(actions)
  }

  private func perform(_ actions: [FilmProgramme.Directive]) async {
    directives += actions
    setAlarm()
    emit(.changed)
    guard !isPerforming else {
      await performed.value()
      return
    }
    isPerforming = true
    while let directive = directives.popFirst() { await perform(directive) }
    isPerforming = false
    noteProgrammeIsSettled()
  }

  private func setAlarm() {
    programmeAlarm.carryOut(programmeHost.setAlarm(for: programme)) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  private func noteProgrammeIsSettled() {
    performed.fulfil(())
    performed = OneShot()
  }

  /// Waits until the file that this user chose is open, or can't be opened. A stream isn't waited for, because it may
  /// never open (a server that promises more and sends nothing), and the user's next choice must still be handled.
  func waitForFile() async {
    while beginnings > 0 || (programme.isOnItsWay && !programme.isStreamOnItsWay) {
      guard await performed.value() != nil else { return }
    }
  }

  private func perform(_ directive: FilmProgramme.Directive) async {
    switch directive {
    case .resolve(let number, let entry, let chooser):
      search?.cancel()
      search = Task { [weak self] in
        guard let resolution = await self?.resolve(entry, by: chooser) else { return }
        await self?.take(.resolved(number, resolution))
      }
    case .load(let number, let film, let timing):
      stallMeter = StallMeter()
      begin { await $0.load(film, number, proposing: timing) }
    case .reopen(let number, let film):
      begin { theater in
        do {
          try await theater.fetch(film, proposing: nil, opening: number)
          await theater.take(.reopened(number))
        } catch {
          await theater.take(.reopeningFailed(number))
        }
      }
    case .begin(let number, let film, let place, let plays):
      beginnings += 1
      Task {
        await start(film, number, at: place, plays: plays)
        beginnings -= 1
        noteProgrammeIsSettled()
      }
    case .makeRoom:
      // A player without a window has no small picture.
      if isBrowsing { try? await player.setPictureInPicture(true) }
    case .remember(let film): await rememberProgress(of: film)
    case .close: await closeFilm()
    case .clearItem: try? await coordinator.transitionToItem(withIdentifier: nil)
    case .describe(let number, let refusal): begin { await $0.describe(refusal, number) }
    case .ask:
      if let question { emit(.mayOpen(question.asked)) }
    case .separate(let separation, let reason): await begin(separation, for: reason)
    case .rejoin(let separation, let place):
      guard let suspension = suspensions.removeValue(forKey: separation) else { return }
      await coordinator.end(suspension, proposingNewTime: place)
    case .tellReady: await coordinator.playerDidBecomeReady()
    case .endEarly: await endEarly()
    case .announce(let entry, let id, let cause):
      await parties.update { $0.title = entry.title }
      if let id {
        emit(.activity(.init(entry), by: await name(of: id), cause))
      }
    case .tellPlaylist:
      emit(.playlist(ScreeningEvent.ListedFilm.all(of: program?.playlist)))
    case .tell(let text): emit(.failed(text))
    case .tellOfTooManyQuestions: emit(.failed(QuestionLimit.text))
    case .tellOfRepeatedLoss:
      emit(.failed("The rest of the film can't be loaded. Open it again to retry."))
    case .tellOfLoss(let isFirst):
      await forgetDrift()
      if isFirst {
        emit(.warning("Lost the film's server. You rejoin the others when it is back."))
      }
    }
  }

  /// Begins a request. The one before it is over.
  private func begin(_ body: @escaping @Sendable (Theater) async -> Void) {
    request?.cancel()
    request = Task { [weak self] in if let self { await body(self) } }
  }

  private func begin(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async {
    do {
      suspensions[separation] = try await coordinator.beginSuspension(for: reason)
    } catch {
      directives += core.machine.programme.take(.separationFailed(separation), at: .now())
      emit(.failed("\(error)"))
    }
  }

  // MARK: - Requests

  private func resolve(_ entry: PlaylistEntry, by chooser: Chooser) async
    -> FilmProgramme.Resolution
  {
    if let copy = copies[entry.identifier] { return .film(copy, chooser) }
    if let copy = await ownCopy(of: entry.identifier) {
      remember([copy])
      return .film(copy, chooser)
    }
    guard let location = entry.location else {
      return .missing(
        "This party is watching the file “\(PartyText.clean(entry.title, limit: 200))”. "
          + "Open your own copy to join in."
          + (copies.isEmpty ? "" : " The file that you named is another film."))
    }
    switch policy.verdict(on: location) {
    case .open:
      return .film(
        FilmIdentity(
          identifier: entry.identifier, title: PartyText.clean(entry.title, limit: 200),
          location: location, isForeign: true), chooser)
    case .ask(let origin): return .ask(OriginRefusal(origin: origin, location: location))
    case .refuse(let reason): return .refused(reason)
    }
  }

  private func load(
    _ film: FilmIdentity, _ number: FilmProgramme.Number, proposing timing: PlaybackTiming?
  ) async {
    probing?.cancel()
    beginStreamLog()
    do {
      try await fetch(film, proposing: timing, opening: number)
      await take(.loaded(number))
    } catch let elsewhere as LeadsElsewhere {
      await take(.refused(number, elsewhere.refusal))
    } catch let problem as StreamProblem {
      await take(.cannotLoad(number, problem.description))
    } catch {
      guard programme.isCurrent(number) else { return }
      let text = await explanation(of: error, film)
      guard programme.isCurrent(number) else { return }
      if let refusal = originWatch?.refusal { return await take(.refused(number, refusal)) }
      if film.isStream { endStreamLog() }
      await take(.failed(number, text))
    }
  }

  /// Lets a film begin that has been loaded.
  private func start(
    _ film: FilmIdentity, _ number: FilmProgramme.Number, at place: MediaTime?, plays: Bool
  ) async {
    core.machine.filmBegins()
    emit(.opened(item: film.identifier, title: film.title))
    // A drawing belongs to its film.
    if drawingPart.board != nil { await drawingChanged() }
    do {
      if let place { try await perform([.then(.seek(to: place))]) }
    } catch {
      emit(.warning("Can't resume, starting from the beginning: \(error)"))
    }
    guard programme.isCurrent(number) else { return }
    await coordinator.playerDidBecomeReady()
    if !trailers.isEmpty {
      tasks.append(Task { [weak self] in await self?.playPreroll() })
    }
    guard plays, programme.isCurrent(number) else { return }
    let facts = await reading()
    await follow(core.machine.playFilm(in: facts))
  }

  private func closeFilm() async {
    probing?.cancel()
    try? await coordinator.transitionToItem(withIdentifier: nil)
    await player.setCurrentItemIdentifier(nil)
    try? await player.stop()  // A player that has shut down shows nothing either.
    endFilter()
  }

  /// Prepares the question to the user about a server.
  private func describe(_ refusal: OriginRefusal, _ number: FilmProgramme.Number) async {
    let network: HostNetwork =
      if let known = refusal.network { known } else {
        await HostNetwork.find(refusal.origin.host)
      }
    // Another film may have been chosen meanwhile.
    guard programme.isCurrent(number), let film = programme.adopted?.current.identifier else {
      return
    }
    question = AddressQuestion(
      origin: refusal.origin, network: network,
      location: PartyText.clean(refusal.location, limit: 300))
    await take(.described(number, mayAsk: questionLimit.mayAsk(about: film)))
  }

  private func endEarly() async {
    emit(.warning("The film stopped early. The rest of the file is missing."))
    if let place = await player.snapshot().itemTime {
      await coordinator.playerDidReachEnd(at: place)
    }
    emit(.ended(continues: false))
  }
}
