import Dispatch
import Glibc
import Synchronization
import TerminalVideo
import Timekeeping

/// The area in the pane of a ``TerminalScreen`` that shows a film's pictures.
///
/// Its methods are for the thread on which the pictures are made; none of them waits for the screen's thread, only for
/// the terminal.
package final class PictureSurface: Sendable {
  /// The picture's area, and the areas that lie over it.
  struct Placement: Hashable, Sendable {
    var area: Rect
    var covers: [Rect]
  }

  fileprivate struct State: Sendable {
    var placement: Placement?
    var encoder: PictureEncoder?
    var sketch = Sketch()
    /// A Boolean value that indicates whether the film's picture doesn't change.
    var isStill = false
    /// The time of the last frame, sent or left out.
    var lastWanted: HostTime?
    /// A Boolean value that indicates whether the next trial of better quality is due, if there is no frame until then.
    var isTrialDue = false
    /// The last round trip since the film paused, or since the last trial; nil before the first answer.
    var stillRoundTrip: Duration?
    var pacer = FramePacer()
    var choice: PictureChoice
    var ladder: QualityLadder
    var cell = CellSize.usual
    var sixelLimits = SixelLimits()
    /// The time at which the picture that is being made was requested.
    var begun: HostTime?
    /// The time that it took to make the last picture.
    var work = Duration.zero
    /// The time at which the terminal was asked about its abilities, until it answers.
    var abilitiesAsked: HostTime?
    /// The bytes of the picture that is to be shown next.
    var pending: [UInt8] = []
    var terminal: CInt = -1
    /// A Boolean value that indicates whether the shown picture is outdated, because a newer one was left out.
    var isBehind = false
    var needsPicture: (@Sendable () -> Void)?
    /// A semaphore that is signalled with the last answer, while ``PictureSurface/leave(patience:)`` waits for it.
    var lastAnswer: DispatchSemaphore?

    init(_ choice: PictureChoice) {
      self.choice = choice
      ladder = QualityLadder(best: choice.best)
    }
  }

  private let state: Mutex<State>
  /// A lock that is held during every write to the terminal, so that sequences aren't interleaved.
  private let output = Mutex(())

  /// The memory from which a terminal on this machine reads pictures.
  private let memory: SharedPictures

  /// A Boolean value that indicates whether kitty is the terminal of tmux.
  private let throughTmux: Bool

  init(_ choice: PictureChoice = PictureChoice(blocks: nil), throughTmux: Bool = false) {
    self.throughTmux = throughTmux
    memory = SharedPictures()
    state = Mutex(State(choice))
  }

  /// Sets the handler that is called when the current picture has to be given once more.
  ///
  /// - Parameter handler: called from any thread; must return at once.
  package func onNeedsPicture(_ handler: (@Sendable () -> Void)?) {
    state.withLock { $0.needsPicture = handler }
  }

  /// A Boolean value that indicates whether the picture is coarser than wanted, because the terminal is slow.
  package var isCoarser: Bool { state.withLock { $0.placement != nil && $0.ladder.isLowered } }

  /// The height of the pictures in pixels; nil while none is shown.
  package var height: Int? {
    state.withLock { $0.placement == nil ? nil : $0.encoder?.pictureSize.height }
  }

  // MARK: - Pictures

  /// Returns the size of the next picture, in pixels; nil if it can't be shown.
  package func nextPictureSize() -> (width: Int, height: Int)? {
    state.withLock { state in
      guard state.placement != nil, state.encoder != nil, state.terminal >= 0 else { return nil }
      let now = HostTime.now()
      state.lastWanted = now
      guard state.pacer.maySend(at: now) else {
        state.isBehind = true
        return nil
      }
      if let roundTrip = state.pacer.roundTrip {
        state.ladder.observe(roundTrip, work: state.work, at: now)
      }
      state.encoder?.quality = state.ladder.quality
      state.encoder?.cell = state.cell
      state.encoder?.sixelLimits = state.sixelLimits
      state.isBehind = false
      state.begun = now
      return state.encoder?.pictureSize
    }
  }

  /// Prepares a picture for ``present()``. A picture of another size than requested is ignored.
  package func prepare(_ picture: PixelBuffer) {
    // While the screen is drawn, it isn't known which cells are covered.
    let delay = output.withLock { _ in
      state.withLock { state in
        state.prepare(picture)
        if let begun = state.begun { state.work = .now() - begun }
        // Nothing is sent, and so nothing will be answered.
        return state.pending.isEmpty ? state.beginTrial() : nil
      }
    }
    tryBetter(after: delay)
    if memory.hasFailed { change { $0.sharedMemoryFailed() } }
  }

  /// Shows the prepared picture.
  package func present() {
    output.withLock { _ in
      let (bytes, terminal) = state.withLock { state -> ([UInt8], CInt) in
        (state.takePending(at: .now()), state.terminal)
      }
      Self.write(bytes, to: terminal)
    }
  }

  // MARK: - The screen

  /// Draws this sketch into the pictures, including the current one.
  func setSketch(_ sketch: Sketch) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard sketch != state.sketch else { return nil }
      state.sketch = sketch
      state.encoder?.sketch = sketch
      return state.needsPicture
    }
    handler?()
  }

  /// Sets whether the film's picture doesn't change. Such a picture is made exact, as far as the link allows.
  func setStill(_ isStill: Bool) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard isStill != state.isStill else { return nil }
      state.isStill = isStill
      state.stillRoundTrip = nil
      state.encoder?.isStill = isStill
      return isStill ? state.needsPicture : nil
    }
    handler?()
  }

  func attach(terminal: CInt) { state.withLock { $0.terminal = terminal } }

  /// Asks the terminal about pixels, and about `more`, before anything else is drawn.
  ///
  /// - Parameter more: other questions. Every terminal answers the last one (DA1), so that no answer follows it.
  func ask(pixels: Bool, _ more: [UInt8], on terminal: CInt) {
    let now = HostTime.now()
    state.withLock { state in
      if pixels { state.choice.asked(at: now) }
      state.abilitiesAsked = now
    }
    let question = pixels ? PixelQuestion.bytes(memory: memory, throughTmux: throughTmux) : []
    write(question + more, to: terminal)
  }

  /// Records the terminal's answer to the last question about its abilities. Called on the thread that reads the
  /// keyboard.
  func abilitiesAnswered() {
    state.withLock { state in
      state.abilitiesAsked = nil
      if !state.awaitsAnswer { state.lastAnswer?.signal() }
    }
  }

  /// Sets the number of colours that the terminal has confirmed.
  func setColors(_ colors: PictureQuality.Colors) { change { $0.setColors(colors) } }

  /// Records that the terminal shows pixels by this medium.
  func confirmPixels(_ medium: PictureQuality.Medium) {
    let now = HostTime.now()
    change { $0.confirmed(medium, at: now) }
  }

  /// Records that the terminal shows sixels.
  func confirmSixel() {
    let now = HostTime.now()
    change { $0.confirmedSixel(at: now) }
  }

  /// Changes the limits of sixels, before the first picture.
  func limitSixel(_ change: (inout SixelLimits) -> Void) {
    state.withLock { change(&$0.sixelLimits) }
  }

  /// Records that the terminal draws octants.
  func confirmOctants() { change { $0.confirmedOctants() } }

  /// A Boolean value that indicates whether the terminal has confirmed pixels.
  package var hasPixels: Bool { state.withLock { $0.choice.hasPixels } }

  /// Changes the kind of picture to the next one that the terminal can show, and returns it.
  package func advanceKind() -> PictureQuality.Blocks { change { $0.advance() } }

  /// Sets the size of the terminal's cells.
  func setCell(_ cell: CellSize) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard cell != state.cell else { return nil }
      state.cell = cell
      return state.needsPicture
    }
    handler?()
  }

  @discardableResult
  private func change<Result: Sendable>(_ change: (inout PictureChoice) -> Result) -> Result {
    let (result, handler) = state.withLock { state -> (Result, (@Sendable () -> Void)?) in
      let before = state.choice.best
      let result = change(&state.choice)
      guard state.choice.best != before else { return (result, nil) }
      state.ladder = QualityLadder(
        best: state.choice.best, cells: state.choice.cells,
        beginsWithCells: state.choice.beginsWithCells)
      return (result, state.needsPicture)
    }
    handler?()
    return result
  }

  /// Records that the terminal has shown a picture. Called on the thread that reads the keyboard, whatever the screen
  /// does.
  func answered() {
    let (handler, delay) = state.withLock { state in
      state.pacer.answered(at: .now())
      if !state.awaitsAnswer { state.lastAnswer?.signal() }
      state.stillRoundTrip = state.pacer.roundTrip
      return (state.isBehind ? state.needsPicture : nil, state.beginTrial())
    }
    handler?()
    tryBetter(after: delay)
  }

  /// Shows the picture in better quality, after a slow time had lowered it, if no frame comes until then. Otherwise it
  /// waits again.
  ///
  /// - Parameter delay: nil for no trial.
  private func tryBetter(after delay: Duration?) {
    guard let delay else { return }
    Task { [weak self] in
      try? await Task.sleep(for: delay)
      self?.takeTrial(after: delay)
    }
  }

  private func takeTrial(after delay: Duration) {
    let now = HostTime.now()
    let (handler, delay) = state.withLock { state -> ((@Sendable () -> Void)?, Duration?) in
      state.isTrialDue = false
      guard let lastWanted = state.lastWanted, now - lastWanted >= delay else {
        return (nil, state.beginTrial())
      }
      defer { state.stillRoundTrip = nil }
      let isRaised = state.ladder.raise(after: state.stillRoundTrip, at: now)
      return isRaised ? (state.needsPicture, nil) : (nil, state.beginTrial())
    }
    handler?()
    tryBetter(after: delay)
  }

  /// Handles an answer that ends a wait. Called on the thread that reads the keyboard.
  func received(_ answer: InputEvent) {
    switch answer {
    case .status: answered()
    case .attributes: abilitiesAnswered()
    case .key, .mouse, .paste, .focus, .directColor, .lightBackground, .pixels, .octants, .sixel,
      .sixelColors, .sixelSize, .cell,
      .clipboard,
      .acceptsClipboard:
      break
    }
  }

  /// Draws the rest of the screen, and then the picture's cells that it may have overwritten, in one update.
  ///
  /// - Parameters:
  ///   - placement: the picture's area; nil shows none.
  ///   - changes: the cells that `body` may write; nil if it writes nothing.
  ///   - body: writes to the terminal.
  func drawScreen(_ placement: Placement?, _ changes: ScreenChanges?, _ body: () -> Void) {
    let handler = output.withLock { _ in
      let (before, terminal) = state.withLock { state in
        (state.prepareForScreen(placement, changes, at: .now()), state.terminal)
      }
      Self.write(before, to: terminal)
      if changes != nil { body() }
      let (after, handler) = state.withLock {
        $0.screenDrawn(placement, changes, memory, throughTmux)
      }
      Self.write(after, to: terminal)
      return handler
    }
    handler?()
  }

  /// Writes something else to the terminal.
  func write(_ bytes: [UInt8], to terminal: CInt) {
    output.withLock { _ in Self.write(bytes, to: terminal) }
  }

  /// Stops showing pictures before the terminal is handed over, and waits for the terminal's answers to the last
  /// pictures.
  ///
  /// Later answers would be typed into the shell. Another thread must be reading from the terminal.
  ///
  /// - Parameter patience: the longest wait, for a terminal that is slow or gone.
  func leave(patience: Duration = .milliseconds(300)) {
    drawScreen(nil, nil) {}
    let lastAnswer = state.withLock { state in
      // A terminal that hasn't answered by then doesn't answer.
      if let asked = state.abilitiesAsked, .now() - asked > PictureChoice.deadline {
        state.abilitiesAsked = nil
      }
      if state.awaitsAnswer { state.lastAnswer = DispatchSemaphore(value: 0) }
      return state.lastAnswer
    }
    _ = lastAnswer?.wait(timeout: .now() + patience / .seconds(1))
    state.withLock { state in
      state.lastAnswer = nil
      state.abilitiesAsked = nil
      state.pacer.restart()
    }
    memory.removeAll()
  }

  static func write(_ bytes: [UInt8], to terminal: CInt) {
    guard terminal >= 0 else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // The end of a terminal is reported by a signal as well.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

extension CellArea {
  fileprivate init(_ rect: Rect) {
    self.init(column: rect.column, row: rect.row, columns: rect.width, rows: rect.height)
  }
}

extension PictureSurface.State {
  fileprivate var awaitsAnswer: Bool { pacer.awaitsAnswer || abilitiesAsked != nil }

  fileprivate mutating func prepare(_ picture: PixelBuffer) {
    guard let size = encoder?.pictureSize, size == (picture.width, picture.height) else {
      pending = []
      isBehind = true
      return
    }
    pending = encoder!.encode(picture)
    guard !pending.isEmpty else { return }
    // The rest of the picture follows when the terminal has shown this part.
    if isStill, encoder!.isUnfinished { isBehind = true }
    pending += FramePacer.question
  }

  /// Returns the delay of the next trial of better quality, if none is due yet and one is of use.
  fileprivate mutating func beginTrial() -> Duration? {
    guard !isTrialDue, let delay = ladder.trialDelay else { return nil }
    isTrialDue = true
    return delay
  }

  /// Returns the bytes of the picture that is ready, and counts them as sent.
  fileprivate mutating func takePending(at now: HostTime) -> [UInt8] {
    guard !pending.isEmpty, terminal >= 0 else {
      pending = []
      return []
    }
    defer { pending = [] }
    pacer.sent(at: now)
    return pending
  }

  /// Returns the bytes to write before the rest of the screen.
  fileprivate mutating func prepareForScreen(
    _ placement: PictureSurface.Placement?, _ changes: ScreenChanges?, at now: HostTime
  ) -> [UInt8] {
    guard encoder != nil, let placement else { return [] }
    let touches = changes?.touches(placement.area) ?? false
    guard placement != self.placement || touches else { return [] }
    // A prepared picture has been encoded for the current cells: it is shown a little early.
    let ready = changes?.isComplete == true ? [] : takePending(at: now)
    pending = []
    return ready + TerminalModes.beginUpdate
  }

  /// Returns the bytes to write after the rest of the screen, and the handler to call if a picture is needed.
  fileprivate mutating func screenDrawn(
    _ placement: PictureSurface.Placement?, _ changes: ScreenChanges?, _ memory: SharedPictures,
    _ throughTmux: Bool
  ) -> (bytes: [UInt8], handler: (@Sendable () -> Void)?) {
    guard let placement else {
      let bytes = encoder?.remove() ?? []
      self.placement = nil
      encoder = nil
      pending = []
      return (bytes, nil)
    }
    let area = CellArea(placement.area)
    guard var encoder else {
      self.placement = placement
      var encoder = PictureEncoder(
        area: area, quality: ladder.quality, memory: memory, throughTmux: throughTmux)
      encoder.cell = cell
      encoder.covers = placement.covers.map { CellArea($0) }
      encoder.sketch = sketch
      encoder.isStill = isStill
      self.encoder = encoder
      return ([], needsPicture)
    }
    self.encoder = nil
    defer { self.encoder = encoder }
    let isMoved = placement != self.placement
    guard isMoved || changes?.touches(placement.area) ?? false else { return ([], nil) }
    self.placement = placement
    encoder.move(to: area)
    encoder.covers = placement.covers.map { CellArea($0) }
    if changes?.isComplete == true { encoder.forget() }
    for area in changes?.areas ?? [] { encoder.forget(CellArea(area)) }
    guard let bytes = encoder.repaint() else {
      return (TerminalModes.endUpdate, needsPicture)
    }
    // The picture's bytes end the update; kitty reports an update that ends twice.
    return (bytes.isEmpty ? TerminalModes.endUpdate : bytes, nil)
  }
}
