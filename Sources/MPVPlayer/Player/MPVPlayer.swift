import Concurrency
import FileNames
import Foundation
import Synchronization
import Timekeeping

/// A player: one libmpv core, with its window if it has one.
///
/// A coordinator commands its transport (``PlaybackControlDelegate``), or the program calls the same methods directly.
/// Its ``events`` report all changes, including foreign changes in mpv's window.
///
/// No call here waits inside libmpv: requests are asynchronous, and their answers come as events from a separate
/// thread. Another thread executes requests at exact instants.
package actor MPVPlayer {
  /// The player's events, for one reader. The newest 1024 are kept for it.
  package nonisolated let events: AsyncStream<PlayerEvent>

  nonisolated let handle: MPVHandle
  nonisolated let deadlines = DeadlineThread()
  let emitter: AsyncStream<PlayerEvent>.Continuation
  /// The settings with which the player was made, constant for its life.
  package nonisolated let configuration: MPVConfiguration

  // MARK: The core

  /// A closure that is called in order of the answers, before any event that comes after them is handled.
  typealias ReplyHandler = @Sendable (isolated MPVPlayer, MPVReply) -> Void
  /// A condition that is evaluated again after each event.
  typealias Condition = @Sendable (isolated MPVPlayer) -> Bool

  var requests = PendingRequests<ReplyHandler>()
  var observers = Observers()
  var lifecycle = Lifecycle()
  var tasks = OwnedTasks()

  // MARK: Playback

  var transport = TransportCommands<Condition>()
  var state = ReportedState()
  var known = KnownPosition()
  var attribution = ChangeAttribution()
  var film = FilmLoading()
  var filmEnd = FilmEnd()
  var limits = ForeignLimits()

  // MARK: Speed

  var speed = PlaybackSpeed()
  var delays = PlaybackDelays()
  var frames = FrameWatch()
  nonisolated let outputLatencyValue = Mutex(Duration.zero)

  // MARK: Sound and picture

  var sound = SoundOutput()
  var pictureOutput: PictureOutput
  var screenshots = ScreenshotReport()
  var overlays = Overlays()
  var smallWindow = PictureInPicture()

  /// Creates the core and starts it. Reads the user's mpv configuration, which takes some milliseconds.
  ///
  /// - Throws: ``MPVError/Reason/unknownOption(name:)`` or ``MPVError/Reason/badOptionValue(name:value:)`` for
  ///   an option in `configuration`, ``MPVError/Reason/unavailable`` if libmpv can't start.
  package init(configuration: MPVConfiguration) throws(MPVError) {
    self.configuration = configuration
    pictureOutput = PictureOutput(mode: configuration.video)
    let display = configuration.video == .window ? Display.current : nil
    let file = try MemoryFile(
      FileName.bytes(configuration.file(environment: ProcessInfo.processInfo.environment)))
    // mpv reads the file while it starts.
    defer { withExtendedLifetime(file) {} }
    handle = try MPVHandle(
      options: configuration.startOptions,
      report: ConfigurationReport(file: file.path, requiring: configuration.options),
      display: display,
      rendersFrames: configuration.video == .frames || configuration.offersFrames,
      final: configuration.finalOptions(hasDisplay: display != nil))
    (events, emitter) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    lifecycle.configurationReport = handle.configurationReport
    if configuration.video == .window, display == nil {
      emitter.yield(.windowUnavailable("no display"))
    }
    let (handle, emitter, deadlines) = (handle, emitter, deadlines)
    let areScriptsLoaded = handle.configurationReport.areScriptsLoaded
    for name in MPVProperty.observed { handle.observeProperty(name, observer: 0) }
    // The handle's stream owns the task: it ends when the handle is destroyed, which `deinit` requests.
    Task { [weak self] in
      if areScriptsLoaded { await self?.scriptsLoaded() }
      for await event in handle.events {
        await self?.received(event)
        handle.eventHandled()
      }
      deadlines.stop()
      emitter.finish()
    }
  }

  deinit {
    tasks.cancelAll()
    handle.quit()
    deadlines.stop()
  }

  /// Ends the core, closes the window, and returns once both are gone.
  package func shutDown() async {
    lifecycle.quitRequested()
    supersedeTransport()
    handle.quit()
    await handle.destroyed.certainValue()
  }

  /// Sets the identifier that commands must expect. The program calls this before it loads an item.
  package func setCurrentItemIdentifier(_ identifier: String?) {
    film.identified(identifier)
  }

  /// The current audio device; nil until there has been one.
  package var audioDevice: AudioDevice? { sound.device }

  /// The current destination of the picture.
  package var videoMode: MPVConfiguration.VideoMode { pictureOutput.mode }

  /// Returns the player's state without asking mpv.
  package func snapshot() -> PlayerSnapshot {
    var snapshot = state.values
    snapshot.isSeekable = canSeek
    snapshot.rate = speed.rate
    snapshot.handsOutFrames = pictureOutput.mode == .frames
    snapshot.isFullscreen = pictureOutput.coversScreen
    snapshot.nudge = speed.nudge * speed.catchUp
    snapshot.startLatency = startLatency + max(outputLatency, .zero)
    snapshot.speedChangeLatency = speedChangeLatency
    snapshot.isSettling = tasks.hasTask(.settling)
    snapshot.itemTime = extrapolatedItemTime(at: .now())
    return snapshot
  }
}

/// The start of a core, with the user's configuration, and its end: requested by the program, or by the user in mpv's
/// window.
struct Lifecycle: Hashable, Sendable {
  /// The report about the configuration; nil once it is complete.
  var configurationReport: ConfigurationReport?
  private(set) var isShutDown = false
  private var isQuitting = false

  /// The program asked the core to end.
  mutating func quitRequested() { isQuitting = true }

  /// The core has ended.
  ///
  /// - Returns: whether the user ended it.
  mutating func wasShutDown() -> Bool {
    isShutDown = true
    return !isQuitting
  }
}
