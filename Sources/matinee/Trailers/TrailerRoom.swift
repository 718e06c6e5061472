import Concurrency
import MPVPlayer
import PlaybackCoordination
import Screening

/// The trailers before the first film, which are shown once.
@ScreeningActor
final class TrailerRoom: TrailerScreen {
  /// The parts of the program that trailers concern.
  struct Links {
    /// Gives the programme an event, and returns once its directives are performed.
    var film: @ScreeningActor (FilmProgramme.Event) async -> Void
    /// The address of the filter of the film behind the trailers; nil without one.
    var proxy: @ScreeningActor () -> String?
  }

  /// The trailers that have yet to be shown.
  private var remaining: [String]
  /// The configuration of their player, the same as the film's.
  private let configuration: MPVConfiguration
  private let player: MPVPlayer
  private let frames: FrameRouter
  private let events: EventBroadcast<ScreeningEvent>
  private let links: Links
  private var preroll: Preroll?
  private var showing: Task<Void, Never>?

  /// - Parameters:
  ///   - player: the film's player.
  ///   - frames: shows the picture of the film's player, or of the trailers'.
  init(
    _ trailers: [String], configuration: MPVConfiguration, player: MPVPlayer, frames: FrameRouter,
    events: EventBroadcast<ScreeningEvent>, links: Links
  ) {
    remaining = trailers
    self.configuration = configuration
    self.player = player
    self.frames = frames
    self.events = events
    self.links = links
    frames.show(player)
  }

  func close() async {
    showing?.cancel()
    await preroll?.stop()
  }

  /// A Boolean value that indicates whether a trailer is shown.
  var isShown: Bool { preroll != nil }

  var isPaused: Bool? { get async { await preroll?.snapshot().isPaused } }

  /// The player whose picture is shown: a trailer's while there is one.
  var shownPlayer: MPVPlayer { preroll?.player ?? player }

  /// Returns the state of a trailer's player; nil without a trailer.
  func snapshot() async -> PlayerSnapshot? { await preroll?.snapshot() }

  func perform(_ order: TrailerOrder) async throws {
    switch order {
    case .playPause: try await preroll?.playPause()
    case .stop: await preroll?.stop()
    }
  }

  /// Shows the trailers, if they weren't shown yet. If the party's rules say so, the other participants wait for them, for
  /// a minute at most. Afterwards this player joins the group's position.
  func begin() {
    guard !remaining.isEmpty else { return }
    let trailers = remaining
    remaining = []
    showing = Task { [weak self] in await self?.show(trailers) }
  }

  private func show(_ trailers: [String]) async {
    await links.film(.separated(.interstitial, for: .playingInterstitial))
    do {
      var configuration = configuration
      // While a film of another participant is loaded, libavformat reaches servers through its filter only.
      if let proxy = links.proxy() {
        configuration.options.append(MPVConfiguration.Option(name: "http-proxy", value: proxy))
      }
      let events = events
      let preroll = try Preroll(configuration: configuration) { events.send(.changed) }
      self.preroll = preroll
      frames.show(preroll.player)
      events.send(.changed)
      try await preroll.play(trailers)
    } catch {
      events.send(.warning("The trailer can't be played: \(error)"))
    }
    preroll = nil
    frames.show(player)
    await links.film(.rejoined(.interstitial, proposing: nil))
    events.send(.changed)
  }
}
