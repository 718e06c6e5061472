import Concurrency
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The answer to a command, beside the events that follow from it.
package enum CommandAnswer: Hashable, Sendable {
  case done
  /// A sentence for the user.
  case notice(String)
  /// The user asked for the state.
  case state
}

/// The shell of a screening: it asks what is reported, gives the machine its events, and passes the directives on to the
/// coordinator and the rooms.
@ScreeningActor
package final class ScreeningShell<Refusal: Hashable & Sendable> {
  package typealias Machine = ScreeningMachine<Refusal>

  private let core: ScreeningCore<Refusal>
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private let rooms: ScreeningRooms<Refusal>
  /// The task that asks the user whether a film is for everyone.
  private var choosing: Task<Void, Never>?
  /// Reports the participants with their states.
  private let reportToParticipants: @ScreeningActor () async -> Void

  package init(
    core: ScreeningCore<Refusal>, coordinator: DelegatingPlaybackCoordinator,
    events: EventBroadcast<ScreeningEvent>, rooms: ScreeningRooms<Refusal>,
    reportToParticipants: @escaping @ScreeningActor () async -> Void
  ) {
    self.core = core
    self.coordinator = coordinator
    self.events = events
    self.rooms = rooms
    self.reportToParticipants = reportToParticipants
  }

  // MARK: - Events

  /// Carries out a command of the user.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  package func perform(_ command: UserCommand) async throws -> CommandAnswer {
    if let directives = try core.machine.handleAtOnce(command) {
      return try await perform(directives)
    }
    return try await perform(core.machine.handle(command, in: reading()))
  }

  package func handle(_ report: PlayerReport) async {
    // A frequent one, about which nothing is decided.
    if report == .changed { return events.send(.changed) }
    let facts = await reading()
    await follow(core.machine.handle(report, in: facts))
  }

  package func handle(_ event: CoordinatorEvent) async {
    switch event {
    // Frequent ones, about which nothing is decided.
    case .settled, .otherParticipantsChanged: return events.send(.changed)
    case .changed, .waiting, .suspensionReasonsChanged, .replayEnded, .waitsAtOwnEnd,
      .sessionEnded:
      break
    }
    let facts = await reading()
    await follow(core.machine.handle(event, in: facts, at: .now()))
  }

  /// Opens a film that the user chose. In a party with others it first asks whether it is for everyone, without
  /// waiting for the answer.
  ///
  /// - Parameters:
  ///   - position: the remembered position to continue at; nil for the beginning.
  ///   - isAnew: true if the film begins at its start, whatever is remembered.
  package func choose(
    _ film: FilmIdentity, at position: MediaTime? = nil, isAnew: Bool = false
  ) async {
    let facts = await reading()
    await follow(core.machine.choose(film, at: position, isAnew: isAnew, in: facts))
  }

  /// Ends the question about a chosen film.
  package func close() { choosing?.cancel() }

  /// Opens the films that were planned.
  package func openPlanned() async { await follow(core.machine.openPlanned()) }

  /// Lets the film play that was opened, whatever else is on the screen.
  package func playFilm() async {
    let facts = await reading()
    await follow(core.machine.playFilm(in: facts))
  }

  // MARK: - Directives

  /// Returns what the coordinator, the player and the party report now.
  package func reading() async -> ScreeningReading {
    let player = await rooms.player.reading()
    let party = await rooms.party.reading()
    let isTrailerPaused = await rooms.trailers.isPaused
    let mayControl = await coordinator.mayControl
    let end = await coordinator.groupItemEnd
    // Last, because the position changes.
    var reading = ScreeningReading(
      coordinator: await coordinator.snapshot(), mayControl: mayControl, player: player,
      party: party)
    reading.groupItemEnd = end
    reading.isLive = rooms.films.isLive
    reading.isTrailerPaused = isTrailerPaused
    return reading
  }

  /// Performs directives that no command of the user waits for.
  package func follow(_ directives: [Machine.Directive]) async {
    do { try await perform(directives) } catch { events.send(.failed("\(error)")) }
  }

  /// Performs directives in order.
  ///
  /// - Returns: the last answer among them.
  /// - Throws: the first error, after which the rest isn't performed.
  @discardableResult
  package func perform(_ directives: [Machine.Directive]) async throws -> CommandAnswer {
    var answer = CommandAnswer.done
    for directive in directives {
      let given = try await perform(directive)
      if given != .done { answer = given }
    }
    return answer
  }

  private func perform(_ directive: Machine.Directive) async throws -> CommandAnswer {
    switch directive {
    case .setRate(let rate, let immediately):
      try await coordinator.coordinateRateChange(
        to: rate, options: immediately ? .playImmediately : [])
    case .setDefaultRate(let rate): try await coordinator.coordinateDefaultRateChange(to: rate)
    case .seek(to: let position): try await coordinator.coordinateSeek(to: position)
    case .reportSeek(to: let position): try await coordinator.playerDidSeek(to: position)
    case .reportEnd(at: let position, let item, let isEarly):
      let isOver = await coordinator.playerDidReachEnd(at: position)
      let facts = await reading()
      try await perform(
        core.machine.endReported(item: item, isEarly: isEarly, isOver: isOver, in: facts))
    case .reportLoadedPercent:
      await coordinator.reportLoadedPercent(await rooms.player.loadedPercent)
    case .waitFor(let reasons, upTo: let limit):
      for reason in reasons {
        await coordinator.setParticipantLimit(
          limit, forWaitingOutSuspensionsWithReason: reason)
      }
      await coordinator.setSuspensionReasonsThatTriggerWaiting(reasons)
    case .reapply: await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    case .whatHappened: try await coordinator.whatHappened()
    case .endReplay: await coordinator.endReplay()

    case .film(let event): await rooms.films.handle(event)
    case .waitForFile: await rooms.films.waitForFile()
    case .identify(let location, let purpose): try await identify(location, purpose)
    case .rememberCopies(let films): rooms.films.remember(films)
    case .setList(let edit): try await rooms.party.setList(edit)
    case .beginSession(let film):
      try await rooms.party.beginSession(core.machine.newList(film))
    case .prepareActivation(let number, let list):
      choosing?.cancel()
      choosing = Task { [weak self] in await self?.prepareActivation(number, list) }
    case .allowServer(let forGood): await rooms.films.allowServer(forGood: forGood)

    case .player(let order): return .notice(try await rooms.player.perform(order))
    case .trailer(let order): try await rooms.trailers.perform(order)
    case .drawing(let order): try await rooms.drawing.perform(order)
    case .party(let order): try await rooms.party.perform(order)
    case .library(let order): return .notice(try await rooms.library.perform(order))

    case .report(let event): events.send(event)
    case .tellState: return .state
    case .reportToParticipants: await reportToParticipants()
    case .then(let command):
      return try await perform(core.machine.decide(command, in: reading()))
    case .refuse(let error): throw error
    case .attempt(let directives, orElse: let effect):
      do { return try await perform(directives) } catch { await handle(error, effect) }
    }
    return .done
  }

  private func prepareActivation(_ number: FilmChoice.Number, _ list: Playlist) async {
    let intent = await rooms.party.intent(toShare: list)
    let facts = await reading()
    await follow(core.machine.intentSettled(number, intent, in: facts))
  }

  private func handle(_ error: any Error, _ effect: FailureEffect) async {
    switch effect {
    case .report(let words): events.send(.failed(words + "\(error)"))
    case .warn(let words): events.send(.warning(words + "\(error)"))
    case .reapply:
      events.send(.failed("\(error)"))
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Reads the film at a location, and uses it. The films of a playlist follow one another in the list.
  private func identify(_ location: String, _ purpose: FilmPurpose) async throws {
    guard let films = await rooms.films.films(listedIn: location), let first = films.first else {
      return try await identifyFilm(location, purpose)
    }
    try await identifyFilm(first, purpose)
    guard purpose != .watchAlone else { return }
    for film in films.dropFirst() { try await identifyFilm(film, .enqueue) }
  }

  private func identifyFilm(_ location: String, _ purpose: FilmPurpose) async throws {
    let film: FilmIdentity
    do {
      film = try await rooms.films.identity(of: location)
    } catch {
      let rest = core.machine.cannotIdentify(purpose, "\(error)")
      guard !rest.isEmpty else { throw error }
      try await perform(rest)
      return
    }
    let position =
      purpose == .resume ? await rooms.library.position(in: film.identifier) : nil
    let facts = await reading()
    try await perform(core.machine.identified(film, purpose, at: position, in: facts))
  }
}

extension CommandAnswer {
  fileprivate static func notice(_ text: String?) -> Self { text.map { .notice($0) } ?? .done }
}

/// The isolation of everything that one program's screening consists of: its machine, its shell, and the rooms that
/// perform directives.
///
/// They share one actor, so that none of them sees another's state in the middle of a change, and no reading of it
/// has to be awaited.
@globalActor
package actor ScreeningActor {
  package static let shared = ScreeningActor()
}

/// The machine of a screening, for its shell and the rooms that perform its directives.
@ScreeningActor
package final class ScreeningCore<Refusal: Hashable & Sendable> {
  package var machine: ScreeningMachine<Refusal>

  package init() { machine = ScreeningMachine(random: SystemRandomNumberGenerator()) }
}
