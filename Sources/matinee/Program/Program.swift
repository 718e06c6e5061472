import Concurrency
import DrawTogether
import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening

/// One participant's program without its faces: the screening's shell, and the rooms that perform its directives.
@ScreeningActor
final class Program {
  /// The requests of the command line that hold for the whole run.
  struct Options: Sendable {
    var configuration: MPVConfiguration
    var name: String
    /// A Boolean value that indicates whether the user chose ``name``.
    var isNameChosen = true
    /// Shown before the first film, in a second player with the same configuration.
    var trailers: [String] = []
    /// Shown beside the film ``angledFilm``.
    var angles: [String] = []
    /// The identifier of the film with the angles; nil for the first film that is opened.
    var angledFilm: String?
    var syncLog: SyncLog?
    var latencyOffset: LatencyOffset?
    /// Remembers the position reached in each film; nil if nothing is remembered.
    var library: MediaLibrary?
    /// A Boolean value that indicates whether nothing is remembered of this run.
    var isPrivate = false
  }

  /// The events, for all faces. Each states the bound of its own queue.
  nonisolated let events = EventBroadcast<ScreeningEvent>()
  /// The keys and the mouse in mpv's window, for one consumer. The newest inputs wait: as many as a long line has keys.
  nonisolated let windowInput: AsyncStream<WindowEvent>
  private let windowContinuation: AsyncStream<WindowEvent>.Continuation
  nonisolated let player: MPVPlayer
  /// The router of pictures to the terminal: it selects the player whose picture is shown.
  nonisolated let frames = FrameRouter()

  let core: ScreeningCore<OriginRefusal>
  let coordinator: DelegatingPlaybackCoordinator
  private let namedLocations: [String]
  // Set once by ``init(_:)``, in which each of them refers to others.
  private(set) var shell: ScreeningShell<OriginRefusal>!
  private(set) var parties: OwnPartyRoom!
  private(set) var films: FilmRoom!
  private(set) var library: LibraryRoom!
  private(set) var picture: PictureRoom!
  private(set) var drawing: DrawingRoom!
  private(set) var trailers: TrailerRoom!
  private(set) var sync: SyncRoom!
  private var sessions: SessionRoom!
  private var consent: ConsentRoom!
  private var loader: FilmLoader!
  private var history: HistoryRoom!
  private(set) var latency: LatencyRoom!
  private var tasks: [Task<Void, Never>] = []

  init(_ options: Options) throws {
    (windowInput, windowContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(1024))
    core = ScreeningCore()
    player = try MPVPlayer(configuration: options.configuration)
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    // The user named these locations, and they are loaded beside films of other participants.
    namedLocations = options.angles + options.trailers
    furnish(options)
  }

  /// Makes the rooms. What a room is doing may outlast the program, so that their links hold it weakly.
  private func furnish(_ options: Options) {
    library = LibraryRoom(
      library: options.library, events: events,
      links: .init(
        scanned: { [weak self] in await self?.films.lookForCopy() },
        distrust: { [weak self] in self?.consent.distrust($0) }))
    consent = ConsentRoom(
      links: .init(
        trustedHosts: { [weak self] in await self?.library.trustedHosts() ?? [] },
        trust: { [weak self] in await self?.library.trust($0) }))
    picture = PictureRoom(player: player, events: events)
    drawing = DrawingRoom(core: core, events: events)
    furnishFilms(options)
    furnishParty(options)
    latency = LatencyRoom(
      offset: options.latencyOffset,
      file: options.isPrivate ? nil : StateFolder.path().map(LatencyOffsetFile.init),
      player: player, coordinator: coordinator, events: events,
      offsetChanged: { [weak self] in
        self?.sync.note(.latencyOffset)
        await self?.sync.forget()
      })
    let room = PlayerRoom(
      core: core, player: player, latency: latency, picture: picture,
      isLive: { [weak self] in self?.films.isLive ?? false })
    shell = ScreeningShell(
      core: core, coordinator: coordinator, events: events,
      rooms: ScreeningRooms(
        player: room, films: films, party: parties, library: library, trailers: trailers,
        drawing: drawing),
      reportToParticipants: { [weak self] in await self?.reportToParticipants() })
  }

