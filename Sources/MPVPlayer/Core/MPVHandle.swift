import CMPV
import Concurrency
import Dispatch
import Foundation
import Synchronization
import Timekeeping

/// An `mpv_handle` with its event thread.
///
/// libmpv is thread-safe except `mpv_wait_event`, which only the event thread calls. That thread also destroys the
/// handle, after `MPV_EVENT_SHUTDOWN`; a call after that fails with `MPV_ERROR_UNINITIALIZED` and has no effect.
final class MPVHandle: Sendable {
  /// libmpv's events, in order; finishes once the handle is destroyed.
  let events: AsyncStream<StampedEvent>
  /// Fulfilled once the handle is destroyed and the window is gone.
  let destroyed = OneShot<Void>()

  private let pointer: Mutex<Pointer?>
  private let continuation: AsyncStream<StampedEvent>.Continuation
  /// Free slots in ``events``. If there is none the thread waits, and libmpv holds events back (it merges changes of
  /// one property).
  private let slots = DispatchSemaphore(value: 0)
  private let abandonment = Abandonment()
  /// The files that commands write to, by the commands' numbers, until mpv has answered. mpv opens a file by the number
  /// of its descriptor, which must not belong to another file by then, such as the next film.
  private let outputs = Mutex<[UInt64: MemoryFile]>([:])
  /// The film's times on the party's timeline; nil if they are the same. mpv's events have the party's times.
  let timeline = Mutex<CopyTimeline?>(nil)
  /// The sources that aren't files or addresses.
  let sources = SourceStreams()
  /// The renderer for pictures in memory; nil unless they were requested.
  let renderer: FrameRenderer?
  /// The client name under which keys are bound to this player.
  let clientName: String
  /// The video outputs that the user's configuration names; nil if it leaves them to mpv.
  let configuredOutputs: String?
  /// mpv's `gpu-api` if the user's configuration leaves the choice of the window's graphics context (`gpu-context`) to
  /// mpv; nil otherwise.
  let openGraphicsAPI: String?
  /// The effects of the user's configuration, as far as mpv had reported them when the events began.
  let configurationReport: ConfigurationReport
  private static let capacity = 512
  private let waiting = Mutex(WaitingEvents())

  /// Creates and initialises the core; takes some milliseconds, because it reads the configuration.
  ///
  /// - Parameters:
  ///   - options: set in this order before the user's `mpv.conf` is read.
  ///   - report: an empty report about the configuration, which names a file that mpv reads with them.
  ///   - display: the display for windows; nil if there are none.
  ///   - rendersFrames: whether pictures are available in memory, with `vo=libmpv`.
  ///   - final: set again after that, without waiting for the answer, which comes as a reply of id 0.
  init(
    options: [MPVConfiguration.Option], report: ConfigurationReport = ConfigurationReport(),
    display: Display?, rendersFrames: Bool = false, final: [MPVConfiguration.Option]
  ) throws(MPVError) {
    // libmpv refuses to start with another locale: it parses numbers with C's functions.
    setlocale(LC_NUMERIC, "C")
    // If there is no device, the last output that mpv tries is SDL, which crashes (2.26) while PulseAudio has none: a
    // null pointer for the name of its default. With this variable SDL asks ALSA instead, unless the user has set
    // another driver.
    setenv("SDL_AUDIODRIVER", "alsa", 0)
    cmpv_silence_sound()
    guard let mpv = mpv_create() else { throw MPVError(.unavailable, "mpv_create") }
    do {
      if rendersFrames { FrameRenderer.chooseScalers(mpv) }
      configurationReport = try Self.setUp(mpv, options, report)
      try sources.register(with: mpv)
      let context = Self.string(mpv, MPVProperty.gpuContext)
      openGraphicsAPI =
        ["auto", ""].contains(context) ? Self.string(mpv, MPVProperty.gpuAPI) : nil
      if let display, let openGraphicsAPI {
        Self.confine(mpv, to: display, api: openGraphicsAPI)
      }
      renderer = rendersFrames ? try FrameRenderer(core: mpv) : nil
      clientName = String(cString: mpv_client_name(mpv))
      let outputs = Self.string(mpv, MPVProperty.vo)
      // Values that the player set itself aren't the user's choice.
      configuredOutputs = ["", "libmpv", "null"].contains(outputs) ? nil : outputs
      // In mpv's own order of outputs, `libmpv` comes before all but the first.
      if rendersFrames, let display, configuredOutputs == nil {
        try Self.set(mpv, .init(name: MPVProperty.vo, value: display.outputs))
      }
    } catch {
      mpv_terminate_destroy(mpv)
      throw error
    }
    let pointer = Pointer(raw: mpv)
    self.pointer = Mutex(pointer)
    (events, continuation) = AsyncStream.makeStream()
    for _ in 0..<Self.capacity { slots.signal() }
    continuation.onTermination = { [slots, abandonment] _ in
      abandonment.isOver.store(true, ordering: .relaxed)
      slots.signal()
    }
    for option in final { setProperty(option.name, .string(option.value), id: 0) }
    OwnedThread.start("mpv events") { self.loop(pointer.raw) }
  }

