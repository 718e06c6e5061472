import CMPV
import Concurrency
import PlaybackCoordination
import Synchronization
import Timekeeping

/// A player: one libmpv core, with its window if it has one.
///
/// A coordinator commands its transport (``PlaybackControlDelegate``), or the program calls the same methods directly.
/// Its ``events`` report all changes, including foreign changes in mpv's window.
///
/// No call here waits inside libmpv: requests are asynchronous, and their answers come as events from a separate
/// thread. Another thread executes requests at exact instants.
public actor MPVPlayer {
  /// The player's events, for one reader. The newest 1024 are kept for it.
  public nonisolated let events: AsyncStream<PlayerEvent>

  nonisolated let handle: MPVHandle
  nonisolated let deadlines = DeadlineThread()
  let emitter: AsyncStream<PlayerEvent>.Continuation
  public nonisolated let configuration: MPVConfiguration
  var unwanted = UnwantedEntries()
  /// The user's own values of the options that a foreign film changes; nil while the own values are in use.
  var ownOptions: [String: MPVValue]?

  // MARK: Requests

  struct Reply: Sendable {
    var code: CInt
    var value: MPVValue
    var hostTime: HostTime
  }

  /// A closure that is called in order of the answers, before any event that comes after them is handled.
  typealias ReplyHandler = @Sendable (isolated MPVPlayer, Reply) -> Void

  private var replyHandlers: [UInt64: ReplyHandler] = [:]
  /// The last number of a request or an observer; zero is for requests without a reader.
  private var lastRequest: UInt64 = 0

  // MARK: Waiting

  enum WaitOutcome: Hashable, Sendable { case met, superseded, timedOut, unloaded }

  struct Waiter {
    /// The transport command that waits; see ``transportSerial``.
    let serial: UInt64
    let condition: @Sendable (isolated MPVPlayer) -> Bool
    let outcome: OneShot<WaitOutcome>
  }

  var waiters: [UInt64: Waiter] = [:]
  /// The number of transport commands so far; a command with a lower serial has been superseded.
  var transportSerial: UInt64 = 0

  // MARK: State

  var state = PlayerSnapshot()
  var attribution = ChangeAttribution()
  var latencies = LearnedLatencies()
  var item = ItemState()
  /// The overlays, the window's shape, and the overlays that mpv last received.
  var lines: [PictureLine] = []
  var text = WindowText()
  var window = WindowShape()
  var drawn: [Int64: DrawnOverlay] = [:]
  /// The mouse's observer; nil while the mouse isn't followed.
  var pointerObserver: UInt64?
  /// The window's state before it became small; nil while it isn't.
  var beforePictureInPicture: WindowPlace?
  /// The spelling of the outputs when the window was last opened again.
  var hasRepeatedOutput = false
  var sound = SoundLoss()
  nonisolated let outputLatencyValue = Mutex(Duration.zero)
  /// The current audio device; nil until there has been one.
  public internal(set) var audioDevice: AudioDevice?
  /// mpv's `audio-device`.
  var chosenAudioDevice: String?
  var lookedForAudioDevice: (choice: String?, output: String)?
  var load: PendingLoad?
  /// The container's format, as mpv names it.
  var fileFormat: String?
  /// The last known position of playback, for extrapolation.
  var anchor: PlayerPosition?
  var currentItemIdentifier: String?
  var isShutDown = false
  var isQuitting = false

  // MARK: Speed

  var commandedRate = 1.0
  var nudge = 1.0
  /// mpv's last `cache-buffering-state`, which is 100 while playback doesn't wait for data.
  var cacheBufferingState: Int?
  /// The part of the speed with which a play command makes up for missed time.
  var catchUp = 1.0
  var speedChanges = SpeedChanges()
  /// The position after an exact seek of the player's own, while it is still paused there.
  var primed: PrimedPlace?
  /// A scheduled change whose instant has not come.
  var scheduledSpeed: DeadlineThread.Token?
  /// A Boolean value that indicates whether the scheduled change only ends a catch-up.
  var isCatchUpEnding = false
  /// The last start that was scheduled for an instant, and the number of its answer.
  var scheduledStart: (timer: DeadlineThread.Token, answer: UInt64)?

  // MARK: Owned work

  /// The task after a play command has returned, which checks that the player is on the line.
  private(set) var settling: Task<Void, Never>?
  private var settlingNumber = 0
  /// The number of consecutive checks that found the player off the line.
  var settlings = 0
  private var ticking: Task<Void, Never>?
  var doubting: Task<Void, Never>?
  /// The search for a device while the sound is lost.
  var lookingForSound: Task<Void, Never>?
  var lookingForAudioDevice: Task<Void, Never>?
  /// The delayed report of the film's end, until the end is perceived.
  var tellingEnd: Task<Void, Never>?
  /// The transport command after which ``PlayerEvent/ended(at:isEarly:)`` was sent without mpv's saying so.
  var reportedEnd: UInt64?
  /// The observer of the frames of a film without sound; nil while they aren't watched. See
  /// ``framePosition(minimumCount:)``.
  var frameObserver: UInt64?
  var frameClock = FrameClock()
  /// The number of watched frames.
  var framesSeen: UInt64 = 0
  /// The observer of the position while paused.
  var standingObserver: UInt64?
  var recentErrors: [String] = []
  /// The path of the next screenshot, for its caller.
  var screenshotWritten: OneShot<String?>?
  /// A Boolean value that indicates whether the output is `vo=null` because a window could not be opened.
  var hasNoWindow = false
  /// The end of a file until its reason is known.
  var postponed: (end: MPVEvent.EndOfFile, read: OneShot<Void>)?
  /// A Boolean value that indicates whether the file that needed a window was opened again without it.
  var hasOpenedWithoutWindow = false
  var isTempoFilterInstalled = false
  /// A Boolean value that indicates whether the picture is made of several.
  var hasGrid = false
  /// mpv's `fullscreen`, with a window or without.
  var isFullscreen = false
  /// The current destination of the picture.
  public internal(set) var videoMode: MPVConfiguration.VideoMode
  /// A Boolean value that indicates whether films are loaded with the filter that nudges need; see
  /// ``setExpectsNudges(_:)``.
  var expectsNudges = true

  /// Creates the core and starts it. Reads the user's mpv configuration, which takes some milliseconds.
  ///
  /// - Throws: ``MPVError/Reason/unknownOption(name:)`` or ``MPVError/Reason/badOptionValue(name:value:)`` for
  ///   an option in `configuration`, ``MPVError/Reason/unavailable`` if libmpv can't start.
  public init(configuration: MPVConfiguration) throws(MPVError) {
    self.configuration = configuration
    videoMode = configuration.video
    let display = configuration.video == .window ? Display.current : nil
    let file =
      configuration.isSecondary ? try MemoryFile(Array(configuration.secondaryFile.utf8)) : nil
    // mpv reads the file while it starts.
    defer { withExtendedLifetime(file) {} }
    handle = try MPVHandle(
      options: configuration.startOptions(include: file?.path), display: display,
      rendersFrames: configuration.video == .frames || configuration.offersFrames,
      final: configuration.essentials(hasDisplay: display != nil) + configuration.repeatableOptions)
    (events, emitter) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    if configuration.video == .window, display == nil {
      emitter.yield(.windowUnavailable("no display"))
    }
    let (handle, emitter, deadlines) = (handle, emitter, deadlines)
    for name in MPVProperty.observed { handle.observeProperty(name, observer: 0) }
    // The handle's stream owns the task: it ends when the handle is destroyed, which `deinit` requests.
    Task { [weak self] in
      for await event in handle.events {
        await self?.handle(event)
        handle.eventHandled()
      }
      deadlines.stop()
      emitter.finish()
    }
  }

  deinit {
    settling?.cancel()
    ticking?.cancel()
    doubting?.cancel()
    lookingForSound?.cancel()
    lookingForAudioDevice?.cancel()
    tellingEnd?.cancel()
    handle.quit()
    deadlines.stop()
  }

  /// Ends the core, closes the window, and returns once both are gone.
  public func shutDown() async {
    isQuitting = true
    supersedeTransport()
    handle.quit()
    await handle.destroyed.certainValue()
  }

  /// Sets the identifier that commands must expect. The program calls this before it loads an item.
  public func setCurrentItemIdentifier(_ identifier: String?) {
    currentItemIdentifier = identifier
  }

  /// Returns the player's state without asking mpv.
  public func snapshot() -> PlayerSnapshot {
    var snapshot = state
    snapshot.rate = commandedRate
    snapshot.handsOutFrames = videoMode == .frames
    snapshot.isFullscreen = videoMode == .window && !hasNoWindow ? isFullscreen : nil
    snapshot.nudge = nudge * catchUp
    snapshot.startLatency = startLatency + max(outputLatency, .zero)
    snapshot.speedChangeLatency = speedChangeLatency
    snapshot.isSettling = settling != nil
    snapshot.itemTime = extrapolatedItemTime(at: .now())
    return snapshot
  }

  // MARK: Requests

  /// Sends a request and calls `handler` with its answer, exactly once.
  func request(
    _ send: (MPVHandle, UInt64) -> CInt, then handler: @escaping ReplyHandler
  ) {
    let id = expectReply(handler)
    // A core that is ending still takes requests, but answers none.
    let code = isShutDown ? MPV_ERROR_UNINITIALIZED.rawValue : send(handle, id)
    if code < 0 { reply(id: id, Reply(code: code, value: .none, hostTime: .now())) }
  }

  /// Returns a number for a request that is sent later by other code, for example at an exact instant.
  func expectReply(_ handler: @escaping ReplyHandler) -> UInt64 {
    lastRequest += 1
    replyHandlers[lastRequest] = handler
    return lastRequest
  }

  func isExpected(_ id: UInt64) -> Bool { replyHandlers[id] != nil }

  func forgetReply(_ id: UInt64) { replyHandlers[id] = nil }

  func makeObserver() -> UInt64 {
    lastRequest += 1
    return lastRequest
  }

  private func reply(id: UInt64, _ reply: Reply) {
    replyHandlers.removeValue(forKey: id)?(self, reply)
  }

  /// Sends a request and waits for its answer.
  func answer(
    _ operation: String, _ send: (MPVHandle, UInt64) -> CInt,
    first: ReplyHandler? = nil
  ) async throws(MPVError) -> Reply {
    let oneShot = OneShot<Reply>()
    request(send) { player, reply in
      first?(player, reply)
      oneShot.fulfil(reply)
    }
    guard let reply = await oneShot.value() else { throw MPVError(.superseded, operation) }
    guard reply.code >= 0 else {
      throw MPVError(isShutDown ? .shutDown : .call, operation, code: reply.code)
    }
    return reply
  }

  func get(_ name: String) async throws(MPVError) -> Reply {
    try await answer("get \(name)", { $0.getProperty(name, id: $1) })
  }

  func set(_ name: String, _ value: MPVValue) async throws(MPVError) {
    _ = try await answer("set \(name)", { $0.setProperty(name, value, id: $1) })
  }

  /// Runs a command and returns its result.
  @discardableResult
  func command(_ arguments: MPVValue...) async throws(MPVError) -> MPVValue {
    let name = arguments.first?.string ?? ""
    return try await answer(name, { $0.command(.array(arguments), id: $1) }).value
  }

  // MARK: Events

  private func handle(_ stamped: StampedEvent) {
    switch stamped.event {
    case .reply(let id, let code, let value):
      reply(id: id, Reply(code: code, value: value, hostTime: stamped.hostTime))
    case .propertyChange(let name, let value, let observer):
      if observer == 0 {
        propertyChanged(name, value, at: stamped.hostTime)
      } else if observer == pointerObserver {
        pointerMoved(value)
      } else if observer == standingObserver {
        standingPlaceChanged(value)
      } else if observer == frameObserver, let seconds = value.double {
        frameHandedOver(MediaTime(seconds: seconds), at: stamped.hostTime)
      }
    case .startFile(let entryID): fileStarted(entryID)
    case .fileLoaded: fileLoaded()
    case .endFile(let end): fileEnded(end)
    case .seek: seekBegan(at: stamped.hostTime)
    case .playbackRestart: playbackRestarted()
    case .logMessage(let level, _, let text): logged(text, level)
    case .clientMessage(let message):
      if let key = WindowKey(message: message) { emitter.yield(.windowKey(key)) }
    case .shutdown: wasShutDown()
    case .other: break
    }
    if !isMoving { stopWatchingFrames() }
    wakeWaiters()
    updateTicking()
  }

  // MARK: Settling

  func settle(_ body: @escaping @Sendable (isolated MPVPlayer) async -> Void) {
    settling?.cancel()
    settlingNumber += 1
    let number = settlingNumber
    settling = Task { [weak self] in
      await self?.run(body)
      await self?.settled(number)
    }
  }

  private func run(_ body: @Sendable (isolated MPVPlayer) async -> Void) async { await body(self) }

  private func settled(_ number: Int) {
    if number == settlingNumber { settling = nil }
  }

  func stopSettling() {
    settling?.cancel()
    settling = nil
  }

  private func wasShutDown() {
    if !isQuitting { emitter.yield(.userQuit) }
    isShutDown = true
    load?.outcome.fulfil(.failure(MPVError(.shutDown, load?.location ?? "")))
    load = nil
    for (id, _) in replyHandlers {
      reply(
        id: id,
        Reply(code: MPV_ERROR_UNINITIALIZED.rawValue, value: .none, hostTime: .now()))
    }
    item = ItemState()
    state.isLoaded = false
    stopSettling()
    doubting?.cancel()
    lookingForSound?.cancel()
    lookingForAudioDevice?.cancel()
    tellingEnd?.cancel()
    unloadWaiters()
    emitter.yield(.shutdown)
  }

  /// Starts or stops a measurement each second: it runs while the picture moves, and without movement there is no
  /// timer.
  private func updateTicking() {
    guard isMoving else {
      ticking?.cancel()
      ticking = nil
      return
    }
    guard ticking == nil else { return }
    ticking = Task { [weak self] in
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(100)) } catch {
          return
        }
        guard let self else { return }
        await self.tick()
      }
    }
  }

  private func tick() async {
    guard let position = await position() else { return }
    emitter.yield(.position(position))
  }
}

