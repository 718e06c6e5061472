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

  private struct State: Sendable {
    var placement: Placement?
    var encoder: PictureEncoder?
    var sketch = Sketch()
    /// The film stands.
    var stands = false
    var pacer = FramePacer()
    var ladder: QualityLadder
    /// What is to be written when it is time, and for which placement.
    var pending: [UInt8] = []
    var pendingGeneration = 0
    var generation = 0
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

  /// Makes a picture ready. Of another size than asked for it is left out.
  public func prepare(_ picture: PixelBuffer) {
    state.withLock { state in
      guard let size = state.encoder?.pictureSize, size == (picture.width, picture.height) else {
        state.pending = []
        state.isBehind = true
        return
      }
      state.pending = state.encoder!.encode(picture)
      // The rest of it when the terminal has this.
      if state.stands, state.encoder!.isUnfinished, !state.pending.isEmpty { state.isBehind = true }
      if !state.pending.isEmpty { state.pending += FramePacer.question }
      state.pendingGeneration = state.generation
    }
  }

  /// Shows what was made ready.
  public func present() {
    output.withLock { _ in
      let (bytes, terminal) = state.withLock { state -> ([UInt8], CInt) in
        defer { state.pending = [] }
        guard !state.pending.isEmpty else { return ([], -1) }
        // Whoever moved the picture has asked for it anew.
        guard state.pendingGeneration == state.generation else {
          state.encoder?.forget()
          return ([], -1)
        }
        state.pacer.sent(at: .now())
        return (state.pending, state.terminal)
      }
      guard terminal >= 0 else { return }
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

  /// Draws the rest of the screen, with the picture's place in it; nothing of the picture comes between.
  ///
  /// - Parameter body: returns whether everything was drawn anew.
  func drawScreen(_ placement: Placement?, _ body: () -> Bool) {
    let handler = output.withLock { _ in
      let isAnew = body()
      return state.withLock { state -> (@Sendable () -> Void)? in
        guard isAnew || placement != state.placement else { return nil }
        state.generation += 1
        state.placement = placement
        guard let placement else {
          if let bytes = state.encoder?.remove(), state.terminal >= 0 {
            Self.write(bytes, to: state.terminal)
          }
          state.encoder = nil
          return nil
        }
        let area = CellArea(placement.area)
        if state.encoder == nil {
          state.encoder = PictureEncoder(area: area, quality: state.ladder.quality)
          state.encoder?.sketch = state.sketch
          state.encoder?.stands = state.stands
        }
        state.encoder?.move(to: area)
        state.encoder?.covers = placement.covers.map { CellArea($0) }
        if isAnew { state.encoder?.forget() }
        return state.needsPicture
      }
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
    drawScreen(nil) { false }
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