  private static func setUp(
    _ mpv: OpaquePointer, _ options: [MPVConfiguration.Option], _ report: ConfigurationReport
  ) throws(MPVError) -> ConfigurationReport {
    // Only verbose messages name the options that a configuration sets.
    try MPVError.check(mpv_request_log_messages(mpv, "v"), "mpv_request_log_messages")
    var report = report
    if let file = report.file { try set(mpv, .init(name: "include", value: file)) }
    for option in options { try set(mpv, option) }
    let status = mpv_initialize(mpv)
    read(mpv, into: &report)
    guard status >= 0 else { throw MPVError(.unavailable, "mpv_initialize", code: status) }
    if let failure = report.failure { throw failure }
    return report
  }

  /// Reads the waiting messages of the log. No other events matter before the first request.
  private static func read(_ mpv: OpaquePointer, into report: inout ConfigurationReport) {
    while let event = mpv_wait_event(mpv, 0)?.pointee, event.event_id != MPV_EVENT_NONE {
      let event = MPVEvent(event)
      if event == .idle { report.areScriptsLoaded = true }
      if case .logMessage(let level, let prefix, let text) = event {
        report.logged(text, level, prefix: prefix)
      }
    }
  }

  /// Limits mpv's choice of a graphics context to the display, if the user's configuration leaves the choice to mpv.
  private static func confine(_ mpv: OpaquePointer, to display: Display, api: String) {
    for contexts in display.graphicsContexts(api: api) {
      if mpv_set_property_string(mpv, MPVProperty.gpuContext, contexts) >= 0 { return }
    }
  }

  /// Reads a property.
  ///
  /// - Returns: an empty string for a property that this mpv doesn't have.
  private static func string(_ mpv: OpaquePointer, _ property: String) -> String {
    guard let value = mpv_get_property_string(mpv, property) else { return "" }
    defer { mpv_free(value) }
    return String(cString: value)
  }

  private static func set(
    _ mpv: OpaquePointer, _ option: MPVConfiguration.Option
  ) throws(MPVError) {
    let operation = "mpv_set_option_string"
    let status = mpv_set_option_string(mpv, option.name, option.value)
    guard status < 0 else { return }
    if status == MPV_ERROR_OPTION_NOT_FOUND.rawValue {
      if option.isOptional { return }
      throw MPVError(.unknownOption(name: option.name), operation, code: status)
    }
    throw MPVError(
      .badOptionValue(name: option.name, value: option.value), operation, code: status)
  }

  /// Requests a property; its value comes later, as a reply with this id.
  @discardableResult
  func getProperty(_ name: String, id: UInt64) -> CInt {
    call { mpv_get_property_async($0, id, name, MPV_FORMAT_NODE) }
  }

