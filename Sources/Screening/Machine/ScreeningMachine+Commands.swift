import GroupActivities
import PlaybackCoordination
import Timekeeping

extension ScreeningMachine {
  /// Decides about a command of the user.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  package mutating func handle(
    _ command: UserCommand, in reading: ScreeningReading
  ) throws -> [Directive] {
    try check(command, in: reading)
    let row = UserCommandTable.row(command.name)
    let rejoin = row?.section == .playback ? rejoinIfTooSlow() : []
    return try rejoin.isEmpty ? decide(command, in: reading) : rejoin + [.then(command)]
  }

  /// Decides about a command that depends on nothing that is reported, and may not come late: an answer belongs to the
  /// question that the user saw, and the next film may be chosen at any moment.
  ///
  /// - Returns: nil for any other command.
  package func handleAtOnce(_ command: UserCommand) throws -> [Directive]? {
    guard case .answer(let isAllowed, let forGood) = command else { return nil }
    return try answer(isAllowed, forGood: forGood)
  }

  private func answer(_ isAllowed: Bool, forGood: Bool) throws(NothingToDo) -> [Directive] {
    guard filmMachine.isAsking else { throw .noQuestion }
    return (isAllowed ? [.allowServer(forGood: forGood)] : []) + [.film(.answered(isAllowed))]
  }

  /// Decides about a command that is a part of another one, to which the user's rights applied.
  package mutating func decide(
    _ command: UserCommand, in reading: ScreeningReading
  ) throws -> [Directive] {
    switch command {
    case .play(let immediately):
      try requireFilm()
      if reading.isTrailerPaused == true, !immediately { return [.trailer(.playPause)] }
      return play(immediately: immediately, in: reading)
    case .pause:
      try requireFilm()
      return reading.isTrailerPaused == false ? [.trailer(.playPause)] : pause(in: reading)
    case .playPause:
      try requireFilm()
      if reading.isTrailerPaused != nil { return [.trailer(.playPause)] }
      return reading.isPlayingOrWaiting ? pause(in: reading) : play(in: reading)
    case .stop: return stop(in: reading)
    case .seek(to: let position): return seek(to: position, in: reading)
    case .skip(by: let distance): return try skip(by: distance, in: reading)
    case .seekPercent(let percent, let isRelative):
      return try seek(percent: percent, isRelative: isRelative, in: reading)
    case .seekChapter(by: let count): return try seek(chapters: count, in: reading)
    case .frameStep(by: let frames):
      let step = UserCommand.skip(by: (reading.player.frameDuration ?? .milliseconds(40)) * frames)
      return (reading.isPlaying ? pause(in: reading) : []) + [.then(step)]
    case .setRate(let rate): return [.setDefaultRate(rate)]
    case .addRate(let change):
      let rate = reading.coordinator.rate + change
      guard rate > 0 else { throw NothingToDo.rateTooLow(rate) }
      return [.setDefaultRate(ArgumentText.clampingRate(rate))]
    case .multiplyRate(by: let factor):
      let rate = reading.coordinator.rate * factor
      return [.setDefaultRate(ArgumentText.clampingRate((rate * 1000).rounded() / 1000))]
    case .cycleRates(let rates): return cycle(rates, in: reading)
    case .scrub(to: let position): return scrub(to: position, in: reading)
    case .endScrub(at: let position): return try endScrub(at: position, in: reading)

    case .load(let location): return [.identify(location, .watch)]
    case .loadResumed(let location): return [.identify(location, .resume)]
    case .loadAlone(let location): return [.identify(location, .watchAlone)]
    case .enqueue(let location): return [.identify(location, .enqueue)]
    case .advance(by: let step): return try advance(by: step, in: reading)
    case .watch(entry: let index): return try watch(at: index, in: reading)
    case .moveEntry(from: let from, to: let to):
      return try edit(.move(from: from, to: to), in: reading)
    case .dropEntry(let index): return try edit(.remove(at: index), in: reading)

    case .setVolume(let volume): return [.player(.setVolume(volume))]
    case .changeVolume(by: let change): return [.player(.changeVolume(by: change))]
    case .toggleMute: return [.player(.toggleMute)]
    case .setLatencyOffset(let delay): return [.player(.setLatencyOffset(delay))]
    case .changeLatencyOffset(by: let steps): return [.player(.changeLatencyOffset(by: steps))]
    case .cycleAudio: return [.player(.cycleAudio)]
    case .cycleSubtitles(by: let step): return [.player(.cycleSubtitles(by: step))]
    case .toggleSubtitles: return [.player(.toggleSubtitles)]
    case .cycleVideo: return [.player(.cycleVideo)]
    case .togglePictureInPicture: return [.player(.togglePictureInPicture)]
    case .setFullscreen(let isFullscreen): return [.player(.setFullscreen(isFullscreen))]
    case .player(let command): return [.player(.perform(command))]

    case .whatHappened: return [.whatHappened]
    case .suspend(let reason):
      try reason.check()
      return [.film(.separated(.steppedAway, for: reason))]
    case .resume:
      return [.endReplay, .trailer(.stop), .film(.resumed(list)), .waitForFile]
    case .setReady(let isReady): return setReady(isReady)
    case .toggleReady: return setReady(filmMachine.separations.contains(.notReady))
    case .askWhetherReady:
      // The others ignore the question of a participant who may not control playback.
      guard reading.mayChoose else { throw PartyError.notPermitted }
      guard sharedList != nil else { throw PartyError.sessionOver }
      return [.party(.askWhetherReady)]

    case .say(let text): return [.party(.say(text))]
    case .react(let reaction): return [.party(.react(reaction))]
    case .setName(let name): return [.party(.rename(name))]
    case .drawing(let command): return [.drawing(command)]

    case .host: return [.party(.host)]
    case .join(invite: let text): return [.party(.join(invite: text))]
    case .rejoin(let id): return [.party(.rejoin(id))]
    case .leave:
      if membership.isMember { return [.party(.leave(closing: false))] }
      return membership.dismissEnding() ? [.report(.changed)] : []
    case .endFilm:
      guard sharedList != nil else { throw PartyError.sessionOver }
      return pauseIfPlaying(in: reading) + [.party(.endSession)]
    case .endParty:
      return pauseIfPlaying(in: reading) + [.party(.leave(closing: true))]
    case .rule(let rule): return [.party(.change(rule))]
    case .answer(let isAllowed, let forGood): return try answer(isAllowed, forGood: forGood)

    case .library(let command): return [.library(command)]

    case .state: return [.tellState]
    case .keepRelay: return [.party(.keepRelay), .report(.quitWanted)]
    case .quit: return [.report(.quitWanted)]
    }
  }

  /// Checks the conditions that ``UserCommandTable`` lists for a command.
  private func check(_ command: UserCommand, in reading: ScreeningReading) throws {
    guard let row = UserCommandTable.row(command.name) else { return }
    guard let party = reading.party else {
      if row.isPartyOnly { throw PartyOnly(name: row.name) }
      return
    }
    switch row.permission {
    case .anyone: return
    case .controllers where row.section == .party:
      // The others ignore a participant who may not control playback, also one who is apart from them.
      guard party.mayControl else { throw PartyError.notPermitted }
    case .controllers:
      // A trailer plays here alone, and a guest opens a copy of the party's film.
      if reading.isTrailerPaused != nil || row.name == "load" { return }
      guard reading.mayControl else { throw CoordinationError.notPermitted }
    case .coHosts:
      guard party.role != .guest else { throw PartyError.notPermitted }
    case .host:
      guard party.role == .host else { throw PartyError.notPermitted }
    }
  }

  private func requireFilm() throws(CoordinationError) {
    guard filmMachine.film != nil || list != nil else { throw .noCurrentItem }
  }
}

