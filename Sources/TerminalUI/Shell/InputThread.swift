import CTerminalGuard
import Concurrency
import Glibc
import Synchronization
import Timekeeping

/// A thread that waits for the keyboard, for signals and for output of libraries, all in one `poll` that costs nothing
/// while nothing arrives. It never waits for the terminal to take output, so that it can end the process even when the
/// screen hangs.
final class InputThread: Sendable {
  enum Report: Hashable, Sendable {
    case events([InputEvent])
    case resized
    /// The process received SIGTSTP.
    case stopRequested
    case continued
    case terminate(signal: Int32)
    /// Lines that some part of the process printed.
    case printed([String])

    var isSignal: Bool {
      switch self {
      case .events, .printed: false
      case .resized, .stopRequested, .continued, .terminate: true
      }
    }
  }

  /// The time to wait for the rest of an escape sequence: over a network its pieces arrive apart.
  static let escapeDelay = Duration.milliseconds(50)
  static let pasteDelay = Duration.seconds(1)

  private let keyboard: CInt
  private let captured: CInt
  private let signals: Pipe
  private let wake: Pipe
  private let report: @Sendable (Report) -> Void
  private let answered: @Sendable (InputEvent) -> Void
  private let exitLimit: Duration
  private let isReading = Atomic<Bool>(true)
  private let isStopping = Atomic<Bool>(false)
  private let ended = ThreadFlag()

  /// Takes over the signals.
  ///
  /// - Parameters:
  ///   - answered: receives answers that another thread may wait for. Called on this thread; must return at once.
  ///   - report: receives all other input. Called on this thread; must return at once.
  init(
    keyboard: CInt, captured: CInt, exitLimit: Duration,
    answered: @escaping @Sendable (InputEvent) -> Void,
    report: @escaping @Sendable (Report) -> Void
  ) throws(TerminalError) {
    self.keyboard = keyboard
    self.captured = captured
    self.exitLimit = exitLimit
    self.report = report
    self.answered = answered
    signals = try Pipe()
    do {
      wake = try Pipe()
    } catch {
      signals.close()
      throw error
    }
    terminal_guard_watch(signals.writing)
  }

  func start() throws(TerminalError) {
    try TerminalError.withThread("matinee-input") { [self] in
      run()
      ended.set()
    }
  }

  /// Sets whether the keyboard is read: in the background, reading it would stop the process.
  func setReading(_ reads: Bool) {
    isReading.store(reads, ordering: .sequentiallyConsistent)
    rouse()
  }

  /// Restores the signals, and returns once the thread has read its last byte.
  func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    rouse()
    ended.wait()
    discard()
  }

  /// Restores the signals like ``stop()``, if the thread never started.
  func discard() {
    terminal_guard_unwatch()
    signals.close()
    wake.close()
  }

  private func rouse() {
    var byte: UInt8 = 0
    // A full pipe wakes the thread as well.
    _ = write(wake.writing, &byte, 1)
  }

  private func run() {
    terminal_guard_listen()
    var parser = KeyParser()
    var lines = LineCollector()
    var rule = ExitRule(limit: exitLimit)
    var isKeyboardGone = false
    var silence: HostTime?
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      let listens = !isKeyboardGone && isReading.load(ordering: .sequentiallyConsistent)
      var polls = [
        pollfd(fd: listens ? keyboard : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: captured, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      ]
      let status = poll(
        &polls, nfds_t(polls.count), Self.milliseconds(until: silence, rule.deadline))
      precondition(status >= 0 || errno == EINTR, "poll: errno \(errno)")
      guard status >= 0 else { continue }

      if polls[1].revents != 0 { readSignals(&rule) }
      if polls[2].revents != 0 { readPrinted(&lines) }
      if polls[3].revents != 0 { _ = Self.read(wake.reading) }
      if polls[0].revents != 0 {
        if let bytes = Self.read(keyboard) {
          received(parser.feed(bytes), &rule)
          silence = Self.silence(parser)
        } else {
          // The terminal is gone: a hang-up whose signal may never come.
          isKeyboardGone = true
          perform(rule.received(SIGHUP, at: .now()))
        }
      } else if let end = silence, HostTime.now() >= end {
        received(parser.timeOut(), &rule)
        silence = nil
      }
      perform(rule.checkDeadline(at: .now()))
    }
    readPrinted(&lines)
    if let last = lines.finish() { report(.printed([last])) }
  }

  private static func silence(_ parser: KeyParser) -> HostTime? {
    switch parser.patience {
    case nil: nil
    case .short: HostTime.now() + escapeDelay
    case .long: HostTime.now() + pasteDelay
    }
  }

  private static func milliseconds(until times: HostTime?...) -> CInt {
    guard let next = times.compactMap({ $0 }).min() else { return -1 }
    // Rounded up, so that the time has passed when poll returns.
    return CInt(min(max(0, (next - .now()).inMilliseconds.rounded(.up)), 60_000))
  }

  /// Returns the available bytes, possibly none; nil at the end.
  private static func read(_ fd: CInt) -> [UInt8]? {
    let capacity = 4096
    var failure: CInt = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let status = Glibc.read(fd, buffer.baseAddress, capacity)
      failure = status < 0 ? errno : status == 0 ? -1 : 0
      count = max(0, status)
    }
    return failure == 0 || failure == EINTR || failure == EAGAIN ? bytes : nil
  }

  private func readSignals(_ rule: inout ExitRule) {
    for number in Self.read(signals.reading) ?? [] {
      switch CInt(number) {
      case SIGWINCH: report(.resized)
      case SIGTSTP: report(.stopRequested)
      case SIGCONT: report(.continued)
      default: perform(rule.received(CInt(number), at: .now()))
      }
    }
  }

  private func received(_ events: [InputEvent], _ rule: inout ExitRule) {
    // Answers bypass the screen, which may be busy: pictures continue meanwhile.
    for event in events where event.isAwaited { answered(event) }
    let events = events.filter { !$0.isAwaited }
    guard !events.isEmpty else { return }
    report(.events(events))
    for event in events where event == .key(KeyPress(.character("c"), .control)) {
      perform(rule.pressedInterrupt(signal: SIGINT, at: .now()))
    }
  }

  private func readPrinted(_ lines: inout LineCollector) {
    // Output without end must not delay the keyboard.
    for _ in 0..<16 {
      guard terminal_guard_begin_taking() else { return }
      defer { terminal_guard_end_taking() }
      guard let bytes = Self.read(captured), !bytes.isEmpty else { return }
      let complete = lines.feed(bytes)
      guard !complete.isEmpty else { continue }
      for line in complete {
        var line = line + "\n"
        line.withUTF8 { text in
          text.withMemoryRebound(to: CChar.self) { terminal_guard_keep($0.baseAddress, $0.count) }
        }
      }
      report(.printed(complete))
    }
  }

  private func perform(_ action: ExitRule.Action) {
    switch action {
    case .ignore: break
    case .ask(let signal): report(.terminate(signal: signal))
    case .die(let signal): terminal_guard_die(signal)
    }
  }
}

extension InputEvent {
  /// A Boolean value that indicates whether another thread may wait for the event.
  fileprivate var isAwaited: Bool { self == .status || self == .attributes }
}
