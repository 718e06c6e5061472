import PlaybackCoordination
import Timekeeping

/// Decides how to get onto a line, step by step, from the player's position.
///
/// One plan lives as long as its play command. It counts its seeks. A seek aims at the position that the line will have
/// when the seek is done, so that the seek's own cost is never mistaken for drift.
struct PlayPlan: Sendable {
  /// The player's position and its abilities.
  struct Situation: Hashable, Sendable {
    /// The position: exact while paused, measured while playing.
    var itemTime: MediaTime
    var hostTime: HostTime
    /// The current speed; zero while paused.
    var speed: Double
    /// The part of the speed that isn't the rate: nudge and catch-up.
    var factor = 1.0
    /// The speed for which the buffered sound was made. Nil if the sound does not begin with the shown frame, as after
    /// a pause: frames run ahead of the sound by up to 50 ms.
    var bufferedSpeed: Double?
    /// The distance from the target of the last seek to its frame.
    var gap = Duration.zero
    /// The distance from the line below which playback at the right speed needs no correction.
    var tolerance = PlayPlan.tolerance
    /// The duration of a frame; zero if there are no frames.
    var frameDuration: Duration
    /// The duration; nil for a stream without end.
    var duration: MediaTime?
    /// The end that the last seek found before the promised one; nil if it found its target.
    var foundEnd: MediaTime? = nil
    var isSeekable: Bool
    var startLatency: Duration
    var speedChangeLatency: Duration
    var seekCost: Duration

    func itemTime(atHostTime time: HostTime) -> MediaTime { itemTime + (time - hostTime) * speed }

    /// Returns whether the film has nothing to show from `target` to the shown frame: its time stamps have a gap there.
    func isBeyondGap(_ target: MediaTime) -> Bool {
      gap > PlayPlan.leastGap && target < itemTime && itemTime - target <= gap + .seconds(1)
    }
  }

  enum Step: Hashable, Sendable {
    /// The player is on the line already: no action is needed.
    case stay
    /// Pause, set the speed to the line's rate, seek there exactly, then ask for the next step.
    case seek(to: MediaTime)
    /// Set `pause` to `no` at this exact instant.
    case start(at: HostTime)
    /// Set the speed at `at`: to `through` for `period`, which makes up for the missing time, then to the line's rate.
    case changeSpeed(through: Double, for: Duration, at: HostTime)
    /// The line is beyond the end, or beyond the last frame that there is: pause at the last frame.
    case stayAtEnd
    case fail(CoordinatedPlaybackSuspension.Reason)
  }

  /// mpv's range of `speed`.
  static let speeds = 0.01...100.0
  /// The usual tolerance; sound at speed 1 is measured and corrected more exactly.
  static let tolerance = Duration.milliseconds(2)
  static let resampledTolerance = Duration.milliseconds(0.4)
  /// Returns the distance from a line below which playback at the right speed needs no correction.
  ///
  /// - Parameter isInGroup: whether others follow the same line. A player alone has no one to be in step with.
  static func tolerance(rate: Double, hasAudio: Bool, isInGroup: Bool) -> Duration {
    if rate < PlaybackLine.slowRate { return PlaybackLine.slowTolerance }
    return hasAudio && isInGroup && rate == 1 ? resampledTolerance : tolerance
  }
  /// The distance from the line above which, at the right speed, a seek is better than catching up.
  static let catchUpLimit = Duration.milliseconds(120)
  /// The same while a picture lasts: a seek would go to the next one, and be silent until then.
  static let lastingLimit = Duration.milliseconds(500)
  /// The duration of a catch-up, and the share by which it may change the speed: at an unchanged speed it must be
  /// inaudible; at the moment of a rate change the change covers it.
  static let catchUpPeriod = Duration.milliseconds(800)
  static let catchUpShare = 0.05
  /// The same where the sound is resampled: a pitch that is wrong by a sixth of a semitone, for a moment.
  static let resampledShare = 0.009
  static let resampledPeriod = Duration.milliseconds(400)
  static let changingShare = 0.25
  /// The least gap in a film's time stamps that playback doesn't wait out.
  static let leastGap = Duration.seconds(1)
  /// The delay of a start that is acceptable in order to save a seek.
  static let patience = Duration.milliseconds(250)
  /// The least and the greatest delay of a start that is better made up for than avoided by another seek. At rates
  /// below 1, in media time: mpv accepts a frame up to 5 ms before a seek's target.
  static let lateness = Duration.milliseconds(6)...Duration.milliseconds(25)
  /// The number of seeks that came too late after which the player starts at its current position.
  static let maximumSeeks = 4
  /// The lag beyond which such a start isn't worthwhile.
  static let maximumLag = Duration.seconds(2)

  let line: PlaybackLine
  private(set) var seeks = 0
  /// A Boolean value that indicates whether the line passed the last seek's target before playback could start.
  private(set) var lastSeekWasTooShort = false
  /// The target of the last seek.
  private var aim: MediaTime?

  init(line: PlaybackLine) { self.line = line }

