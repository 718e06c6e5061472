import CNCurses
import CTerminalGuard
import Concurrency
import Glibc
import Screening
import Synchronization
import TerminalVideo
import Timekeeping

/// The terminal, as a screen that shows ``ScreenModel`` values and reports the user's requests to a ``ScreenOwner``.
///
/// A process has one at a time. While it is open, nothing else may write to the terminal: standard output and standard
/// error lead to ``printedLines`` instead. The terminal is restored by ``close()``, by `exit`, by any signal that ends
/// the process except SIGKILL, which can't be handled, and by a crash.
///
/// All its work happens on a thread of its own. Nothing runs and nothing is sent while nothing changes.
package actor TerminalScreen {
  /// The options of a screen.
  package struct Configuration: Hashable, Sendable {
    /// The time that the application has to leave after ``ScreenCommand/terminate(signal:)`` before the process is ended.
    package var orderlyExitLimit: Duration
    /// The shortest time between two updates. Models that come faster are shown together.
    package var shortestFrame: Duration
    /// The kind of the film's picture; nil for the best that the terminal has.
    package var blocks: PictureQuality.Blocks?
    /// The colours of that picture; nil for as many as the terminal has.
    package var colors: PictureQuality.Colors?
    /// The notice that the user gets when a participant mentions their name.
    package var notice: Notice
    /// The motion of the participants' reactions.
    package var reactions: Reaction.Motion
    /// The user's own keys.
    package var keyBindings: KeyBindings
    /// The colours of the screen.
    package var theme: Theme

    /// A notice outside the screen.
    package enum Notice: String, Hashable, Sendable, CaseIterable {
      /// No notice.
      case off
      /// The terminal's bell.
      case bell
      /// A notification of the desktop, if the terminal passes it on (OSC 9).
      case desktop
    }

    package init(
      orderlyExitLimit: Duration = .seconds(5), shortestFrame: Duration = .milliseconds(33),
      blocks: PictureQuality.Blocks? = nil, colors: PictureQuality.Colors? = nil,
      notice: Notice = .off, reactions: Reaction.Motion = .rise,
      keyBindings: KeyBindings = KeyBindings(), theme: Theme = .standard
    ) {
      self.notice = notice
      self.reactions = reactions
      self.keyBindings = keyBindings
      self.theme = theme
      self.orderlyExitLimit = orderlyExitLimit
      self.shortestFrame = shortestFrame
      self.blocks = blocks
      self.colors = colors
    }
  }

  /// The output of all other parts of the process, line by line, cleaned. Holds the newest 256; ends with ``close()``.
  /// For one consumer.
  package nonisolated let printedLines: AsyncStream<String>

  /// The film's picture in the pane, while ``ScreenModel/picture`` isn't nil.
  package nonisolated let picture: PictureSurface

  /// A Boolean value that indicates whether a screen is open: two of them would conflict over the one terminal.
  private static let isOpen = Mutex(false)

  private nonisolated let owner: OwnerThread
  private nonisolated let application: any ScreenOwner
  private nonisolated let printedContinuation: AsyncStream<String>.Continuation
  private let configuration: Configuration

  /// The parts that exist while the screen is open.
  private struct Parts {
    var display: CursesDisplay
    let modes: TerminalModes
    let streams: StandardStreams
    let input: InputThread
    let settings: termios
  }

  private var parts: Parts?
  private var model = ScreenModel()
  private var machine: InputMachine
  private var host = MachineHost<InputMachine>()
  private var copying = ClipboardCopy()
  private let inks: [UInt8]
  /// The size of a cell by the terminal's own answer.
  private var answeredCell: CellSize?
  /// A Boolean value that indicates whether the shell has the terminal.
  private var isAway = false
  private var lastDrawn: HostTime?
  private var shownTitle: TerminalText?
  /// Draws after the shortest frame.
  private var drawSetting = AlarmSetting()
  private let drawAlarm = Alarm()
  /// Draws when the screen changes without input.
  private let changeAlarm = Alarm()

  /// The screen's own thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    owner.asUnownedSerialExecutor()
  }

  private init(
    _ configuration: Configuration, for application: any ScreenOwner, owner: OwnerThread
  ) {
    self.application = application
    self.configuration = configuration
    self.owner = owner
    inks = configuration.theme.inks
    machine = InputMachine(keyMap: .standard.applying(configuration.keyBindings))
    machine.state.reactions.motion = configuration.reactions
    picture = PictureSurface(
      PictureChoice(
        blocks: configuration.blocks, colors: configuration.colors ?? .indexed,
        isRemote: TerminalEnvironment.isRemote),
      throughTmux: TerminalEnvironment.isTmux)
    (printedLines, printedContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(256))
  }

  /// Takes the terminal and shows an empty screen on it. Close it when done: until then it stays in memory.
  ///
  /// - Throws: ``TerminalError/notATerminal``, ``TerminalError/unknownTerminal(_:)``,
  ///   ``TerminalError/incapableTerminal(_:)``, ``TerminalError/alreadyOpen``, or
  ///   ``TerminalError/system(operation:code:)``; then the terminal is unchanged.
  package static func open(
    _ configuration: Configuration = Configuration(), for application: any ScreenOwner
  ) async throws(TerminalError) -> TerminalScreen {
    let isFirst = isOpen.withLock { isOpen in
      defer { isOpen = true }
      return !isOpen
    }
    guard isFirst else { throw .alreadyOpen }
    let owner = OwnerThread()
    do {
      try owner.start(name: "matinee-screen")
    } catch {
      isOpen.withLock { $0 = false }
      throw error
    }
    let screen = TerminalScreen(configuration, for: application, owner: owner)
    do {
      try await screen.begin()
    } catch {
      isOpen.withLock { $0 = false }
      throw error
    }
    return screen
  }

  /// Shows `model`: at once, or together with later models within the shortest frame.
  package func render(_ model: ScreenModel) {
    guard model != self.model else { return }
    let effects = machine.modelChanged(
      from: self.model, to: model, size: parts?.display.size ?? .smallest, at: .now())
    let isCovered = machine.state.covers(model, after: self.model)
    self.model = model
    // Strokes appear at once with the picture, independently of the rest.
    drawSketch()
    picture.setStill(model.transport.status.isStill)
    if !isCovered { needsDrawing() }
    perform(effects)
  }

  /// Restores the terminal and ends ``printedLines``. Further calls do nothing.
  package func close() {
    guard let parts else { return }
    drawAlarm.perform(drawSetting.set(for: nil)) { _ in }
    changeAlarm.perform(host.cancelAlarm()) { _ in }
    if !isAway { leaveTerminal() }
    picture.attach(terminal: -1)
    self.parts = nil
    parts.streams.restore()
    parts.input.stop()
    parts.display.free()
    parts.streams.close()
    application.screenClosed()
    printedContinuation.finish()
    Self.isOpen.withLock { $0 = false }
  }

  /// The thread serves calls after ``close()`` too: they have nothing to do, but they return.
  deinit { owner.stop() }
}

