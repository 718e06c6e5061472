import NowPlaying
import Screening
import Timekeeping
import WatchTogether

/// The program's presence on the desktop. The desktop shows the current film; media keys, widgets and `playerctl`
/// control it. Their commands take the same path as a key press, through the coordinator.
actor Desktop {
  private let program: Program
  private let application: NowPlayingApplication
  private let session: NowPlayingSession
  private let player: ProgramPlayer
  private let errands = Errands()

  static let urlSchemes = ["file", "http", "https"]
  static let mediaTypes = [
    "video/mp4", "video/x-matroska", "video/webm", "video/quicktime", "video/x-msvideo",
    "video/mpeg", "video/mp2t", "video/ogg", "video/3gpp", "video/x-flv", "video/x-ms-wmv",
    "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4", "audio/aac", "audio/x-wav",
    "audio/x-matroska", "application/vnd.apple.mpegurl",
  ]

  /// - Parameter busAddress: the bus to use; nil for the session bus.
  init(program: Program, busAddress: String? = nil) {
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
  }

  func close() async {
    await application.invalidate()
    errands.cancel()
    await player.close()
  }

  /// Connects each command to its action.
  private static func wire(
    _ center: RemoteCommandCenter, to program: Program, _ errands: Errands
  ) {
    @Sendable func attempt(
      _ body: @escaping @Sendable (Program) async throws -> Void
    ) async -> RemoteCommandStatus {
      await errands.run { await carryOut(body, in: program) }
    }
    @Sendable func perform(_ command: UserCommand) async -> RemoteCommandStatus {
      await attempt { _ = try await $0.carryOut(command) }
    }
    center.playCommand.addTarget { _ in await perform(.play(immediately: false)) }
    center.pauseCommand.addTarget { _ in await perform(.pause) }
    center.togglePlayPauseCommand.addTarget { _ in await perform(.playPause) }
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
    center.changeVolumeCommand.addTarget { await perform(.setVolume($0.volume * 100)) }
    center.changeFullscreenCommand.addTarget { await perform(.setFullscreen($0.isFullscreen)) }
    center.playQueueItemCommand.addTarget { event in
      await attempt { _ = try await $0.carryOut(.watch(entry: $0.index(of: event.id))) }
    }
    center.removeQueueItemCommand.addTarget { event in
      await attempt { _ = try await $0.carryOut(.dropEntry($0.index(of: event.id))) }
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
    // Nobody is there to answer a question.
    center.quitCommand.addTarget { _ in await attempt { await $0.emit(.userQuit) } }
  }

  /// Carries out a command. The user sees its error too, as for a key press.
  private static func carryOut(
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