  mutating func nextStep(from situation: Situation, now: HostTime) -> Step {
    guard Self.speeds.contains(line.rate) else { return .fail(.coordinatedPlaybackNotPossible) }
    if let end = situation.foundEnd ?? situation.duration, target(at: now) >= end {
      return .stayAtEnd
    }
    return situation.speed > 0
      ? nextStep(playing: situation, now: now) : nextStep(paused: situation, now: now)
  }

  /// The share by which a catch-up at an unchanged rate may change the speed.
  private var inaudibleShare: Double { line.rate == 1 ? Self.resampledShare : Self.catchUpShare }

  /// Returns the line's position; before its start the line doesn't move.
  private func target(at time: HostTime) -> MediaTime {
    line.itemTime(atHostTime: max(time, line.hostTime))
  }

  private mutating func nextStep(playing situation: Situation, now: HostTime) -> Step {
    // No change made now is audible before `effect`.
    let effect = max(line.hostTime, now + situation.speedChangeLatency)
    let missing = line.itemTime(atHostTime: effect) - situation.itemTime(atHostTime: effect)
    let isChange = abs(situation.speed / situation.factor - line.rate) > 1e-6
    if !isChange, missing.magnitude <= situation.tolerance { return .stay }
    let share = isChange ? Self.changingShare : inaudibleShare
    let limit =
      isChange
      ? max(
        Self.catchUpPeriod * (share * line.rate),
        line.rate < PlaybackLine.slowRate ? PlaybackLine.slowTolerance : .zero)
      : situation.frameDuration > Self.lastingLimit
        ? Self.lastingLimit
        : min(Self.catchUpLimit, Self.catchUpPeriod * 3 * (share * line.rate))
    guard missing.magnitude <= limit || !situation.isSeekable else {
      return seek(situation, now: now)
    }
    let at = max(now, effect - situation.speedChangeLatency)
    if missing.magnitude <= min(.microseconds(500), situation.tolerance) {
      return .changeSpeed(through: line.rate, for: .zero, at: at)
    }
    let shortest = !isChange && line.rate == 1 ? Self.resampledPeriod : Self.catchUpPeriod
    let period = max(shortest, missing.magnitude / (share * line.rate))
    let through = line.rate + missing.inSeconds / period.inSeconds
    guard Self.speeds.contains(through) || !situation.isSeekable else {
      return seek(situation, now: now)
    }
    return .changeSpeed(through: through, for: period, at: at)
  }

  private mutating func nextStep(paused situation: Situation, now: HostTime) -> Step {
    lastSeekWasTooShort = false
    // It is no gap where others play already: their picture lasts, and the next one is waited for.
    if now - line.hostTime < Self.leastGap, situation.isBeyondGap(target(at: now)) {
      return .start(at: max(now, line.hostTime - situation.startLatency))
    }
    // The instant at which the line reaches the shown frame.
    let due = line.hostTime(atItemTime: situation.itemTime)
    let call = due - situation.startLatency
    let lateness = now - call
    let isPrimed = situation.bufferedSpeed.map { abs($0 - line.rate) <= 0.005 * line.rate } ?? false
    guard isPrimed || !situation.isSeekable else { return seek(situation, now: now) }
    if lateness <= acceptableLateness(situation), !hasTimeToShowStart(situation, now: now) {
      let latest =
        max(line.hostTime, now) + max(Self.patience, situation.frameDuration * 2 / line.rate)
      // A frame after a seek is the target: waiting is better than another seek.
      if due <= latest || seeks >= Self.maximumSeeks || !situation.isSeekable {
        return .start(at: max(call, now))
      }
      return seek(situation, now: now)
    }
    // The frame may also be a little before the target.
    lastSeekWasTooShort =
      aim.map { now + situation.startLatency > line.hostTime(atItemTime: $0) } ?? false
    guard situation.isSeekable, seeks < Self.maximumSeeks else {
      if lateness <= Self.maximumLag { return .start(at: now) }
      return .fail(situation.isSeekable ? .stallRecovery : .coordinatedPlaybackNotPossible)
    }
    return seek(situation, now: now)
  }

  /// Returns the delay of a start that is made up for sooner than another seek would take.
  private func acceptableLateness(_ situation: Situation) -> Duration {
    min(
      max(situation.seekCost * inaudibleShare, Self.lateness.lowerBound), Self.lateness.upperBound)
      / min(line.rate, 1)
  }

  /// Returns whether the player shows another frame than the one to start from, and still has time to seek to that one.
  private func hasTimeToShowStart(_ situation: Situation, now: HostTime) -> Bool {
    guard seeks == 0, situation.isSeekable else { return false }
    let ready = now + situation.seekCost + situation.startLatency
    return line.hostTime > ready
      && (situation.itemTime - line.itemTime).magnitude
        > max(situation.frameDuration * 1.5, .milliseconds(20))
  }

  private mutating func seek(_ situation: Situation, now: HostTime) -> Step {
    guard situation.isSeekable else { return .fail(.coordinatedPlaybackNotPossible) }
    seeks += 1
    let ready = now + situation.seekCost + situation.startLatency
    let position = target(at: ready)
    if let duration = situation.duration, position >= duration { return .stayAtEnd }
    aim = max(position, .zero)
    return .seek(to: max(position, .zero))
  }
}