// Taking and restoring the terminal.
extension TerminalScreen {
  private func begin() throws(TerminalError) {
    let environment = try TerminalEnvironment.detect()
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw .system(operation: "tcgetattr", code: errno)
    }
    let streams = try StandardStreams()
    let input: InputThread
    do {
      // Before ncurses, which doesn't change signals that are handled already.
      input = try InputThread(
        keyboard: STDIN_FILENO, captured: streams.captured,
        exitLimit: configuration.orderlyExitLimit,
        answered: { [picture] answer in picture.received(answer) }
      ) { [self] report in
        // Keys and printed lines are lost while the screen hangs; signals aren't.
        owner.perform(isEssential: report.isSignal) { self.assumeIsolated { $0.received(report) } }
      }
    } catch {
      streams.close()
      throw error
    }
    let modes = TerminalModes(environment: environment)
    Self.armGuard(of: streams.terminal, settings, modes)
    do {
      let display = try CursesDisplay(
        environment: environment, theme: configuration.theme, terminal: streams.terminal)
      terminal_guard_add_writer(display.descriptor)
      streams.redirect()
      parts = Parts(
        display: display, modes: modes, streams: streams, input: input, settings: settings)
      try input.start()
      picture.attach(terminal: streams.terminal)
    } catch {
      terminal_guard_disarm()
      if let parts {
        parts.display.leave()
        parts.display.free()
        self.parts = nil
        streams.restore()
      }
      input.discard()
      streams.close()
      throw error
    }
    write(modes.enter)
    copying.answersQuestions = environment.answersQuestions
    copying.isReadable = environment.clipboardIsReadable
    if configuration.colors == nil, environment.pictureColors == .direct {
      picture.setColors(.direct)
    }
    if environment.answersQuestions { ask(environment) }
    // Draws all of the screen, over anything that a terminal printed instead of answering.
    draw()
  }

  /// Asks the terminal about its abilities. Nothing waits for the answers: the screen changes when they come.
  private func ask(_ environment: TerminalEnvironment) {
    guard let parts else { return }
    let asksPixels =
      environment.mayBeAskedAboutPixels || TerminalEnvironment.isTmux
      || configuration.blocks?.isPixels ?? false
    var questions: [UInt8] = []
    if configuration.colors == nil, environment.pictureColors != .direct {
      questions += TerminalModes.colorQuestion
    }
    if parts.display.hasFewColors { questions += TerminalModes.backgroundQuestion }
    if asksPixels, parts.display.cell == nil { questions += TerminalModes.cellQuestion }
    if asksPixels { questions += TerminalModes.versionQuestion + TerminalModes.sixelQuestion }
    guard asksPixels || !questions.isEmpty else { return }
    picture.ask(
      pixels: asksPixels, questions + TerminalModes.lastQuestion, on: parts.streams.terminal)
  }

  private static func armGuard(of terminal: CInt, _ settings: termios, _ modes: TerminalModes) {
    var settings = settings
    modes.reset.withUnsafeBytes { bytes in
      terminal_guard_arm(
        terminal, &settings, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
    }
  }

  private func leaveTerminal() {
    guard let parts else { return }
    picture.leave()
    write(parts.modes.leave)
    parts.display.leave()
    write(parts.modes.exitSequence)
    terminal_guard_disarm()
    isAway = true
  }

  private func enterTerminal() {
    guard var parts else { return }
    Self.armGuard(of: parts.streams.terminal, parts.settings, parts.modes)
    terminal_guard_add_writer(parts.display.descriptor)
    parts.display.enter()
    self.parts = parts
    write(parts.modes.enter)
    isAway = false
    shownTitle = nil
    draw()
  }

  /// Gives the terminal to the shell, until it continues this process.
  private func suspend() {
    guard let parts, !isAway else { return }
    // At this point the terminal's answers are still being read.
    picture.leave()
    parts.input.setReading(false)
    leaveTerminal()
    terminal_guard_stop()
    returnFromShell()
  }

  private func returnFromShell() {
    guard let parts, isAway else { return }
    // In the background the film continues, without a screen, until the shell returns the terminal. It sends SIGCONT
    // then.
    guard tcgetpgrp(parts.streams.terminal) == getpgrp() else { return }
    enterTerminal()
    parts.input.setReading(true)
  }

  /// Writes bytes that bypass ncurses.
  private func write(_ bytes: [UInt8]) {
    guard let terminal = parts?.streams.terminal else { return }
    picture.write(bytes, to: terminal)
  }
}

