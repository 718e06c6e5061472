import MatineeKit
import NowPlaying
import Screening
import WatchTogether

/// The program's presence on the desktop. The desktop shows the current film; media keys, widgets and `playerctl`
/// control it. Their commands take the same path as a key press, through the coordinator.
package actor Desktop {
  private let program: Program
  private let application: NowPlayingApplication
  private let session: NowPlayingSession
  private let player: ProgramPlayer
  /// The session of the trailers before the film, which is the active one while there are any.
  private let trailers: NowPlayingSession
  private let trailerPlayer: TrailerPlayer
  private let watching: Task<Void, Never>
  private let errands = Errands()

  static let urlSchemes = ["file", "http", "https"]
  static let mediaTypes = [
    "video/mp4", "video/x-matroska", "video/webm", "video/quicktime", "video/x-msvideo",
    "video/mpeg", "video/mp2t", "video/ogg", "video/3gpp", "video/x-flv", "video/x-ms-wmv",
    "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4", "audio/aac", "audio/x-wav",
    "audio/x-matroska", "application/vnd.apple.mpegurl",
  ]

  /// - Parameter busAddress: the bus to use; nil for the session bus.
  package init(program: Program, busAddress: String? = nil) {
    self.program = program
    application = NowPlayingApplication(
      .init(
        name: "matinee", identity: "Matinee", desktopEntry: "matinee",
        urlSchemes: Self.urlSchemes, mediaTypes: Self.mediaTypes), busAddress: busAddress)
    player = ProgramPlayer(
      program: program,
      artwork: Artwork(cache: Artwork.folder().map { ArtworkCache(folder: $0) }) {
        try await program.picture(of: $0)
      })
    session = NowPlayingSession(in: application)
    let center = session.remoteCommandCenter
    player.commands = center
    Self.wire(center, to: program, errands)
    session.addPlayer(player)
    trailers = NowPlayingSession(in: application)
    trailerPlayer = TrailerPlayer(program: program)
    Self.wireTrailers(trailers.remoteCommandCenter, to: program, errands)
    trailers.addPlayer(trailerPlayer)
    watching = Self.promote(trailers, of: program)
  }

  package func close() async {
    watching.cancel()
    await application.invalidate()
    errands.cancel()
    trailerPlayer.close()
    await player.close()
  }

  /// Makes the trailers' session the active one when they begin. At their end it has nothing to play, and the film's
  /// is the active one again.
  private static func promote(
    _ session: NowPlayingSession, of program: Program
  ) -> Task<Void, Never> {
    let events = program.events.follow(
      atMost: ProgramPlayer.eventLimit, except: [.participants])
    return Task {
      var isPromoted = false
      for await _ in events {
        let isShown = await program.showsTrailer
        if isShown, !isPromoted { isPromoted = await session.becomeActiveIfPossible() }
        if !isShown { isPromoted = false }
      }
    }
  }

  /// Connects the commands that trailers have. The machine passes play and pause on to the trailer.
  private static func wireTrailers(
    _ center: RemoteCommandCenter, to program: Program, _ errands: Errands
  ) {
    wirePlayback(center, to: program, errands)
    // The film follows.
    center.nextTrackCommand.addTarget { _ in
      await errands.run { await run({ _ = try await $0.perform(.resume) }, in: program) }
    }
  }

  /// Connects the commands that films and trailers have in common.
  private static func wirePlayback(
    _ center: RemoteCommandCenter, to program: Program, _ errands: Errands
  ) {
    @Sendable func perform(_ command: UserCommand) async -> RemoteCommandStatus {
      await errands.run { await run({ _ = try await $0.perform(command) }, in: program) }
    }
    center.playCommand.addTarget { _ in await perform(.play(immediately: false)) }
    center.pauseCommand.addTarget { _ in await perform(.pause) }
    center.togglePlayPauseCommand.addTarget { _ in await perform(.playPause) }
    center.changeVolumeCommand.addTarget { await perform(.setVolume($0.volume * 100)) }
    center.quitCommand.addTarget { _ in
      await errands.run { await run({ await $0.emit(.userQuit) }, in: program) }
    }
  }

  /// Connects each command to its action.
  private static func wire(
    _ center: RemoteCommandCenter, to program: Program, _ errands: Errands
  ) {
    @Sendable func attempt(
      _ body: @escaping @Sendable (Program) async throws -> Void
    ) async -> RemoteCommandStatus {
      await errands.run { await run(body, in: program) }
    }
    @Sendable func perform(_ command: UserCommand) async -> RemoteCommandStatus {
      await attempt { _ = try await $0.perform(command) }
    }
    wirePlayback(center, to: program, errands)
    center.stopCommand.addTarget { _ in await perform(.stop) }
    center.skipForwardCommand.preferredIntervals = [.seconds(5)]
    center.skipForwardCommand.addTarget { await perform(.skip(by: $0.interval)) }
    center.skipBackwardCommand.preferredIntervals = [.seconds(5)]
    center.skipBackwardCommand.addTarget { await perform(.skip(by: .zero - $0.interval)) }
    center.changePlaybackPositionCommand.addTarget { await perform(.seek(to: $0.positionTime)) }
    center.nextTrackCommand.addTarget { _ in await perform(.advance(by: 1)) }
    center.previousTrackCommand.addTarget { _ in await perform(.advance(by: -1)) }
    center.changePlaybackRateCommand.supportedPlaybackRates = 0.01...100
    center.changePlaybackRateCommand.addTarget { await perform(.setRate($0.playbackRate)) }
    center.changeFullscreenCommand.addTarget { await perform(.setFullscreen($0.isFullscreen)) }
    center.playQueueItemCommand.addTarget { event in
      await attempt { _ = try await $0.perform(.watch(entry: $0.index(of: event.id))) }
    }
    center.removeQueueItemCommand.addTarget { event in
      await attempt { _ = try await $0.perform(.dropEntry($0.index(of: event.id))) }
    }
    center.addToQueueCommand.addTarget { event in
      await attempt {
        try await $0.enqueue(
          event.url.absoluteString, after: event.after, isWatchedNow: event.becomesCurrent)
      }
    }
    center.openURLCommand.addTarget { event in
      await attempt { program in
        // The caller gets the error for a URL that can't be opened. The interface does the rest, as for a typed URL.
        let film = try await FilmIdentity.read(event.url.absoluteString)
        await program.emit(.openWanted(film.location))
      }
    }
    // No user is there to answer a question.
  }

  /// Runs a command. The user sees its error too, as for a key press.
  private static func run(
    _ body: @Sendable (Program) async throws -> Void, in program: Program
  ) async -> RemoteCommandStatus {
    do {
      try await body(program)
      return .success
    } catch PlaylistProblem.noNext, PlaylistProblem.noPrevious,
      PlaylistProblem.noSuchEntry
    {
      return .noSuchContent
    } catch is FilmError {
      return .noSuchContent
    } catch {
      await program.emit(.failed("\(error)"))
      return .commandFailed
    }
  }
}
