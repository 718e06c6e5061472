import DrawTogether
import Foundation
import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening
import Timekeeping

/// The answer to a command, beside the events that follow from it.
enum CommandAnswer: Sendable {
  case done
  /// A sentence for the user.
  case notice(String)
  case state(TheaterStatus)
}

/// The user's commands, from every interface.
extension Theater {
  /// Carries out a command.
  ///
  /// - Throws: the reason why it isn't possible, in words for the user.
  func carryOut(_ command: UserCommand) async throws -> CommandAnswer {
    try await perform(core.machine.take(command, in: reading()))
  }

  /// Returns what the coordinator, the player and the party report now.
  func reading() async -> ScreeningReading {
    let shown = await player.snapshot()
    var facts = ScreeningReading.Player()
    facts.itemTime = shown.itemTime
    facts.duration = shown.duration
    facts.isAtEnd = shown.isAtEnd
    facts.frameDuration = shown.frameDuration
    facts.chapters = shown.chapters.map(\.start)
    if live != nil { facts.earliest = await player.earliestTime() }
    let mayControl = await coordinator.mayControl
    let end = await coordinator.groupItemEnd
    let party = await parties.reading()
    let isTrailerPaused = await preroll?.snapshot().isPaused
    // Last, because the position changes.
    var reading = ScreeningReading(
      coordinator: await coordinator.snapshot(), mayControl: mayControl, player: facts, party: party
    )
    reading.groupItemEnd = end
    reading.isLive = live != nil
    reading.isTrailerPaused = isTrailerPaused
    return reading
  }

  /// Performs directives in order.
  ///
  /// - Returns: the last answer among them.
  /// - Throws: the first error, after which the rest isn't performed.
  @discardableResult
  func perform(_ directives: [ScreeningDirective]) async throws -> CommandAnswer {
    var answer = CommandAnswer.done
    for directive in directives {
      switch try await perform(directive) {
      case .done: break
      case let given: answer = given
      }
    }
    return answer
  }

  /// Performs directives that no command of the user waits for.
  func follow(_ directives: [ScreeningDirective]) async {
    do { try await perform(directives) } catch { emit(.failed("\(error)")) }
  }

  private func perform(_ directive: ScreeningDirective) async throws -> CommandAnswer {
    switch directive {
    case .setRate(let rate, let immediately):
      try await coordinator.coordinateRateChange(
        to: rate, options: immediately ? .playImmediately : [])
    case .setDefaultRate(let rate): try await coordinator.coordinateDefaultRateChange(to: rate)
    case .seek(to: let place): try await coordinator.coordinateSeek(to: place)
    case .reportSeek(to: let place): try await coordinator.playerDidSeek(to: place)
    case .reportEnd(at: let place, let item, let isEarly):
      let isOver = await coordinator.playerDidReachEnd(at: place)
      let facts = await reading()
      try await perform(
        core.machine.endReported(item: item, isEarly: isEarly, isOver: isOver, in: facts))
    case .reportLoadedPercent:
      await coordinator.reportLoadedPercent(await player.snapshot().loadedPercent)
    case .waitFor(let reasons): await coordinator.setSuspensionReasonsThatTriggerWaiting(reasons)
    case .reapply: await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    case .whatHappened: try await coordinator.whatHappened()
    case .endReplay: await coordinator.endReplay()

    case .film(let event): await take(event)
    case .waitForFile: await waitForFile()
    case .identify(let location, let purpose): try await identify(location, purpose)
    case .rememberCopies(let films): remember(films)
    case .setList(let edit): try await sessions.setList(edit)
    case .beginSession(let film):
      if let party { try await sessions.begin(core.machine.newList(film), in: party) }
    case .allowServer(let forGood): await allowServer(forGood: forGood)

    case .player(let order): return try await perform(order)
    case .trailer(.playPause): try await preroll?.playPause()
    case .trailer(.stop): await preroll?.stop()
    case .drawing(let order): try await perform(order)
    case .party(let order): try await parties.perform(order)
    case .library(let order): return try await perform(order)

    case .tell(let event): emit(event)
    case .tellState: return .state(await status())
    case .tellParticipants: await emitParticipants()
    case .then(let command):
      return try await perform(core.machine.decide(command, in: reading()))
    case .refuse(let error): throw error
    case .attempt(let directives, orElse: let failure):
      do { return try await perform(directives) } catch { await handle(error, as: failure) }
    }
    return .done
  }

  private func handle(_ error: any Error, as failure: Decisions.Failure) async {
    switch failure {
    case .tell(let words): emit(.failed(words + "\(error)"))
    case .warn: emit(.warning("\(error)"))
    case .reapply:
      emit(.failed("\(error)"))
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Reads the film at a location, and uses it.
  private func identify(
    _ location: String, _ purpose: Decisions.Purpose
  ) async throws {
    let film: FilmIdentity
    do {
      film = try await FilmIdentity.read(location)
    } catch {
      let rest = core.machine.cannotIdentify(purpose, error.description)
      guard !rest.isEmpty else { throw error }
      try await perform(rest)
      return
    }
    let facts = await reading()
    try await perform(core.machine.identified(film, purpose, in: facts))
  }

  /// Sets the options for parties that this participant opens or joins.
  func setHostingOptions(_ options: PartyHosting.Options) { parties.options = options }

  /// Notes that the user begins or stops looking for something to watch.
  func setBrowsing(_ isBrowsing: Bool) { self.isBrowsing = isBrowsing }
}
