import Timekeeping

/// Chooses the quality of the picture by the speed of the terminal: lower while it is slow, higher after some time in
/// which it wasn't.
package struct QualityLadder: Hashable, Sendable {
  /// The wanted quality, which is never exceeded.
  package let best: PictureQuality
  /// The best cells of the terminal, for links that are too slow for pixels.
  private let cells: PictureQuality.Blocks
  /// The index of the current step; 0 is the best.
  package private(set) var step = 0
  /// A Boolean value that indicates whether slow frames have lowered the quality.
  package private(set) var isLowered = false
  private var slowSince: HostTime?
  private var fastSince: HostTime?
  /// The time of the last step up.
  private var raised: HostTime?
  /// The time for which frames have to be fast before the next step up; longer after each step up that didn't last.
  private var recovery = Self.standardRecovery

  /// The round trip above which a frame is slow.
  private static let slow = Duration.milliseconds(150)
  /// The round trip above which single steps don't help, since each would cost as long again.
  private static let hopeless = Duration.milliseconds(600)
  /// The time for which frames have to be slow, or fast, before the first change.
  private static let patience = Duration.milliseconds(500)
  private static let standardRecovery = Duration.seconds(5)
  private static let longestRecovery = Duration.seconds(160)
  /// The time before a still picture is tried one step better for the first time.
  private static let stillRecovery = Duration.seconds(1)
  /// A step up that is undone within this time was a mistake.
  private static let probation = Duration.seconds(10)
  /// The greatest time to make a picture of pixels, of the 40 ms of a film's frame: more leaves too little to other
  /// work.
  private static let heavy = Duration.milliseconds(25)
  /// The smallest useful number of pixels. Fewer show less than cells would.
  private static let fewestPixels = 240 * 135
  private static let tolerances = [6, 12, 18]

  /// Creates a ladder at its best step.
  ///
  /// - Parameters:
  ///   - cells: the best cells of the terminal.
  ///   - beginsWithCells: whether pixels are shown only after cells have been fast for some seconds, for example on a
  ///     network of unknown speed.
  package init(
    best: PictureQuality, cells: PictureQuality.Blocks = .quadrants, beginsWithCells: Bool = false
  ) {
    self.best = best
    self.cells = cells
    if beginsWithCells { step = steps.firstIndex { !$0.blocks.isPixels } ?? 0 }
  }

  /// The quality to send now.
  package var quality: PictureQuality { steps[min(step, steps.count - 1)] }

  /// The steps, from the best to the smallest.
  private var steps: [PictureQuality] {
    var steps = [best]
    var next = best
    if best.blocks.isPixels {
      while next.pixelLimit / 4 >= Self.fewestPixels {
        next.pixelLimit /= 4
        steps.append(next)
      }
      next.blocks = cells
      steps.append(next)
    }
    next.blocks = .halves
    next.isDithered = false
    for tolerance in Self.tolerances where tolerance > best.tolerance || next.blocks != best.blocks
    {
      next.tolerance = max(tolerance, best.tolerance)
      if next != steps.last { steps.append(next) }
    }
    guard best.colors == .direct else { return steps }
    next.colors = .indexed
    next.tolerance = max(6, best.tolerance)
    if next != steps.last { steps.append(next) }
    return steps
  }

  /// Evaluates the last frame.
  ///
  /// - Parameters:
  ///   - roundTrip: the time from its writing to the terminal's answer, or so far.
  ///   - work: the time that it took to make it.
  package mutating func observe(
    _ roundTrip: Duration, work: Duration = .zero, at now: HostTime
  ) {
    let steps = steps
    let isHeavy = quality.blocks.isPixels && work > Self.heavy
    if roundTrip > Self.slow || isHeavy {
      fastSince = nil
      guard let since = slowSince else { return slowSince = now }
      guard now - since >= Self.patience, step < steps.count - 1 else { return }
      step = roundTrip > Self.hopeless ? Self.last(of: steps, after: step) : step + 1
      isLowered = true
      slowSince = now
      let wasMistake = raised.map { now - $0 <= Self.probation } ?? false
      recovery = wasMistake ? longerRecovery : Self.standardRecovery
    } else {
      slowSince = nil
      guard let since = fastSince else { return fastSince = now }
      guard now - since >= recovery, step > 0 else { return }
      stepUp(at: now)
      fastSince = now
    }
  }

  /// The time after which a picture that doesn't change is to be shown one step better (``raise(after:at:)``); nil if it is
  /// the best.
  ///
  /// No frames are sent that could show that the terminal is fast again. A still picture may also take its time.
  package var trialDelay: Duration? {
    guard step > 0 else { return nil }
    return recovery > Self.standardRecovery ? recovery : Self.stillRecovery
  }

  /// Takes a step up for a picture that doesn't change, unless the last one took so long that a better one would hold up
  /// everything else; then the next trial comes later.
  ///
  /// - Parameter roundTrip: of the last picture since the film paused; nil if none had to be sent.
  /// - Returns: false if there was no step.
  package mutating func raise(after roundTrip: Duration?, at now: HostTime) -> Bool {
    guard step > 0 else { return false }
    if let roundTrip, roundTrip > Self.hopeless {
      recovery = longerRecovery
      return false
    }
    stepUp(at: now)
    slowSince = nil
    fastSince = nil
    return true
  }

  private mutating func stepUp(at now: HostTime) {
    step -= 1
    raised = now
    if step == 0 { isLowered = false }
  }

  /// The recovery after another mistake.
  private var longerRecovery: Duration { min(recovery + recovery, Self.longestRecovery) }

  /// Returns the last step; for pixels, the first one without them, since cells may suffice.
  private static func last(of steps: [PictureQuality], after step: Int) -> Int {
    guard steps[step].blocks.isPixels else { return steps.count - 1 }
    return steps.firstIndex { !$0.blocks.isPixels } ?? steps.count - 1
  }
}
