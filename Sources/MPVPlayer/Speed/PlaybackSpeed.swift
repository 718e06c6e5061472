/// The speed of playback: the commanded rate, multiplied by a nudge and by the part that makes up for missed time.
struct PlaybackSpeed: Hashable, Sendable {
  /// A start that was scheduled for an instant, and the number of its answer.
  struct ScheduledStart: Hashable, Sendable {
    let timer: DeadlineThread.Token
    let answer: UInt64
  }

  /// The next step after a new nudge.
  enum NudgeStep: Hashable, Sendable {
    /// The nudge is the same as before, or not a factor.
    case nothing
    /// A scheduled change of the rate applies the nudge at its instant.
    case wait
    /// Cancel the end of the catch-up, if it is scheduled, and write the speed.
    case write(cancelling: DeadlineThread.Token?)
  }

  /// A speed that mpv has answered, and the rate that it belongs to.
  private struct Written: Hashable, Sendable {
    var rate = 1.0
    var speed = 1.0
  }

  /// A planned change of the speed at an instant.
  struct Change: Hashable, Sendable {
    let rate: Double
    let catchUp: Double
    let nudge: Double
    /// The speed for mpv.
    let speed: Double
  }

  /// The commanded rate.
  private(set) var rate = 1.0
  private(set) var nudge = 1.0
  /// The part of the speed with which a play command makes up for missed time.
  private(set) var catchUp = 1.0
  /// A scheduled change whose instant has not come.
  private var scheduledChange: DeadlineThread.Token?
  /// A Boolean value that indicates whether the scheduled change only ends a catch-up.
  private var isCatchUpEnding = false
  /// The last start that was scheduled for an instant.
  private(set) var scheduledStart: ScheduledStart?
  /// A Boolean value that indicates whether nudges may come; see ``MPVPlayer/setExpectsNudges(_:)``.
  private(set) var expectsNudges = true
  /// The last speed in mpv. A change at an instant is in mpv before ``reached(_:)``, and a clamped speed isn't the
  /// product of its parts.
  private var written = Written()
  var pitch = PitchCorrection()

  /// The speed for mpv.
  var effective: Double { speed(rate: rate, nudge: nudge, catchUp: catchUp) }

  private func speed(rate: Double, nudge: Double, catchUp: Double) -> Double {
    let range = PitchCorrection.resampled
    // Together they could leave the resampler's range.
    let factor =
      rate == 1 && range.contains(catchUp)
      ? min(max(nudge * catchUp, range.lowerBound), range.upperBound) : nudge * catchUp
    let speed = rate * factor
    return speed == 1 && expectsNudges ? PitchCorrection.unity : speed
  }

  /// Returns whether mpv must keep the pitch at this speed.
  func keepsPitch(at speed: Double) -> Bool {
    pitch.isNeeded(at: speed, expectsNudges: expectsNudges)
  }

  // MARK: Nudges

  /// Takes a new nudge. Clamped to what can be resampled at rate 1, and to 0.8...1.25 at others; a round one is made a
  /// millionth larger.
  mutating func nudged(_ factor: Double) -> NudgeStep {
    guard factor.isFinite, factor > 0 else { return .nothing }
    let range = rate == 1 ? PitchCorrection.resampled : 0.8...1.25
    let factor = UserRate.unround(min(max(factor, range.lowerBound), range.upperBound))
    guard factor != nudge else { return .nothing }
    nudge = factor
    guard scheduledChange == nil || isCatchUpEnding else { return .wait }
    defer { scheduledChange = nil }
    catchUp = 1
    return .write(cancelling: scheduledChange)
  }

  mutating func nudgesExpected(_ expects: Bool) { expectsNudges = expects }

  // MARK: Rates

  /// mpv has answered a write of the speed.
  ///
  /// - Parameter rate: the commanded rate that the speed belongs to.
  mutating func wrote(_ speed: Double, rate: Double) { written = Written(rate: rate, speed: speed) }

  /// Takes a commanded rate.
  ///
  /// - Returns: whether it is another one.
  mutating func commanded(_ rate: Double) -> Bool {
    guard rate != self.rate else { return false }
    self.rate = rate
    return true
  }

  /// Ends nudge and catch-up.
  ///
  /// - Returns: whether the rate is another one.
  mutating func reset(toRate rate: Double) -> Bool {
    nudge = 1
    catchUp = 1
    return commanded(rate)
  }

  /// Adopts a foreign change of mpv's speed.
  ///
  /// - Returns: the intended rate.
  mutating func foreignChange(to speed: Double) -> Double {
    rate = UserRate.rate(
      observed: speed, from: written.rate, nudge: written.speed / written.rate)
    wrote(speed, rate: rate)
    nudge = 1
    catchUp = 1
    return rate
  }

  // MARK: Instants

  /// Plans a change of the speed. A new rate ends the nudge.
  mutating func plan(rate: Double, catchUp: Double) -> Change {
    isCatchUpEnding = rate == self.rate && catchUp == 1
    let nudge = rate == self.rate ? nudge : 1
    return Change(
      rate: rate, catchUp: catchUp, nudge: nudge,
      speed: speed(rate: rate, nudge: nudge, catchUp: catchUp))
  }

  mutating func scheduledChange(_ timer: DeadlineThread.Token) { scheduledChange = timer }

  /// The instant of a planned change has come.
  ///
  /// - Returns: whether the rate is another one, and whether the nudge was changed meanwhile, so that the speed must
  ///   be written.
  mutating func reached(_ change: Change) -> (isNewRate: Bool, mustWrite: Bool) {
    scheduledChange = nil
    let isNewRate = commanded(change.rate)
    catchUp = change.catchUp
    return (isNewRate, nudge != change.nudge)
  }

  mutating func scheduledStart(_ timer: DeadlineThread.Token, answer: UInt64) {
    scheduledStart = ScheduledStart(timer: timer, answer: answer)
  }

  /// A newer transport command replaces what was scheduled. The last start is remembered: it may have begun.
  ///
  /// - Returns: the scheduled change.
  mutating func superseded() -> DeadlineThread.Token? {
    defer { scheduledChange = nil }
    return scheduledChange
  }
}
