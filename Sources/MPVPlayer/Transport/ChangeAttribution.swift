import Timekeeping

/// Distinguishes foreign changes, made in mpv's window or through its IPC, from the player's own.
///
/// It rests on one fact: mpv's core handles our requests and all others one after another, and answers ours in that
/// order. So a read returns exactly the last value of ours that was answered before it, unless a foreign change has
/// replaced that value since. A property's change event alone proves nothing (it may be older than an answer that came
/// before it); it only makes us read.
struct ChangeAttribution: Sendable {
  /// A foreign change.
  enum Change: Hashable, Sendable {
    case paused
    case resumed
    case sought(to: MediaTime)
    /// The player's own seek ended elsewhere: at the end of what can be read, or mpv merged it with a foreign one.
    case missed(MediaTime)
    /// The speed that mpv has now.
    case changedSpeed(to: Double)
  }

  enum PauseFinding: Hashable, Sendable {
    /// Our own change, or none.
    case none
    case changed(Change)
    /// Unpaused by a foreign change, or only for one frame (`frame-step`): `pause` must be read again a little later.
    case inDoubt
    /// As expected, but different for a moment: the position must be compared.
    case comparePosition
  }

  /// The player's last own value, or the result of a later foreign change.
  private(set) var isPaused: Bool
  private(set) var speed: Double
  /// The last instant at which the player paused, resumed, or began a file on its own.
  private var lastOwnAction: HostTime?
  /// A Boolean value that indicates whether something in this player has answered a start by a change.
  private(set) var isAnswering = false
  private var isResumeInDoubt = false
  private var sawOtherPause = false

  private enum OwnSeek: Hashable, Sendable {
    case none
    /// Answered; mpv has not begun it.
    case queued(MediaTime)
    case running(MediaTime)
  }
  private var ownSeek = OwnSeek.none
  /// The number of seeks of ours that mpv hasn't answered.
  private var unansweredSeeks = 0
  /// The player's position when a foreign seek began.
  private var foreignSeekFrom: MediaTime?
  private var sawForeignSeek = false
  private var foreignSeekBegan: HostTime?
  /// Between the start of a file and its first frame every seek is part of loading.
  private(set) var isLoading = false

  init(isPaused: Bool = false, speed: Double = 1) {
    self.isPaused = isPaused
    self.speed = speed
  }

  /// Returns whether a foreign change may be a script's answer to the player's own pause or start, and so no choice of
  /// anybody's. Scripts answer within some milliseconds, or after a short timer.
  ///
  /// - Parameter time: when the change was made; nil for the beginning of the last foreign seek.
  func isAnswer(at time: HostTime?) -> Bool {
    guard let time = time ?? foreignSeekBegan, let lastOwnAction else { return false }
    return time - lastOwnAction < Self.answerPeriod
  }

  /// A script or mpv itself has answered the player's own pause or start.
  mutating func answered() { if !isPaused { isAnswering = true } }

  private static let answerPeriod = Duration.milliseconds(200)

  // MARK: Pause and speed

  /// mpv answered our own write.
  mutating func wrotePause(_ value: Bool, at time: HostTime) {
    if value != isPaused { lastOwnAction = time }
    isPaused = value
    isResumeInDoubt = false
    sawOtherPause = false
  }

  mutating func wroteSpeed(_ value: Double) { speed = value }

  /// Takes a change event of `pause`.
  ///
  /// - Returns: whether the property has to be read.
  mutating func observedPause(_ value: Bool) -> Bool {
    guard value != isPaused else { return isResumeInDoubt }
    sawOtherPause = true
    return true
  }

  /// Takes a change event of `speed`.
  ///
  /// - Returns: whether the property has to be read.
  func observedSpeed(_ value: Double) -> Bool { !isSame(value, speed) }

  /// Takes a read value of `pause`.
  ///
  /// - Parameters:
  ///   - isAtEnd: `eof-reached` at the same time. With `keep-open-pause` mpv pauses there without a command.
  ///   - isSecondReading: whether this is the later reading that ``PauseFinding/inDoubt`` asked for.
  mutating func readPause(_ value: Bool, isAtEnd: Bool, isSecondReading: Bool) -> PauseFinding {
    if value == isPaused {
      let wasOther = sawOtherPause || isResumeInDoubt
      sawOtherPause = false
      isResumeInDoubt = false
      return wasOther && value ? .comparePosition : .none
    }
    if value {
      sawOtherPause = false
      isPaused = true
      return isAtEnd ? .none : .changed(.paused)
    }
    if isSecondReading, isResumeInDoubt {
      isResumeInDoubt = false
      sawOtherPause = false
      isPaused = false
      return .changed(.resumed)
    }
    guard !isSecondReading else { return .none }  // settled meanwhile by a write of ours
    isResumeInDoubt = true
    return .inDoubt
  }