// MARK: - The film

extension ScreeningMachine {
  /// Opens a film that was identified: in a party for everyone, otherwise for this player alone.
  ///
  /// If it is a copy of the film that the party already watches, only this player opens the copy.
  ///
  /// - Parameter position: the position to continue at; in a party for everyone.
  package mutating func open(
    _ film: FilmIdentity, at position: MediaTime? = nil, in reading: ScreeningReading
  ) -> [Directive] {
    _ = membership.dismissEnding()
    if isCurrent(film, in: reading), let list {
      filmMachine.resume(film.identifier, at: nil)
      return [.rememberCopies([film])] + adopt(list)
    }
    filmMachine.resume(film.identifier, at: position)
    guard membership.isMember else {
      let list = openInOwnList(film)
      return [
        .rememberCopies([film]), .report(.playlist(ScreeningEvent.ListedFilm.all(of: list))),
        .film(
          .chose(
            film.shown(as: list.current.id), list,
            proposing: PlaybackTiming(rate: 1, itemTime: .zero))),
        .waitForFile,
      ]
    }
    let refusal = "Can't open the film for everyone: "
    guard reading.party?.session == .joined, sharedList != nil else {
      return [.rememberCopies([film]), .attempt([.beginSession(film)], orElse: .report(refusal))]
    }
    do {
      return [
        .rememberCopies([film]),
        .attempt(try edit(.open(film), in: reading), orElse: .report(refusal)),
      ]
    } catch {
      return [.report(.failed(refusal + "\(error)"))]
    }
  }