  private func furnishFilms(_ options: Options) {
    loader = FilmLoader(
      core: core, player: player, coordinator: coordinator, consent: consent, events: events,
      angles: options.angles, angledFilm: options.angledFilm,
      links: .init(refused: { [weak self] in await self?.films.handle(.refused($0, $1)) }))
    films = FilmRoom(
      core: core, player: player, coordinator: coordinator, consent: consent, loader: loader,
      events: events,
      links: .init(
        copy: { [weak self] in await self?.library.copy(of: $0) },
        follow: { [weak self] in await self?.shell.follow($0) },
        play: { [weak self] in await self?.shell.playFilm() },
        remember: { [weak self] in await self?.history.remember($0) },
        rememberList: { [weak self] in await self?.parties.rememberList() },
        forgetDrift: { [weak self] in await self?.sync.forget() },
        requestForeground: { [weak self] in await self?.sessions.requestForeground() },
        filmBegins: { [weak self] in self?.drawing.filmBegins() },
        filmIsReady: { [weak self] in self?.trailers.filmIsReady() }))
    history = HistoryRoom(
      core: core, player: player, coordinator: coordinator, library: library,
      isLive: { [weak self] in self?.films.isLive ?? false })
    trailers = TrailerRoom(
      options.trailers, before: player, frames: frames, events: events,
      links: .init(
        film: { [weak self] in await self?.films.handle($0) },
        proxy: { [weak self] in self?.loader.proxy }))
    sync = SyncRoom(
      core: core, player: player, coordinator: coordinator, events: events, log: options.syncLog,
      links: .init(
        clock: { [weak self] in self?.parties.party?.clock.reading },
        isLive: { [weak self] in self?.films.isLive ?? false },
        film: { [weak self] in await self?.films.handle($0) }))
  }

  private func furnishParty(_ options: Options) {
    sessions = SessionRoom(
      core: core, events: events, coordinator: coordinator,
      links: .init(
        film: { [weak self] in await self?.films.handle($0) },
        isAtEnd: { [weak self] in await self?.shell.reading().isAtEnd ?? false },
        arrive: { [weak self] decision, party in
          // Opening a party, or watching a film, implies no consent: a guest may choose the party's first film.
          guard let self, !parties.isHosting, core.machine.filmMachine.film == nil else { return }
          await consent.arrive(at: decision, in: party)
        }))
    parties = OwnPartyRoom(
      core: core, events: events, name: options.name, isNameChosen: options.isNameChosen,
      sessions: sessions,
      memory: PartyMemory(
        library: options.library, events: events,
        forgivingly: { [weak self] in await self?.library.forgivingly($0) }),
      links: .init(
        film: { [weak self] in await self?.films.handle($0) },
        follow: { [weak self] in await self?.shell.follow($0) },
        resume: { [weak self] in await self?.resume($0) },
        prepare: { [weak self] party in self?.drawing.follow(party) },
        wrapUp: { [weak self] in await self?.drawing.detach() },
        otherSessionEnded: { [weak self] kind in
          if kind == DrawTogether.activityIdentifier { await self?.drawing.isOver() }
        }))
  }

  // MARK: - The run

  /// Begins to handle the events of the player and the coordinator.
  func start() async {
    await consent.begin(allowing: namedLocations)
    await shell.follow([Decisions.waiting(by: nil)])
    await shell.follow(core.machine.eligibilityChanged(to: parties.isEligible))
    await latency.begin()
    let (playerEvents, coordinatorEvents) = (player.events, coordinator.events)
    tasks = [
      Task { [weak self] in
        for await event in playerEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        for await event in coordinatorEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: DriftController.interval, clock: .suspending)
          await self?.watch()
        }
      },
    ]
  }

  private func watch() async {
    await sync.watch()
    await history.noteProgress()
    await loader.watchSlowness()
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
    case .log(let text, let isError): if isError { loader.keep(log: text) }
    case .stalled(let isStalled): await sync.stalled(isStalled)
    case .userPaused, .userResumed, .userSought, .userChangedRate, .userLoaded, .userStopped,
      .userQuit, .strayed, .loopBegan, .ended, .connectionLost, .failed, .audioDeviceLost,
      .audioDeviceFound, .windowUnavailable, .loadedPercentChanged, .buffered, .loaded,
      .pausedChanged, .rateChanged,
      .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged, .position, .shutdown:
      if let report = PlayerReport(event) { await shell.handle(report) }
    }
  }

  private func handle(_ event: CoordinatorEvent) async {
    if case .changed(let change) = event, let event = SyncRecord.Event(change.kind) {
      sync.groupChanged(event)
    }
    await shell.handle(event)
  }

  /// Leaves the party, if any, and ends everything. Its duration is bounded.
  func close() async {
    library.close()
    shell.close()
    await history.remember()
    await parties.leaveCompletely()
    await trailers.close()
    for task in tasks { task.cancel() }
    films.close()
    latency.close()
    await player.shutDown()
    await sync.close()
    windowContinuation.finish()
    events.finish()
  }
}

/// An input in mpv's window.
enum WindowEvent: Sendable {
  case key(WindowKey)
  /// The position of the mouse, from 0 to 1 in the picture.
  case pointer(x: Double, y: Double)
}
