import Dispatch
import Glibc
import Synchronization
import TerminalVideo
import Timekeeping

/// Where a film's pictures are shown in the pane of a ``TerminalScreen``. Its methods are for the thread on which
/// the pictures are made; none of them waits for the screen's thread, only for the terminal.
public final class PictureSurface: Sendable {
  /// Where the picture is, and what lies over it.
  struct Placement: Hashable, Sendable {
    var area: Rect
    var covers: [Rect]
  }

  fileprivate struct State: Sendable {
    var placement: Placement?
    var encoder: PictureEncoder?
    var sketch = Sketch()
    /// The film stands.
    var stands = false
    var pacer = FramePacer()
    var ladder: QualityLadder
    /// The bytes of the picture that is to be shown when it is time.
    var pending: [UInt8] = []
    var terminal: CInt = -1
    /// The picture that is on has been left out.
    var isBehind = false
    var needsPicture: (@Sendable () -> Void)?
    /// Signalled with the last answer, for whoever waits for it.
    var lastAnswer: DispatchSemaphore?
  }

  private let state: Mutex<State>
  /// Held while anything is written to the terminal, so that nothing comes between two bytes of one thing.
  private let output = Mutex(())

  init(quality: PictureQuality) { state = Mutex(State(ladder: QualityLadder(best: quality))) }

  /// - Parameter handler: called when the picture that is on has to be given again: from any thread, and must
  ///   return at once.
  public func onNeedsPicture(_ handler: (@Sendable () -> Void)?) {
    state.withLock { $0.needsPicture = handler }
  }

  // MARK: - Pictures

  /// The size of the next picture, in pixels; nil if it can't be shown.
  public func nextPictureSize() -> (width: Int, height: Int)? {
    state.withLock { state in
      guard state.placement != nil, state.encoder != nil, state.terminal >= 0 else { return nil }
      let now = HostTime.now()
      guard state.pacer.maySend(at: now) else {
        state.isBehind = true
        return nil
      }
      if let roundTrip = state.pacer.roundTrip { state.ladder.observe(roundTrip, at: now) }
      state.encoder?.quality = state.ladder.quality
      state.isBehind = false
      return state.encoder?.pictureSize
    }
  }

  /// Makes a picture ready. One of another size than asked for is left out.
  public func prepare(_ picture: PixelBuffer) {
    // While the screen is drawn, it isn't known which cells are covered.
    output.withLock { _ in state.withLock { $0.prepare(picture) } }
  }

  /// Shows what was made ready.
  public func present() {
    output.withLock { _ in
      let (bytes, terminal) = state.withLock { state -> ([UInt8], CInt) in
        (state.takePending(at: .now()), state.terminal)
      }
      Self.write(bytes, to: terminal)
    }
  }

  // MARK: - The screen

  /// Draws this into the pictures, the one that is on included.
  func setSketch(_ sketch: Sketch) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard sketch != state.sketch else { return nil }
      state.sketch = sketch
      state.encoder?.sketch = sketch
      return state.needsPicture
    }
    handler?()
  }

  /// Whether the film stands: its picture is made exact then, as far as what is sent allows.
  func setStands(_ stands: Bool) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard stands != state.stands else { return nil }
      state.stands = stands
      state.encoder?.stands = stands
      return stands ? state.needsPicture : nil
    }
    handler?()
  }

  func attach(terminal: CInt) { state.withLock { $0.terminal = terminal } }

  /// The terminal has more colours than it said at first.
  func setColors(_ colors: PictureQuality.Colors) { changeBest { $0.colors = colors } }

  /// The terminal shows pixels as well.
  func setBlocks(_ blocks: PictureQuality.Blocks) { changeBest { $0.blocks = blocks } }

  private func changeBest(_ change: (inout PictureQuality) -> Void) {
    state.withLock { state in
      var best = state.ladder.best
      change(&best)
      state.ladder = QualityLadder(best: best)
    }
  }

  /// The terminal has shown a picture. Called on the thread that reads the keyboard, whatever the screen does.
  func answered() {
    let handler = state.withLock { state in
      state.pacer.answered(at: .now())
      if !state.pacer.awaitsAnswer { state.lastAnswer?.signal() }
      return state.isBehind ? state.needsPicture : nil
    }
    handler?()
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
      let (after, handler) = state.withLock { $0.screenDrawn(placement, changes) }
      Self.write(after, to: terminal)
      return handler
    }
    handler?()
  }

  /// Writes something else to the terminal.
  func write(_ bytes: [UInt8], to terminal: CInt) {
    output.withLock { _ in Self.write(bytes, to: terminal) }
  }

  /// The terminal is to be given away. Shows nothing any more, and waits until the terminal has answered for what
  /// was shown: what comes later is typed into the shell. Somebody else has to be reading.
  ///
  /// - Parameter patience: for a terminal that is slow, or gone.
  func leave(patience: Duration = .milliseconds(300)) {
    drawScreen(nil, nil) {}
    let lastAnswer = state.withLock { state in
      if state.pacer.awaitsAnswer { state.lastAnswer = DispatchSemaphore(value: 0) }
      return state.lastAnswer
    }
    _ = lastAnswer?.wait(timeout: .now() + patience / .seconds(1))
    state.withLock { state in
      state.lastAnswer = nil
      state.pacer.restart()
    }
  }

  private static func write(_ bytes: [UInt8], to terminal: CInt) {
    guard terminal >= 0 else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // A terminal that is gone says so by a signal as well.
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
  fileprivate mutating func prepare(_ picture: PixelBuffer) {
    guard let size = encoder?.pictureSize, size == (picture.width, picture.height) else {
      pending = []
      isBehind = true
      return
    }
    pending = encoder!.encode(picture)
    guard !pending.isEmpty else { return }
    // The rest of it when the terminal has this.
    if stands, encoder!.isUnfinished { isBehind = true }
    pending += FramePacer.question
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
    // A picture that is ready has been encoded for the cells as they are now: it is shown a little early.
    let ready = changes?.isComplete == true ? [] : takePending(at: now)
    pending = []
    return ready + TerminalModes.beginUpdate
  }

  /// Returns the bytes to write after the rest of the screen, and the handler to call if a picture is needed.
  fileprivate mutating func screenDrawn(
    _ placement: PictureSurface.Placement?, _ changes: ScreenChanges?
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
      var encoder = PictureEncoder(area: area, quality: ladder.quality)
      encoder.covers = placement.covers.map { CellArea($0) }
      encoder.sketch = sketch
      encoder.stands = stands
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
    return (bytes + TerminalModes.endUpdate, nil)
  }
}