  mutating func readSpeed(_ value: Double) -> Change? {
    guard !isSame(value, speed) else { return nil }
    speed = value
    return .changedSpeed(to: value)
  }

  private func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-6 * max(abs(a), abs(b)) }

  // MARK: Seeks

  /// A Boolean value that indicates whether a seek of ours has not ended.
  var isOwnSeekPending: Bool { unansweredSeeks > 0 || ownSeek != .none }

  /// The target of the newest seek of ours in this file; nil without one, and once the player has left it.
  private(set) var ownSeekTarget: MediaTime?

  /// A Boolean value that indicates whether any seek has not ended, or nothing is loaded yet.
  var isSeekPending: Bool { isLoading || isOwnSeekPending || sawForeignSeek }

  /// A seek of ours is on its way to mpv: what is read from now on may be older than the seek.
  mutating func sentSeek() { unansweredSeeks += 1 }

  /// mpv answered our own seek, which it does before it begins the seek.
  ///
  /// - Parameter target: nil if mpv refused it.
  mutating func answeredSeek(to target: MediaTime?) {
    unansweredSeeks -= 1
    guard let target else { return }
    ownSeek = .queued(target)
    ownSeekTarget = target
  }

  /// The player has played for a while, or a user sought elsewhere.
  mutating func leftOwnTarget() { if !isOwnSeekPending { ownSeekTarget = nil } }

  /// mpv sent `MPV_EVENT_SEEK`.
  ///
  /// - Parameters:
  ///   - position: the player's position just before, if known.
  ///   - time: the time of the event.
  mutating func seekBegan(from position: MediaTime?, at time: HostTime) {
    guard !isLoading else { return }
    switch ownSeek {
    case .queued(let target): ownSeek = .running(target)
    case .none, .running:
      if !sawForeignSeek { (foreignSeekFrom, foreignSeekBegan) = (position, time) }
      // Also one that leads nowhere, as at the beginning of the film.
      if isAnswer(at: time) { answered() }
      sawForeignSeek = true
    }
  }

  /// mpv sent `MPV_EVENT_PLAYBACK_RESTART`.
  ///
  /// - Returns: whether the position has to be read.
  mutating func playbackRestarted(at time: HostTime) -> Bool {
    if isLoading {
      isLoading = false
      lastOwnAction = time
      return false
    }
    switch ownSeek {
    case .queued: return false  // our seek is still to come
    case .running: return true
    case .none: return sawForeignSeek
    }
  }

  /// Takes the position after a restart.
  ///
  /// - Parameters:
  ///   - position: the player's position after the restart.
  ///   - frameDuration: zero if there are no frames.
  ///   - isFree: whether a seek of ours may end at any position, because only part of the item can be fetched, or its
  ///     container has no index.
  mutating func landed(
    at position: MediaTime, duration: MediaTime?, frameDuration: Duration, isFree: Bool = false
  ) -> Change? {
    let expected: MediaTime?
    let slack: Duration
    var isOwn = false
    switch ownSeek {
    case .queued: return nil  // our seek came after the read
    case .running where isFree && !sawForeignSeek:
      forgetSeeks()
      return nil
    case .running(let target):
      expected = duration.map { min(target, $0) } ?? target
      if let duration, target > duration - Self.endSlack {
        slack = Self.endSlack
      } else if sawForeignSeek {
        slack = max(frameDuration * 1.5, .milliseconds(60))
      } else {
        slack = Self.mergedSlack
        isOwn = true
      }
    case .none:
      guard sawForeignSeek else { return nil }
      // At the end of a file mpv seeks to its last frame on its own.
      if let duration, let from = foreignSeekFrom, min(from, position) > duration - Self.endSlack {
        forgetSeeks()
        return nil
      }
      expected = foreignSeekFrom
      // While playing, mpv seeks to its current position when a track is changed.
      slack = isPaused ? max(frameDuration / 2, .milliseconds(5)) : .milliseconds(300)
    }
    forgetSeeks()
    if let expected, (position - expected).magnitude <= slack { return nil }
    return isOwn ? .missed(position) : .sought(to: position)
  }

  /// mpv may merge one seek of ours with a foreign one at the same time. The smallest seek of its keys is 1 s; a
  /// smaller difference comes from an inexact file.
  private static let mergedSlack = Duration.milliseconds(900)
  /// The last frame may be this much before the end of the sound.
  private static let endSlack = Duration.seconds(2)

  // MARK: Files

  mutating func fileStarted() {
    isLoading = true
    isAnswering = false
    ownSeekTarget = nil
    forgetSeeks()
  }

  mutating func fileEnded() {
    isLoading = false
    ownSeekTarget = nil
    forgetSeeks()
  }

  private mutating func forgetSeeks() {
    ownSeek = .none
    sawForeignSeek = false
    foreignSeekFrom = nil
  }
}
