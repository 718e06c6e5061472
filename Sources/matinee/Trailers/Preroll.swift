import MPVPlayer
import PlaybackCoordination
import Timekeeping

/// The reason why a trailer ends early.
private enum PrerollProblem: Error, CustomStringConvertible {
  case connectionLost

  var description: String { "its server disappeared" }
}

/// Trailers before the film, in a separate player. The film's player is ready behind it.
actor Preroll {
  let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator

  private let changed: @Sendable () -> Void

  /// - Parameter changed: called when a trailer is paused or resumed, from any source.
  init(configuration: MPVConfiguration, changed: @escaping @Sendable () -> Void) throws {
    self.changed = changed
    var configuration = configuration
    // The film's player has the same configuration, and keeps its sockets and files.
    configuration.isSecondary = true
    player = try MPVPlayer(configuration: configuration)
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
  }

  /// Plays the trailers one after another. It returns at the end of the last one, or when the user stops them.
  ///
  /// - Throws: ``MPVError`` for a trailer that can't be played; the trailers after it are skipped.
  func play(_ trailers: [String]) async throws {
    do {
      try await show(trailers)
    } catch {
      await player.shutDown()
      throw error
    }
    await player.shutDown()
  }

  private func show(_ trailers: [String]) async throws {
    let events = player.events
    var remaining = trailers[...]
    try await playNext(&remaining)
    for await event in events {
      switch event {
      case .ended, .userStopped:
        guard !remaining.isEmpty else { return }
        try await playNext(&remaining)
      case .failed(let error): throw error
      case .connectionLost: throw PrerollProblem.connectionLost
      case .userQuit, .shutdown: return
      case .userPaused: try await coordinator.coordinateRateChange(to: 0)
      case .userResumed: try await coordinator.coordinateRateChange(to: 1)
      case .userSought(let place): try await coordinator.coordinateSeek(to: place)
      case .userChangedRate(let rate): try await coordinator.coordinateDefaultRateChange(to: rate)
      case .pausedChanged: changed()
      case .userLoaded, .loaded, .stalled, .buffered, .loadedPercentChanged, .position,
        .rateChanged,
        .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged, .audioDeviceLost,
        .audioDeviceFound,
        .audioDeviceChanged,
        .windowUnavailable, .windowKey, .pointerMoved,
        .log:
        break
      }
    }
  }

  func playPause() async throws {
    let isPaused = await coordinator.snapshot().status == .paused
    try await coordinator.coordinateRateChange(to: isPaused ? 1 : 0)
  }

  func stop() async { await player.shutDown() }

  func snapshot() async -> PlayerSnapshot { await player.snapshot() }

  private func playNext(_ remaining: inout ArraySlice<String>) async throws {
    let trailer = remaining.removeFirst()
    try await coordinator.transitionToItem(
      withIdentifier: trailer, proposing: PlaybackTiming(rate: 1, itemTime: .zero),
      playerIsReady: false)
    await player.setCurrentItemIdentifier(trailer)
    try await player.load(trailer)
    await coordinator.playerDidBecomeReady()
  }
}
