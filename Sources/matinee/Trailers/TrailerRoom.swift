import Concurrency
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// The trailers before the film, in a separate player that ``Trailers`` decides about. The film's player is ready behind
/// it.
@ScreeningActor
final class TrailerRoom: TrailerScreen {
  /// The parts of the program that trailers concern.
  struct Links {
    /// Gives the film machine an event, and returns once its directives are performed.
    var film: @ScreeningActor (FilmDecisions.Event) async -> Void
    /// The address of the proxy of the film behind the trailers; nil without one.
    var proxy: @ScreeningActor () -> String?
  }

  private var trailers: Trailers
  /// The trailers' player and its coordinator.
  private var opened: (player: MPVPlayer, coordinator: DelegatingPlaybackCoordinator)?
  /// The task that shows the trailers.
  private var showing: Task<Void, Never>?
  private let filmPlayer: MPVPlayer
  private let frames: FrameRouter
  private let events: EventBroadcast<ScreeningEvent>
  private let links: Links

  /// - Parameters:
  ///   - locations: the trailers, in their order.
  ///   - filmPlayer: the film's player. The trailers' player has the same configuration.
  ///   - frames: shows the picture of the film's player, or of the trailers'.
  init(
    _ locations: [String], before filmPlayer: MPVPlayer, frames: FrameRouter,
    events: EventBroadcast<ScreeningEvent>, links: Links
  ) {
    trailers = Trailers(locations)
    self.filmPlayer = filmPlayer
    self.frames = frames
    self.events = events
    self.links = links
    frames.show(filmPlayer)
  }

  func close() async {
    await handle(.stopped)
    showing?.cancel()
  }

  /// A Boolean value that indicates whether a trailer is shown.
  var isShown: Bool { trailers.isShown }

  var isPaused: Bool? { get async { await snapshot()?.isPaused } }

  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: MPVPlayer { opened?.player ?? filmPlayer }

  /// Returns the state of the trailers' player; nil without one.
  func snapshot() async -> PlayerSnapshot? { await opened?.player.snapshot() }

  func perform(_ order: TrailerOrder) async throws {
    switch order {
    case .playPause:
      guard let coordinator = opened?.coordinator else { return }
      let isPaused = await coordinator.snapshot().status == .paused
      try await coordinator.coordinateRateChange(to: isPaused ? 1 : 0)
    case .stop: await handle(.stopped)
    }
  }

  /// Notes that a film is ready: trailers come before the first one. If the party's rules say so, the other participants
  /// wait for them, for a minute at most. Afterwards this player joins the group's position.
  func filmIsReady() {
    let directives = trailers.handle(.filmBegan)
    guard !directives.isEmpty else { return }
    showing = Task { [weak self] in await self?.show(directives) }
  }

  // MARK: - Directives

  private func show(_ directives: [Trailers.Directive]) async {
    await perform(directives)
    guard let events = opened?.player.events else { return }
    for await event in events {
      await handle(event)
      guard trailers.isShown else { return }
    }
  }

  private func handle(_ event: Trailers.Event) async { await perform(trailers.handle(event)) }

  private func perform(_ directives: [Trailers.Directive]) async {
    for directive in directives {
      switch directive {
      case .separate:
        await links.film(.separated(.interstitial, for: .playingInterstitial))
        await handle(.separated)
      case .openPlayer: await open()
      case .play(let location): await attempt { try await self.play(location) }
      case .closePlayer:
        await opened?.player.shutDown()
        await handle(.closed)
      case .showFilm:
        opened = nil
        frames.show(filmPlayer)
      case .rejoin:
        await links.film(.rejoined(.interstitial, proposing: nil))
        events.send(.changed)
      case .warn(let text): events.send(.warning(text))
      }
    }
  }

  private func open() async {
    await attempt {
      var configuration = self.filmPlayer.configuration
      // The film's player keeps its sockets and files.
      configuration.isSecondary = true
      // While a film of another participant is loaded, libavformat reaches servers through its proxy only.
      if let proxy = self.links.proxy() {
        configuration.options.append(MPVConfiguration.Option(name: "http-proxy", value: proxy))
      }
      let player = try MPVPlayer(configuration: configuration)
      self.opened = (player, DelegatingPlaybackCoordinator(playbackControlDelegate: player))
      self.frames.show(player)
      let directives = self.trailers.handle(.opened)
      self.events.send(.changed)
      await self.perform(directives)
    }
  }

  private func play(_ location: String) async throws {
    guard let (player, coordinator) = opened else { return }
    try await coordinator.transitionToItem(
      withIdentifier: location, proposing: PlaybackTiming(rate: 1, itemTime: .zero),
      playerIsReady: false)
    await player.setCurrentItemIdentifier(location)
    try await player.load(location)
    await coordinator.playerDidBecomeReady()
  }

  private func handle(_ event: PlayerEvent) async {
    guard let coordinator = opened?.coordinator else { return }
    switch event {
    case .ended, .userStopped: await handle(.trailerEnded)
    case .failed(let error): await handle(.failed("\(error)"))
    case .connectionLost: await handle(.failed("its server disappeared"))
    case .userQuit, .shutdown: await handle(.playerGone)
    case .userPaused: await attempt { try await coordinator.coordinateRateChange(to: 0) }
    case .userResumed: await attempt { try await coordinator.coordinateRateChange(to: 1) }
    case .userSought(let place): await attempt { try await coordinator.coordinateSeek(to: place) }
    case .userChangedRate(let rate):
      await attempt { try await coordinator.coordinateDefaultRateChange(to: rate) }
    case .pausedChanged: events.send(.changed)
    case .userLoaded, .loaded, .stalled, .buffered, .loadedPercentChanged, .position,
      .rateChanged, .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged,
      .audioDeviceLost, .audioDeviceFound, .audioDeviceChanged, .windowUnavailable, .windowKey,
      .pointerMoved, .strayed, .loopBegan, .configured, .log:
      break
    }
  }

  private func attempt(_ body: @ScreeningActor () async throws -> Void) async {
    do {
      try await body()
    } catch {
      await handle(.failed("\(error)"))
    }
  }
}