  @discardableResult
  func setProperty(_ name: String, _ value: MPVValue, id: UInt64) -> CInt {
    value.withNode { node in
      call { mpv_set_property_async($0, id, name, MPV_FORMAT_NODE, node) }
    }
  }

  /// Sends a command.
  ///
  /// - Precondition: the arguments are an array or a map; mpv refuses all else.
  @discardableResult
  func command(_ arguments: MPVValue, id: UInt64) -> CInt {
    assert(arguments.string == nil, "a command is a list")
    return arguments.withNode { node in call { mpv_command_node_async($0, id, node) } }
  }

  /// Runs a command that writes to a file. The file exists at least until mpv has carried out the command, even if
  /// no caller waits for that any more.
  func command(_ arguments: MPVValue, writingTo file: MemoryFile, id: UInt64) -> CInt {
    outputs.withLock { $0[id] = file }
    let code = command(arguments, id: id)
    // A command that mpv refuses gets no reply.
    if code < 0 { outputs.withLock { $0[id] = nil } }
    return code
  }

  @discardableResult
  func observeProperty(_ name: String, observer: UInt64) -> CInt {
    call { mpv_observe_property($0, observer, name, MPV_FORMAT_NODE) }
  }

  @discardableResult
  func unobserveProperty(observer: UInt64) -> CInt {
    call { mpv_unobserve_property($0, observer) }
  }

  /// Ends the pause now. ``events`` wait for a moment, so that their reader doesn't delay the sound.
  func play(id: UInt64) {
    waiting.withLock { $0.began(at: .now()) }
    setProperty(MPVProperty.pause, .flag(false), id: id)
  }

  /// Ends the verbose messages, which only the report about the configuration needs.
  func configurationReported() { _ = call { mpv_request_log_messages($0, "info") } }

  /// Asks the core to end; ``destroyed`` is fulfilled soon after.
  func quit() { command(.array([.string(MPVCommand.quit)]), id: 0) }

  /// Calls libmpv unless the handle is destroyed. None of the calls made here waits for the core; they only add to its
  /// queue.
  private func call(_ body: (OpaquePointer) -> CInt) -> CInt {
    pointer.withLock { pointer in
      guard let pointer else { return MPV_ERROR_UNINITIALIZED.rawValue }
      return body(pointer.raw)
    }
  }

  private func loop(_ mpv: OpaquePointer) {
    var isOver = false
    while !isOver {
      let patience = waiting.withLock { $0.patience(at: .now()) }
      guard let raw = mpv_wait_event(mpv, patience?.inSeconds ?? -1) else { continue }
      let now = HostTime.now()
      // libmpv reuses the memory of the event at the next call.
      let event = MPVEvent(raw.pointee, on: timeline.withLock { $0 })
      if case .reply(let id, _, _) = event { outputs.withLock { _ = $0.removeValue(forKey: id) } }
      let released = waiting.withLock { waiting in
        if event != .other { waiting.received(StampedEvent(event: event, hostTime: now)) }
        return waiting.released(at: now)
      }
      for event in released where !abandonment.isOver.load(ordering: .relaxed) {
        slots.wait()
        continuation.yield(event)
      }
      isOver = event == .shutdown
    }
    pointer.withLock { $0 = nil }
    // A blocked read would keep the core.
    sources.end()
    renderer?.stop()
    mpv_terminate_destroy(mpv)
    outputs.withLock { $0 = [:] }
    continuation.finish()
    destroyed.fulfil(())
  }

  /// Frees a slot after the reader of ``events`` has handled an event.
  func eventHandled() { slots.signal() }
}

/// `@unchecked Sendable`: `OpaquePointer` isn't `Sendable`, but any thread may use its target (`mpv/client.h`,
/// "Thread-safety").
private struct Pointer: @unchecked Sendable {
  let raw: OpaquePointer
}

/// A flag for the end of the reader of the events. Separate from the handle, which the flag must not keep alive.
private final class Abandonment: Sendable {
  let isOver = Atomic<Bool>(false)
}