  /// Returns whether a film is the current one of the party's list, or of this participant's own.
  func isCurrent(_ film: FilmIdentity, in reading: ScreeningReading) -> Bool {
    // A session that gave way to others is over, and its list isn't the party's any more.
    guard !membership.isMember || reading.party?.session != .over else { return false }
    return film.identifier == list?.current.identifier
  }

  /// Opens a film for this player only. The other participants in a party continue with theirs, and their next choice
  /// doesn't affect this player until the user rejoins them.
  ///
  /// - Parameter position: the position to continue at; nil for the beginning.
  package mutating func openAlone(
    _ film: FilmIdentity, at position: MediaTime? = nil, in reading: ScreeningReading
  ) -> [Directive] {
    guard membership.isMember else { return open(film, at: position, in: reading) }
    filmMachine.resume(film.identifier, at: position)
    // An item of its own, because the film may be the party's.
    let item = UInt32.random(in: .min ... .max, using: &random)
    return [.rememberCopies([film]), .film(.choseAlone(film.shown(as: item))), .waitForFile]
  }

  /// Uses a film that was identified.
  ///
  /// - Parameter position: the position to continue at, for the purpose ``FilmPurpose/resume``.
  package mutating func identified(
    _ film: FilmIdentity, _ purpose: FilmPurpose, at position: MediaTime? = nil,
    in reading: ScreeningReading
  ) throws -> [Directive] {
    switch purpose {
    case .watch: return open(film, in: reading)
    case .resume:
      // A film that is already open goes on where it is.
      if isCurrent(film, in: reading) { return open(film, in: reading) }
      return resuming(at: position) + open(film, at: position, in: reading)
    case .watchAlone: return openAlone(film, in: reading)
    case .enqueue:
      guard list != nil else { return open(film, in: reading) }
      return [.rememberCopies([film])] + (try edit(.append(film), in: reading))
    case .loadedInPlayer: return loadedInPlayer(film, in: reading)
    }
  }

  /// Opens the films that were planned.
  package mutating func openPlanned() -> [Directive] {
    guard let ownList else { return [] }
    filmMachine.playNext(ownList.current.identifier)
    return adopt(ownList)
  }

  private mutating func setReady(_ isReady: Bool) -> [Directive] {
    guard isReady == filmMachine.separations.contains(.notReady) else { return [] }
    return [
      .film(
        isReady ? .rejoined(.notReady, proposing: nil) : .separated(.notReady, for: .readyCheck))
    ]
  }
}

extension CoordinatedPlaybackSuspension.Reason {
  /// The user hasn't confirmed a ready check.
  package static let readyCheck = Self(rawValue: "readyCheck")
}