// Input.
extension TerminalScreen {
  private func received(_ report: InputThread.Report) {
    guard parts != nil else {
      // Printed while closing.
      if case .printed(let lines) = report { lines.forEach { printedContinuation.yield($0) } }
      return
    }
    switch report {
    case .events(let events): for event in events { handle(event) }
    case .resized:
      guard !isAway else { return }
      parts?.display.resize()
      perform(machine.resized(to: parts?.display.size ?? .smallest, model))
      draw()
    case .stopRequested: suspend()
    case .continued:
      if isAway {
        returnFromShell()
      } else {
        // Stopped by SIGSTOP: the shell used the terminal without having received it.
        leaveTerminal()
        parts?.input.setReading(false)
        returnFromShell()
      }
    case .terminate(let signal): application.perform(.terminate(signal: signal))
    case .printed(let lines): lines.forEach { printedContinuation.yield($0) }
    }
  }

  private func handle(_ event: InputEvent) {
    guard let size = parts?.display.size, !isAway else { return }
    if event == .directColor { return picture.setColors(.direct) }
    if event == .lightBackground {
      parts?.display.backgroundIsLight()
      return needsDrawing()
    }
    if case .pixels(let medium) = event { return picture.confirmPixels(medium) }
    if event == .octants { return picture.confirmOctants() }
    if event == .sixel {
      // tmux 3.5 always has them, and shows their size where its own terminal doesn't.
      let isWanted = !TerminalEnvironment.isTmux || configuration.blocks == .sixel
      // Sixels of a wrong size would leave the picture's area.
      let hasCell = parts?.display.cell ?? answeredCell != nil
      return isWanted && hasCell ? picture.confirmSixel() : ()
    }
    if case .sixelColors(let colors) = event { return picture.limitSixel { $0.colors = colors } }
    if case .sixelSize(let width, let height) = event {
      return picture.limitSixel { ($0.width, $0.height) = (width, height) }
    }
    if case .cell(let cell) = event {
      answeredCell = cell
      return needsDrawing()
    }
    if let answer = copying.answer(to: event) {
      application.perform(.clipboardAnswered(answer))
      return
    }
    perform(machine.handle(event, model: model, size: size, at: .now()))
    drawSketch()
    needsDrawing()
  }

