import PlaybackCoordination
import Timekeeping

/// Decides how to get onto a line, step by step, from where the player stands.
///
/// One plan lives as long as its play command. It knows how many seeks it has cost; seeks aim at
/// where the line will be once they are done, so that their own cost is never taken for drift.
struct PlayPlan: Sendable {
  /// Where the player is.
  struct Standing: Hashable, Sendable {
    /// Exact while paused, measured while playing.
    var itemTime: MediaTime
    var hostTime: HostTime
    /// Zero while paused.
    var speed: Double
    /// The speed for which the sound that waits in buffers was made. Nil if it does not begin with the
    /// frame that is shown, as after a pause: frames run ahead of the sound by up to 50 ms.
    var bufferedSpeed: Double?
    /// Zero where there are no frames.
    var frameDuration: Duration
    /// Nil for a stream without end.
    var duration: MediaTime?
    var isSeekable: Bool
    var startLatency: Duration
    var speedChangeLatency: Duration
    var seekCost: Duration

    func itemTime(atHostTime time: HostTime) -> MediaTime { itemTime + (time - hostTime) * speed }
  }

  enum Step: Hashable, Sendable {
    /// On the line already: nothing to do.
    case stay
    /// Pause, set the speed to the line's rate, seek there exactly, then ask again.
    case seek(to: MediaTime)
    /// Set `pause` to no at this very instant.
    case start(at: HostTime)
    /// Set the speed at `at`: to `through` for `period`, in which what is missing is made up for, then to
    /// the line's rate.
    case changeSpeed(through: Double, for: Duration, at: HostTime)
    /// Beyond the end: pause on the last frame.
    case standAtEnd
    case fail(CoordinatedPlaybackSuspension.Reason)
  }

  /// mpv's range of `speed`.
  static let speeds = 0.01...100.0
  /// Closer to the line than this needs no correction while playing at the right speed.
  static let tolerance = Duration.milliseconds(2)
  /// Farther than this from the line, at the right speed, a seek is better than catching up.
  static let catchUpLimit = Duration.milliseconds(120)
  /// How long a catching-up lasts, and by how much it may change the speed: at an unchanged speed,
  /// where nobody should hear it, and at the moment of a rate change, where it is covered.
  static let catchUpPeriod = Duration.milliseconds(800)
  static let catchUpShare = 0.05
  static let changingShare = 0.25
  /// How much later than needed a start may be to save a seek.
  static let patience = Duration.milliseconds(250)
  /// A start this late is made up for sooner than a seek would be done: by five per cent, in half a second.
  static let lateness = Duration.milliseconds(25)
  /// When seeks have come too late this often, the player starts where it stands.
  static let maximumSeeks = 4
  /// Farther behind than this, that isn't worth it.
  static let maximumLag = Duration.seconds(2)

  let line: PlaybackLine
  private(set) var seeks = 0
  /// Whether the last seek's landing place had been passed by the line before playback could start.
  private(set) var lastSeekWasTooShort = false

  init(line: PlaybackLine) { self.line = line }

  mutating func nextStep(from standing: Standing, now: HostTime) -> Step {
    guard Self.speeds.contains(line.rate) else { return .fail(.coordinatedPlaybackNotPossible) }
    if let duration = standing.duration, target(at: now) >= duration { return .standAtEnd }
    return standing.speed > 0
      ? nextStep(playing: standing, now: now) : nextStep(paused: standing, now: now)
  }

  /// Before its start the line stands still.
  private func target(at time: HostTime) -> MediaTime {
    line.itemTime(atHostTime: max(time, line.hostTime))
  }

  private mutating func nextStep(playing standing: Standing, now: HostTime) -> Step {
    // Nothing that is done now is heard before `effect`.
    let effect = max(line.hostTime, now + standing.speedChangeLatency)
    let missing = line.itemTime(atHostTime: effect) - standing.itemTime(atHostTime: effect)
    let isChange = abs(standing.speed - line.rate) > 1e-6
    if !isChange, missing.magnitude <= Self.tolerance { return .stay }
    let share = isChange ? Self.changingShare : Self.catchUpShare
    let limit =
      isChange
      ? Self.catchUpPeriod * (share * line.rate)
      : min(Self.catchUpLimit, Self.catchUpPeriod * 3 * (share * line.rate))
    guard missing.magnitude <= limit else { return seek(standing, now: now) }
    let at = max(now, effect - standing.speedChangeLatency)
    if missing.magnitude <= .microseconds(500) {
      return .changeSpeed(through: line.rate, for: .zero, at: at)
    }
    let period = max(Self.catchUpPeriod, missing.magnitude / (share * line.rate))
    let through = line.rate + missing.inSeconds / period.inSeconds
    guard Self.speeds.contains(through) else { return seek(standing, now: now) }
    return .changeSpeed(through: through, for: period, at: at)
  }

  private mutating func nextStep(paused standing: Standing, now: HostTime) -> Step {
    lastSeekWasTooShort = false
    // The instant at which the line reaches the frame that is shown.
    let due = line.hostTime(atItemTime: standing.itemTime)
    let call = due - standing.startLatency
    let lateness = now - call
    let isPrimed = standing.bufferedSpeed.map { abs($0 - line.rate) <= 0.005 * line.rate } ?? false
    guard isPrimed || !standing.isSeekable else { return seek(standing, now: now) }
    if lateness <= Self.lateness, !hasTimeToShowStart(standing, now: now) {
      let latest = max(line.hostTime, now) + max(Self.patience, standing.frameDuration * 2)
      // One after a seek is what was aimed at: waiting beats another seek.
      if due <= latest || seeks >= Self.maximumSeeks || !standing.isSeekable {
        return .start(at: max(call, now))
      }
      return seek(standing, now: now)
    }
    lastSeekWasTooShort = seeks > 0
    guard standing.isSeekable, seeks < Self.maximumSeeks else {
      return lateness <= Self.maximumLag ? .start(at: now) : .fail(.stallRecovery)
    }
    return seek(standing, now: now)
  }

  /// Whether the player shows another frame than the one to start from, and can still go there.
  private func hasTimeToShowStart(_ standing: Standing, now: HostTime) -> Bool {
    guard seeks == 0, standing.isSeekable else { return false }
    let ready = now + standing.seekCost + standing.startLatency
    return line.hostTime > ready
      && (standing.itemTime - line.itemTime).magnitude
        > max(standing.frameDuration * 1.5, .milliseconds(20))
  }

  private mutating func seek(_ standing: Standing, now: HostTime) -> Step {
    guard standing.isSeekable else { return .fail(.coordinatedPlaybackNotPossible) }
    seeks += 1
    let ready = now + standing.seekCost + standing.startLatency
    let place = target(at: ready)
    if let duration = standing.duration, place >= duration { return .standAtEnd }
    return .seek(to: max(place, .zero))
  }
}
