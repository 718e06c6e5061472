import GroupActivities
import PlaybackCoordination
import Timekeeping

extension ScreeningMachine {
  /// Decides about a command of the user.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  mutating func handle(_ command: UserCommand) throws -> [Effect] {
    try check(command)
    let row = UserCommandTable.row(command.name)
    let rejoin = row?.section == .playback ? rejoinIfTooSlow() : []
    let isDecided = rejoin.isEmpty && !command.needsPosition
    return try rejoin + (isDecided ? decide(command) : [.look(.command(command))])
  }

  private mutating func answer(
    _ isAllowed: Bool, forGood: Bool
  ) throws(NothingToDo) -> [Effect] {
    if !filmMachine.isAsking, let question = shareQuestion {
      return answer(question, isAllowed: isAllowed)
    }
    if !filmMachine.isAsking, membership.voting.question != nil, !membership.voting.hasVoted {
      return vote(isAllowed)
    }
    guard filmMachine.isAsking || isAllowed && declined != nil else { throw .noQuestion }
    guard isAllowed else {
      consent.decline(for: filmMachine.adopted?.current.item)
      return films(.answered(false))
    }
    let trusted = consent.agree(forGood: forGood)
    let opening =
      filmMachine.isAsking ? films(.answered(true)) : list.map { adopt($0) } ?? []
    return opening + (trusted.map { [.library(.trust($0))] } ?? [])
  }

  /// Decides about a command that is a part of another one, to which the user's rights applied.
  mutating func decide(_ command: UserCommand) throws -> [Effect] {
    switch command {
    case .play(let immediately):
      try requireFilm()
      if trailers.isPaused == true, !immediately { return [.trailer(.playPause)] }
      return play(immediately: immediately)
    case .pause:
      try requireFilm()
      return trailers.isPaused == false ? [.trailer(.playPause)] : pause()
    case .playPause:
      try requireFilm()
      if trailers.isPaused != nil { return [.trailer(.playPause)] }
      return group.isPlayingOrWaiting ? pause() : play()
    case .stop: return stop()
    case .seek(to: let position): return seek(to: position)
    case .skip(by: let distance): return try skip(by: distance)
    case .seekPercent(let percent, let isRelative):
      return try seek(percent: percent, isRelative: isRelative)
    case .seekChapter(by: let count): return try seek(chapters: count)
    case .frameStep(by: let frames):
      let step = UserCommand.skip(by: (player.frameDuration ?? .milliseconds(40)) * frames)
      return (group.isPlaying ? pause() : []) + [.look(.command(step))]
    case .setRate(let rate): return [.setDefaultRate(rate)]
    case .addRate(let change):
      let rate = group.rate + change
      guard rate > 0 else { throw NothingToDo.rateTooLow(rate) }
      return [.setDefaultRate(ArgumentText.clampingRate(rate))]
    case .multiplyRate(by: let factor):
      let rate = group.rate * factor
      return [.setDefaultRate(ArgumentText.clampingRate((rate * 1000).rounded() / 1000))]
    case .cycleRates(let rates): return cycle(rates)
    case .scrub(to: let position): return scrub(to: position)
    case .endScrub(at: let position): return try endScrub(at: position)

    case .load(let location): return [.film(.identify(location, .watch, isEntry: false))]
    case .loadResumed(let location): return [.film(.identify(location, .resume, isEntry: false))]
    case .loadForEveryone(let location):
      return [.film(.identify(location, .watchTogether, isEntry: false))]
    case .sameFilm(let location):
      return [.film(.identify(location, .sameFilm, isEntry: false))]
    case .offset(let offset, let isChange): return try self.offset(offset, isChange: isChange)
    case .loadAlone(let location): return [.film(.identify(location, .watchAlone, isEntry: false))]
    case .enqueue(let location): return [.film(.identify(location, .enqueue, isEntry: false))]
    case .advance(by: let step): return try advance(by: step)
    case .watch(entry: let index): return try watch(at: index)
    case .moveEntry(from: let from, to: let to):
      return try edit(.move(from: from, to: to))
    case .dropEntry(let index): return try edit(.remove(at: index))

    case .setVolume(let volume): return [.player(.setVolume(volume))]
    case .changeVolume(by: let change): return [.player(.changeVolume(by: change))]
    case .toggleMute: return [.player(.toggleMute)]
    case .duck(let isOn): return duck(isOn ?? !ducking.isOn)
    case .setLatencyOffset(let delay): return [.player(.setLatencyOffset(delay))]
    case .changeLatencyOffset(by: let steps): return [.player(.changeLatencyOffset(by: steps))]
    case .cycleAudio: return [.player(.cycleAudio)]
    case .cycleSubtitles(by: let step): return [.player(.cycleSubtitles(by: step))]
    case .toggleSubtitles: return [.player(.toggleSubtitles)]
    case .cycleVideo:
      return [.player(.show(pictureLocations.next(after: player.picture), isClosed: false))]
    case .togglePictureInPicture:
      guard player.picture == .window else { throw WindowProblem.noWindow }
      return [.player(.setPictureInPicture(!player.isPictureInPicture))]
    case .setFullscreen(let isFullscreen): return [.player(.setFullscreen(isFullscreen))]
    case .player(let command):
      try check(command)
      return [.player(.perform(command))]

    case .whatHappened: return [.whatHappened]
    case .suspend(let reason):
      try reason.check()
      return films(.separated(.steppedAway, for: reason))
    case .resume:
      return [.endReplay] + follow(trailers.handle(.stopped)) + films(.resumed(list))
        + [.wait(.fileIsOpen)]
    case .setReady(let isReady): return setReady(isReady)
    case .toggleReady: return setReady(filmMachine.separations.contains(.notReady))
    case .askWhetherReady(let countdown):
      // The others ignore the question of a participant who may not control playback.
      guard mayChoose else { throw PartyError.notPermitted }
      guard sharedList != nil else { throw PartyError.sessionOver }
      return askWhetherReady(countdown: countdown)

    case .say(let text): return [.party(.say(text))]
    case .react(let reaction): return [.party(.react(reaction))]
    case .propose(let proposal): return try propose(proposal)
    case .export(let path): return try export(to: path)
    case .toggleEchoes: return toggleEchoes()
    case .setName(let name): return [.party(.rename(name))]
    case .drawing(let command): return try draw(command)

    case .host:
      if let roomHost { throw NothingToDo.isInvited(by: roomHost) }
      let parting = membership.entrance == .room ? leave(room: .comesAlong) : []
      return parting + [.wait(.departed), .then(.party(.enters(.host)))]
    case .join(invite: let text):
      guard let invite = try text.map({ try Invite($0) }) ?? membership.invitation else {
        throw NothingToDo.noInvitation
      }
      return leave(room: .waits) + [.wait(.departed), .then(.party(.enters(.join(invite))))]
    case .rejoin(let id):
      // Only a party that can be entered ends the stay in this one.
      return [.party(.recall(id)), .then(.party(.enters(.rejoin)))]
    case .page(let path): return [.party(.makePage(path))]
    case .syncplay(let address): return [.party(.openSyncplay(address))]
    case .share(let isOn, let quality): return try share(isOn, quality)
    case .shareSubtitles(let file): return try shareSubtitles(file)
    case .keep(folder: let folder): return try keep(in: folder)
    case .leave:
      if membership.isMember { return leave() }
      return membership.dismissEnding() ? [.report(.changed)] : []
    case .endFilm:
      guard sharedList != nil else { throw PartyError.sessionOver }
      return pauseIfPlaying() + [.party(.endSession)]
    case .endParty: return pauseIfPlaying() + [.then(.party(.leaves(closing: true)))]
    case .rule(let rule): return [.party(.change(rule))]
    case .answer(let isAllowed, let forGood): return try answer(isAllowed, forGood: forGood)

    case .library(let command):
      if case .forgetHost(let host) = command { consent.distrust(host) }
      return [.library(.perform(command))]

    case .state: return [.tellState]
    case .keepRelay: return try keepRelay()
    case .quit: return [.report(.quitWanted)]
    }
  }

  /// Checks the conditions that ``UserCommandTable`` lists for a command.
  private func check(_ command: UserCommand) throws {
    guard let row = UserCommandTable.row(command.name) else { return }
    guard let party = party else {
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
      if trailers.isPaused != nil || row.name == "load" { return }
      guard mayControl else { throw CoordinationError.notPermitted }
    case .coHosts:
      guard party.role != .guest else { throw PartyError.notPermitted }
    case .host:
      guard party.role == .host else { throw PartyError.notPermitted }
    }
  }

  /// Checks the condition of one of mpv's own commands.
  private func check(_ command: PlayerCommand) throws(PlayerCommandProblem) {
    switch command.requirement {
    case .noParty where membership.isMember:
      throw PlayerCommandProblem(
        description: "“\(command.subject)” would move only you, so it doesn't work in a party.")
    case .window where player.picture != .window:
      throw PlayerCommandProblem(
        description: (PlayerProperty(command.subject)?.label ?? command.subject)
          + ": only in mpv's window (V).")
    case .none, .noParty, .window: break
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
  mutating func open(
    _ film: FilmIdentity, at position: MediaTime? = nil
  ) -> [Effect] {
    _ = membership.dismissEnding()
    consent.remember([film])
    if isCurrent(film), let list {
      filmMachine.resume(film.identifier, at: nil)
      return adopt(list)
    }
    filmMachine.resume(film.identifier, at: position)
    guard membership.isMember else {
      let list = openInOwnList(film)
      let chosen = Films.Event.chose(
        film.shown(as: list.current), list, proposing: PlaybackTiming(rate: 1, itemTime: .zero))
      return [.report(.playlist(ScreeningEvent.ListedFilm.all(of: list)))] + films(chosen)
        + [.wait(.fileIsOpen)]
    }
    let refusal = "Can't open the film for everyone: "
    guard party?.session == .joined, sharedList != nil else {
      let begin = Effect.party(.beginSession(activity(newList(film))))
      return [.attempt([begin], orElse: .report(refusal))]
    }
    do {
      let plays = filmMachine.playsNext == film.identifier
      return [.attempt(try edit(.open(film), plays: plays), orElse: .report(refusal))]
    } catch {
      return [.report(.failed(refusal + "\(error)"))]
    }
  }

  /// Returns whether a film is the current one of the party's list, or of this participant's own.
  func isCurrent(_ film: FilmIdentity) -> Bool {
    // A session that gave way to others is over, and its list isn't the party's any more.
    guard !membership.isMember || party?.session != .over else { return false }
    return film.identifier == list?.current.identifier
  }

  /// Opens a film for this player only. The other participants in a party continue with theirs, and their next choice
  /// doesn't affect this player until the user rejoins them.
  ///
  /// - Parameter position: the position to continue at; nil for the beginning.
  mutating func openAlone(
    _ film: FilmIdentity, at position: MediaTime? = nil
  ) -> [Effect] {
    guard membership.isMember else { return open(film, at: position) }
    filmMachine.resume(film.identifier, at: position)
    // An item of its own, because the film may be the party's.
    var item = film
    item.entry = UInt32.random(in: .min ... .max, using: &random)
    consent.remember([film])
    return films(.choseAlone(item)) + [.wait(.fileIsOpen)]
  }

  /// Uses a film that was identified.
  ///
  /// - Parameter position: the position to continue at, for the purpose ``FilmPurpose/resume``.
  mutating func identified(
    _ film: FilmIdentity, _ purpose: FilmPurpose, at position: MediaTime? = nil
  ) throws -> [Effect] {
    switch purpose {
    case .watch: return watch(film)
    case .watchTogether: return tryOut(film)
    case .sameFilm: return try sameFilm(film)
    case .sequel:
      filmMachine.playNext(film.identifier)
      return tryOut(film)
    case .resume:
      // A film that is already open goes on where it is.
      if isCurrent(film) { return open(film) }
      return tryOut(film, at: position)
    case .watchAlone: return tryOut(film, isAlone: true)
    case .enqueue:
      guard list != nil else { return tryOut(film) }
      consent.remember([film])
      return try edit(.append(film))
    case .queuedInPlayer:
      // A script lists the folder again for each film.
      guard let list, !list.entries.contains(where: { $0.identifier == film.identifier }) else {
        return []
      }
      return try identified(film, .enqueue)
    case .loadedInPlayer: return loadedInPlayer(film)
    }
  }

  /// Opens the films that were planned.
  mutating func openPlanned() -> [Effect] {
    guard let ownList else { return [] }
    filmMachine.playNext(ownList.current.identifier)
    return adopt(ownList)
  }

  /// Pauses the party, or without the permission for it this player, until the user is ready: no player continues alone
  /// (rule 44).
  private mutating func setReady(_ isReady: Bool) -> [Effect] {
    guard isReady == filmMachine.separations.contains(.notReady) else { return [] }
    if isReady { return films(.rejoined(.notReady, proposing: nil)) }
    return mayChoose && !group.isApart
      ? pauseIfPlaying() + films(.separated(.notReady, for: .readyCheck)) : holdUntilReady()
  }

  /// Lets the start wait for this user, whose player pauses.
  mutating func holdUntilReady() -> [Effect] {
    let pause = group.isApart ? [] : pauseIfPlaying()
    return films(.separated(.notReady, for: .readyCheck)) + pause
  }
}

extension CoordinatedPlaybackSuspension.Reason {
  /// The user hasn't confirmed a ready check.
  package static let readyCheck = Self(rawValue: "readyCheck")
}