  private func perform(_ effects: [InputMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .user(let command): application.perform(command)
      case .screen(let command): application.perform(command)
      case .redraw: parts?.display.invalidate()
      case .suspend: suspend()
      case .copy(let text): write(copying.copy(text))
      case .notify(let text): notify(text)
      }
    }
  }

  /// Alerts the user, in the way that the configuration names, unless the terminal has the keyboard.
  package func alert(_ text: TerminalText) { perform(machine.attentionNeeded(text)) }

  private func notify(_ text: TerminalText) {
    guard !isAway else { return }
    switch configuration.notice {
    case .off: break
    case .bell: write(TerminalModes.bell)
    case .desktop: write(TerminalModes.notification(text))
    }
  }
}

// Output.
extension TerminalScreen {
  private func needsDrawing() {
    guard parts != nil, !isAway, drawSetting.due == nil else { return }
    guard let lastDrawn, lastDrawn + configuration.shortestFrame > .now() else { return draw() }
    drawAlarm.perform(drawSetting.set(for: lastDrawn + configuration.shortestFrame)) {
      [weak self] number in await self?.drawScheduled(number)
    }
  }

  private func drawScheduled(_ number: Int) {
    if drawSetting.rang(number) { draw() }
  }

  private func drawSketch() {
    let view = ScreenView(model: model, state: machine.state)
    picture.setSketch(view.sketch(inks: inks))
  }

  private func draw() {
    guard var parts, !isAway else { return }
    let cell = parts.display.cell ?? answeredCell ?? .usual
    picture.setCell(cell)
    machine.cellRatio = cell.ratio
    let view = ScreenView(
      model: model, state: machine.state, keyMap: machine.keyMap, cellRatio: cell.ratio)
    let canvas = view.canvas(size: parts.display.size, symbols: parts.display.symbols)
    let placement = canvas.pictureArea.map {
      PictureSurface.Placement(area: $0, covers: canvas.pictureCovers)
    }
    picture.drawScreen(placement, parts.display.changes(to: canvas)) {
      parts.display.show(canvas)
    }
    self.parts = parts
    let title = model.item.map { $0.title + " - matinee" } ?? "matinee"
    if title != shownTitle {
      write(parts.modes.title(title))
      shownTitle = title
    }
    lastDrawn = .now()
    changeAlarm.perform(host.setAlarm(for: machine)) { [weak self] number in
      await self?.changeDue(number)
    }
  }

  private func changeDue(_ number: Int) {
    guard let effects = host.alarmRang(number, for: &machine, at: .now()) else { return }
    perform(effects)
    needsDrawing()
  }
}