/// The position at which picture and sound both begin when playback continues.
struct PrimedPlace: Hashable, Sendable {
  let itemTime: MediaTime
  /// The speed for which the sound was made.
  let speed: Double
}

/// The known state of the file in the player.
struct ItemState {
  var entryID: Int64?
  /// A Boolean value that indicates whether the file came through
  /// ``MPVPlayer/load(_:startingAt:liveStart:paused:isForeign:angles:)``.
  var isOwn = false
  /// The request for the file, to repeat it without a window.
  var request: PendingLoad?
  var isLive: Bool { request?.liveStart != nil }
  /// The time by which exact seeks begin to read before their targets.
  var seekOffset = Duration.zero
  /// A Boolean value that indicates whether mpv has opened the file.
  var isLoaded = false
  /// A Boolean value that indicates whether the first frame has appeared.
  var hasStarted = false
  /// A Boolean value that indicates whether mpv fetches no more for now, because it has enough.
  var isCacheFull = false
  /// A Boolean value that indicates whether ``PlayerEvent/connectionLost`` was sent.
  var isLost = false
  /// The end of the buffered data in the last event.
  var toldBuffered: MediaTime?
}

struct PendingLoad {
  let location: String
  /// The identifier of the coordinator's item at the request.
  let identifier: String?
  let start: MediaTime
  let liveStart: Int?
  /// A Boolean value that indicates whether a peer named the location.
  let isForeign: Bool
  /// Other films that are shown beside this one.
  let angles: [String]
  /// mpv's number of the entry; nil until mpv has answered.
  var entryID: Int64?
  let outcome: OneShot<Result<Void, MPVError>>
}
