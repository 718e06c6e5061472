import Concurrency
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Performs the effects on the player of the trailers before the film. The film's player is ready behind it.
@ScreeningActor
final class TrailerAdapter {
  private let filmPlayer: MPVPlayer
  private let frames: FrameRouter
  private let runner: LoopRunner
  private let events: EventBroadcast<ScreeningEvent>
  /// The trailers' player and its coordinator.
  private var opened: (player: MPVPlayer, coordinator: DelegatingPlaybackCoordinator)?
  private var following: Task<Void, Never>?

  /// - Parameters:
  ///   - filmPlayer: the film's player. The trailers' player has the same configuration.
  ///   - frames: shows the picture of the film's player, or of the trailers'.
  init(
    before filmPlayer: MPVPlayer, frames: FrameRouter, runner: LoopRunner,
    events: EventBroadcast<ScreeningEvent>
  ) {
    self.filmPlayer = filmPlayer
    self.frames = frames
    self.runner = runner
    self.events = events
    frames.show(filmPlayer)
  }

  func close() async {
    following?.cancel()
    await opened?.player.shutDown()
  }

  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: MPVPlayer { opened?.player ?? filmPlayer }

  /// Returns the state of the trailers' player; nil without one.
  func snapshot() async -> PlayerSnapshot? { await opened?.player.snapshot() }

  /// - Parameter proxy: the address of the proxy of the film behind the trailers; nil without one.
  /// - Throws: an error of mpv's.
  func perform(_ order: TrailerOrder, proxy: String?) async throws -> EffectAnswer {
    switch order {
    case .playPause:
      guard let coordinator = opened?.coordinator else { return .done }
      let isPaused = await coordinator.snapshot().status == .paused
      try await coordinator.coordinateRateChange(to: isPaused ? 1 : 0)
      return EffectAnswer([.film(.trailer(.paused(!isPaused)))])
    case .open: return await answer { try self.open(proxy: proxy) }
    case .play(let location): return await answer { try await self.play(location) }
    case .close:
      following?.cancel()
      await opened?.player.shutDown()
      return EffectAnswer([.film(.trailer(.closed))])
    case .showFilm:
      opened = nil
      frames.show(filmPlayer)
    }
    return .done
  }

  private func open(proxy: String?) throws -> Trailers.Event {
    var configuration = filmPlayer.configuration
    // The film's player keeps its sockets and files.
    configuration.isSecondary = true
    // While a film of another participant is loaded, libavformat reaches servers through its proxy only.
    if let proxy {
      configuration.options.append(MPVConfiguration.Option(name: "http-proxy", value: proxy))
    }
    let player = try MPVPlayer(configuration: configuration)
    opened = (player, DelegatingPlaybackCoordinator(playbackControlDelegate: player))
    frames.show(player)
    let playerEvents = player.events
    following = Task { [weak self] in
      for await event in playerEvents { await self?.handle(event) }
    }
    return .opened
  }

  private func play(_ location: String) async throws -> Trailers.Event {
    guard let (player, coordinator) = opened else { return .playerGone }
    try await coordinator.transitionToItem(
      withIdentifier: location, proposing: PlaybackTiming(rate: 1, itemTime: .zero),
      playerIsReady: false)
    await player.setCurrentItemIdentifier(location)
    try await player.load(location)
    await coordinator.playerDidBecomeReady()
    return .paused(false)
  }

  private func handle(_ event: PlayerEvent) async {
    guard let coordinator = opened?.coordinator else { return }
    switch event {
    case .ended, .userStopped: send(.trailerEnded)
    case .failed(let error): send(.failed("\(error)"))
    case .connectionLost: send(.failed("its server disappeared"))
    case .userQuit, .shutdown: send(.playerGone)
    case .userPaused: await attempt { try await coordinator.coordinateRateChange(to: 0) }
    case .userResumed: await attempt { try await coordinator.coordinateRateChange(to: 1) }
    case .userSought(let place): await attempt { try await coordinator.coordinateSeek(to: place) }
    case .userChangedRate(let rate):
      await attempt { try await coordinator.coordinateDefaultRateChange(to: rate) }
    case .pausedChanged:
      send(.paused(await coordinator.snapshot().status == .paused))
      events.send(.changed)
    case .userLoaded, .userQueued, .loaded, .stalled, .buffered, .loadedPercentChanged, .position,
      .rateChanged, .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged,
      .audioDeviceLost, .audioDeviceFound, .audioDeviceChanged, .windowUnavailable, .windowKey,
      .pointerMoved, .strayed, .loopBegan, .configured, .log:
      break
    }
  }

  private func send(_ event: Trailers.Event) { runner.send(.film(.trailer(event))) }

  private func attempt(_ body: @ScreeningActor () async throws -> Void) async {
    do {
      try await body()
    } catch {
      send(.failed("\(error)"))
    }
  }

  private func answer(
    _ body: @ScreeningActor () async throws -> Trailers.Event
  ) async -> EffectAnswer {
    do {
      return EffectAnswer([.film(.trailer(try await body()))])
    } catch {
      return EffectAnswer([.film(.trailer(.failed("\(error)")))])
    }
  }
}
