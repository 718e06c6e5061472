import Concurrency
import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening

/// One participant's program without its faces: the loop, and the adapters that perform its effects.
@ScreeningActor
package final class Program {
  /// The requests of the command line that hold for the whole run.
  package struct Options: Sendable {
    var configuration: MPVConfiguration
    var name: String
    /// A Boolean value that indicates whether the user chose ``name``.
    package var isNameChosen = true
    /// Shown before the first film, in a second player with the same configuration.
    package var trailers: [String] = []
    /// Shown beside the film ``angledFilm``.
    package var angles: [String] = []
    /// The identifier of the film with the angles; nil for the first film that is opened.
    package var angledFilm: String?
    package var syncLog: SyncLog?
    /// The folder for copies of the films that others share; nil to keep none.
    package var keepFolder: String?
    package var latencyOffset: LatencyOffset?
    /// A Boolean value that indicates whether the film is lowered while a call is audible.
    package var ducks = false
    /// Remembers the position reached in each film; nil if nothing is remembered.
    package var library: MediaLibrary?
    /// A Boolean value that indicates whether nothing is remembered of this run.
    package var isPrivate = false

    package init(configuration: MPVConfiguration, name: String) {
      (self.configuration, self.name) = (configuration, name)
    }
  }

  /// The events, for all faces. Each states the bound of its own queue.
  package nonisolated let events = EventBroadcast<ScreeningEvent>()
  /// The keys and the mouse in mpv's window, for one consumer. The newest inputs wait: as many as a long line has keys.
  package nonisolated let windowInput: AsyncStream<WindowEvent>
  private let windowContinuation: AsyncStream<WindowEvent>.Continuation
  package nonisolated let player: MPVPlayer
  /// The router of pictures to the terminal: it selects the player whose picture is shown.
  package nonisolated let frames = FrameRouter()

  let runner = LoopRunner()
  let coordinator: DelegatingPlaybackCoordinator
  let parties: PartyAdapter
  let library: LibraryAdapter
  let drawing: DrawingAdapter
  let trailers: TrailerAdapter
  let group: GroupAdapter
  let latency: LatencyMemory
  private let films: FilmAdapter
  private let sharing: ShareAdapter
  let shared = SharedFilms()
  private let playerAdapter: PlayerAdapter
  private let options: Options
  private var tasks: [Task<Void, Never>] = []

  package init(_ options: Options) throws {
    self.options = options
    (windowInput, windowContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(1024))
    player = try MPVPlayer(configuration: options.configuration)
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    let memory = ForgivingLibrary(options.library, events: events)
    library = LibraryAdapter(memory: memory, runner: runner, events: events)
    sharing = ShareAdapter(runner: runner, films: shared, player: player)
    films = FilmAdapter(
      runner: runner, player: player, coordinator: coordinator, events: events, shared: shared,
      angles: options.angles, angledFilm: options.angledFilm)
    latency = LatencyMemory(
      offset: options.latencyOffset,
      file: options.isPrivate ? nil : StateFolder.path().map(LatencyOffsetFile.init),
      player: player, runner: runner, events: events)
    playerAdapter = PlayerAdapter(
      player: player, latency: latency, runner: runner, events: events)
    trailers = TrailerAdapter(before: player, frames: frames, runner: runner, events: events)
    group = GroupAdapter(
      player: player, coordinator: coordinator, events: events, log: options.syncLog)
    drawing = DrawingAdapter(runner: runner)
    parties = PartyAdapter(
      runner: runner, coordinator: coordinator, events: events, name: options.name,
      isNameChosen: options.isNameChosen,
      memory: PartyMemory(memory, events: events))
    tasks = [Task { while let job = await self.runner.nextJob() { await self.perform(job) } }]
  }

  // MARK: - The run

  /// Begins to handle the events of the player and the coordinator. ``close()`` ends the program.
  package func start() async {
    let picture = PictureLocations(
      hasDisplay: Display.isThere, hasPane: player.configuration.offersFrames)
    runner.send(.fact(.picture(picture)))
    await runner.handle(
      .started(
        trusting: await library.trustedHosts(), naming: options.angles + options.trailers,
        trailers: options.trailers, isEligible: parties.isEligible))
    if let folder = options.keepFolder { runner.send(.share(.keeps(in: folder))) }
    await latency.begin()
    if options.ducks { await runner.handle(.command(.duck(true))) }
    let (playerEvents, coordinatorEvents) = (player.events, coordinator.events)
    tasks += [
      Task { [weak self] in
        for await event in playerEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        for await event in coordinatorEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: DriftController.interval, clock: .suspending)
          await self?.tick()
        }
      },
    ]
  }

  private func tick() async {
    group.clock = parties.party?.clock.reading
    await tellFacts()
    shared.fetchParts()
    if let part = shared.arrivedPart { runner.send(.share(.arrived(part))) }
    await runner.handle(.fact(.tick))
  }

  /// Gives the machine the state of the player and the coordinator.
  private func tellFacts() async {
    for fact in await facts() { runner.send(fact) }
  }

  private func facts() async -> [ScreeningMachine.Event] {
    [.fact(.player(await playerAdapter.facts())), .fact(.group(await group.facts()))]
  }

  private func handle(_ event: PlayerEvent) async {
    switch event {
    // Nothing depends on the release of a key, and two events for each would fill the queue sooner.
    case .windowKey(let key) where key.phase == .released && !key.isMouseButton: break
    case .windowKey(let key): windowContinuation.yield(.key(key))
    case .pointerMoved(let x, let y): windowContinuation.yield(.pointer(x: x, y: y))
    case .audioDeviceChanged(let device): await latency.deviceChanged(to: device)
    case .configured(let report):
      if let summary = report.summary { emit(.warning(summary)) }
    // Important failures have their own events with texts for users. mpv writes the others to its --log-file.
    case .log(let text, let isError): if isError { films.keep(log: text) }
    case .stalled(let isStalled):
      await tellFacts()
      await runner.handle(.playback(.stalled(isStalled)))
    case .userPaused, .userResumed, .userSought, .userChangedRate, .userLoaded, .userQueued,
      .userStopped,
      .userQuit, .strayed, .loopBegan, .ended, .connectionLost, .failed, .audioDeviceLost,
      .audioDeviceFound, .windowUnavailable, .loadedPercentChanged, .buffered, .loaded,
      .pausedChanged, .rateChanged,
      .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged, .position, .shutdown:
      guard let report = PlayerReport(event) else { break }
      // A frequent one, about which nothing is decided.
      if report == .changed {
        if event == .tracksChanged { await tellFacts() }
        return emit(.changed)
      }
      await tellFacts()
      await runner.handle(.playback(.reported(report)))
    }
  }

  private func handle(_ event: CoordinatorEvent) async {
    await parties.room?.handle(event)
    // Frequent ones, about which nothing is decided.
    if [.settled, .otherParticipantsChanged].contains(event) { return emit(.changed) }
    if case .changed(let change) = event, let event = SyncRecord.Event(change.kind) {
      group.note(event)
    }
    await tellFacts()
    await runner.handle(.playback(.coordinated(event)))
  }

  /// Leaves the party, if any, and ends everything. Its duration is bounded.
  ///
  /// - Returns: the party that was left last, and this participant's last stay in one with others; nil without one.
  @discardableResult
  package func close() async -> (party: Participant.ID, stay: Farewell)? {
    library.close()
    parties.close()
    sharing.close()
    playerAdapter.close()
    await runner.handle(.quits)
    await trailers.close()
    runner.finish()
    for task in tasks { task.cancel() }
    films.close()
    await library.flush()
    latency.close()
    await player.shutDown()
    await group.close()
    windowContinuation.finish()
    events.finish()
    return parties.left.flatMap { party in runner.machine.farewell.map { (party, $0) } }
  }

  // MARK: - Effects

  private func perform(_ job: ScreeningLoop.Job) async {
    guard !job.holdsLoop else { return await answer(job) }
    Task { await answer(job) }
  }

  private func answer(_ job: ScreeningLoop.Job) async {
    do {
      runner.answered(job, with: .success(try await perform(job.effect)))
    } catch {
      runner.answered(job, with: .failure(error))
    }
  }

  private func perform(_ effect: ScreeningMachine.Effect) async throws -> EffectAnswer {
    switch effect {
    case .setRate(let rate, let immediately):
      try await group.setRate(rate, immediately: immediately)
    case .setDefaultRate(let rate): try await coordinator.coordinateDefaultRateChange(to: rate)
    case .seek(to: let position):
      shared.fetch(at: position)
      try await coordinator.coordinateSeek(to: position)
    case .reportSeek(to: let position): try await coordinator.playerDidSeek(to: position)
    case .reportEnd(at: let position, let item, let isEarly):
      let isOver = await group.reportEnd(at: position)
      let end = ScreeningMachine.PlaybackEvent.endReported(
        item: item, isEarly: isEarly, isOver: isOver)
      return EffectAnswer(await facts() + [.playback(end)])
    case .endHere(at: let position): _ = await group.reportEnd(at: position)
    case .reportLoadedPercent(let percent): await coordinator.reportLoadedPercent(percent)
    case .waitFor(let reasons, upTo: let limit): await group.waitFor(reasons, upTo: limit)
    case .reapply: await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    case .whatHappened: try await coordinator.whatHappened()
    case .endReplay: await coordinator.endReplay()
    case .separate(let separation, let reason): try await group.separate(separation, for: reason)
    case .rejoin(let separation, let position):
      await group.rejoin(separation, proposing: position)
    case .tellReady: await coordinator.playerDidBecomeReady()
    case .clearItem: await group.clearItem()
    case .look(let inquiry): return EffectAnswer(await facts() + [.playback(.looked(inquiry))])

    case .sync(let order): return await group.perform(order)
    case .film(let order): return try await films.perform(order)
    case .player(let order):
      var answer = try await playerAdapter.perform(order)
      answer.events.append(.fact(.player(await playerAdapter.facts())))
      return answer
    case .trailer(let order): return try await trailers.perform(order, proxy: films.proxy)
    case .drawing(let order): return try await drawing.perform(order, in: parties.party)
    case .party(let order): return try await parties.perform(order)
    case .library(let order):
      return try await library.perform(
        order, picture: { [player] in try? await player.pictureFile() }
      ) { [films] in
        await films.fingerprint(of: $0, among: $1)
      }
    case .share(let order):
      return try await sharing.perform(
        order, in: parties.sessions.session, as: parties.party?.localID)
    case .prepareActivation(let number, let list):
      return EffectAnswer([.intentSettled(number, await parties.intent(toShare: list))])

    case .report(let event):
      emit(event)
      return .done
    case .tellState: return EffectAnswer(command: .state)
    case .reportToParticipants:
      await reportToParticipants()
      return .done
    // The loop performs these.
    case .then, .wait, .refuse, .attempt: return .done
    }
    // The commands of the coordinator, whose state the next decision needs.
    return EffectAnswer([.fact(.group(await group.facts()))])
  }
}

/// An input in mpv's window.
package enum WindowEvent: Sendable {
  case key(WindowKey)
  /// The position of the mouse, from 0 to 1 in the picture.
  case pointer(x: Double, y: Double)
}
