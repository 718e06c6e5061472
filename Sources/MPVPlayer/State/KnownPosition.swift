import Timekeeping

/// The position at which picture and sound both begin when playback continues.
struct PrimedPosition: Hashable, Sendable {
  let itemTime: MediaTime
  /// The target of the seek. A film has nothing to show between it and a later ``itemTime``.
  let target: MediaTime
  /// The speed for which the sound was made.
  let speed: Double
}

/// The position of a paused player, as it was read.
struct PausedPosition: Hashable, Sendable {
  /// The frame that is shown at the position. Only the first kind has the position of the frame; that of the others is
  /// the sound's, which mpv also moves with the speed, and with what the output reports, while the player is paused.
  enum Picture: Hashable, Sendable {
    /// It begins there.
    case frame
    /// It began earlier, as a slide does, and the sound has run on. A seek would go to the next one.
    case lasting
    /// None is known: the picture has ended before, and the sound is alone.
    case none
  }

  let itemTime: MediaTime
  let picture: Picture

  /// The lead of the sound from which a slide counts as a lasting one.
  private static let slideLead = Duration.milliseconds(200)
  /// The same for the frames of an ordinary film, which are up to 50 ms ahead of the sound, and behind it where the
  /// machine is busy.
  private static let frameLead = Duration.seconds(1)
  /// The amount by which `audio-pts` may be too low after a seek: mpv may still count what the output held before.
  private static let longestLag = Duration.seconds(1)
  /// mpv shows no frame that is earlier than this before a seek's target. The rest is rounding.
  private static let seekTolerance = Duration.milliseconds(6)

  /// Creates the position from mpv's properties.
  ///
  /// - Parameters:
  ///   - shown: `time-pos`, the shown frame's time.
  ///   - heard: `audio-pts`; nil without sound.
  ///   - delay: `audio-delay`, by which the user has moved the sound against the picture.
  ///   - hasVideo: false if `time-pos` doesn't belong to a frame; it lags behind the sound then.
  ///   - hasSlides: whether the film's pictures usually last while the sound runs on.
  /// - Returns: nil if neither is known.
  init?(shown: MediaTime?, heard: MediaTime?, delay: Duration, hasVideo: Bool, hasSlides: Bool) {
    guard hasVideo, let shown else {
      guard let itemTime = heard ?? shown else { return nil }
      self.init(itemTime: itemTime, picture: .none)
      return
    }
    if let heard, heard + delay - shown > (hasSlides ? Self.slideLead : Self.frameLead) {
      self.init(itemTime: heard, picture: .lasting)
    } else {
      // After the picture's end mpv takes the sound's position for the frame's.
      self.init(itemTime: shown, picture: shown == heard ? .none : .frame)
    }
  }

  init(itemTime: MediaTime, picture: Picture = .frame) {
    self.itemTime = itemTime
    self.picture = picture
  }

  /// Returns the position after an exact seek. Where mpv finds no frame, the sound begins exactly at the target.
  ///
  /// - Parameters:
  ///   - found: the position that was read; nil if none was.
  ///   - duration: the film's duration, at which no sound begins.
  static func afterSeek(
    to target: MediaTime, found: PausedPosition?, duration: MediaTime?, hasVideo: Bool,
    hasAudio: Bool
  ) -> PausedPosition? {
    guard hasVideo else {
      return PausedPosition(itemTime: duration.map { min(target, $0) } ?? target, picture: .none)
    }
    guard let found else { return nil }
    let missing = target - found.itemTime
    let isSoundAlone =
      hasAudio && missing <= longestLag && duration.map { target < $0 } ?? true
      && (missing > seekTolerance || missing > .zero && found.picture == .none)
    return isSoundAlone ? PausedPosition(itemTime: target, picture: .none) : found
  }
}

/// The last known position of playback.
struct KnownPosition: Hashable, Sendable {
  /// For extrapolation; nil while no film is loaded.
  private(set) var anchor: PlayerPosition?
  /// The position after an exact seek of the player's own, while it is still paused there.
  private(set) var primed: PrimedPosition?
  /// The frame that is shown at the anchor, while paused.
  private(set) var picture = PausedPosition.Picture.frame
  /// A Boolean value that indicates whether playback jumped by itself since ``takeJump()``.
  private(set) var hasJumped = false

  // MARK: Changes

  mutating func measured(_ position: PlayerPosition) {
    if position.rate > 0 { moves(at: position.itemTime, hostTime: position.hostTime) }
    anchor = position
    picture = .frame
  }

  /// Playback was found at a position to which nothing moved it. Without jumps it is the extrapolated one, or an earlier
  /// one if playback stopped meanwhile, but never earlier than the last known one.
  mutating func moves(at itemTime: MediaTime, hostTime: HostTime) {
    guard let anchor, anchor.rate > 0 else { return }
    if itemTime - anchor.itemTime(atHostTime: hostTime) > Self.leastJump
      || anchor.itemTime - itemTime > Self.leastJump
    {
      hasJumped = true
    }
  }

  /// Playback begins at another position than the line that it follows.
  mutating func jumped() { hasJumped = true }

  mutating func takeJump() -> Bool {
    defer { hasJumped = false }
    return hasJumped
  }

  /// More than any error of a measurement.
  private static let leastJump = Duration.milliseconds(500)

  /// The player is paused at a position that was read.
  mutating func paused(at position: PausedPosition, hostTime: HostTime) {
    measured(
      PlayerPosition(
        itemTime: position.itemTime, hostTime: hostTime, rate: 0, uncertainty: .zero,
        source: .still))
    picture = position.picture
  }

  /// The player is paused at a frame.
  mutating func paused(at itemTime: MediaTime, hostTime: HostTime) {
    paused(at: PausedPosition(itemTime: itemTime), hostTime: hostTime)
  }

  /// Playback continues in another way from here.
  ///
  /// - Parameter rate: zero if it doesn't move.
  mutating func continues(
    at itemTime: MediaTime, hostTime: HostTime, rate: Double, uncertainty: Duration
  ) {
    measured(
      PlayerPosition(
        itemTime: itemTime, hostTime: hostTime, rate: rate, uncertainty: uncertainty,
        source: .still))
  }

  /// The film is gone.
  mutating func forget() { anchor = nil }

  mutating func primed(at itemTime: MediaTime, target: MediaTime, speed: Double) {
    primed = PrimedPosition(itemTime: itemTime, target: target, speed: speed)
  }

  /// Sound and picture no longer begin together.
  mutating func unprime() { primed = nil }

  // MARK: Decisions

  /// Returns the position at an instant; nil while none is known.
  func itemTime(at time: HostTime, isMoving: Bool, duration: MediaTime?) -> MediaTime? {
    guard let anchor else { return nil }
    guard isMoving, anchor.rate > 0 else { return anchor.itemTime }
    let position = anchor.itemTime(atHostTime: time)
    return duration.map { min(position, $0) } ?? position
  }

  /// Returns whether the paused player shows another frame than the known one. Unknown as long as the known position
  /// was extrapolated, or one of the two is the sound's.
  func isOtherFrame(_ position: PausedPosition, frameDuration: Duration?) -> Bool {
    guard let anchor, anchor.isExact, position.picture == .frame, !isFrameBefore(position) else {
      return false
    }
    return (position.itemTime - anchor.itemTime).magnitude > (frameDuration ?? .zero) / 2
  }

  /// Returns whether the known position is better than this one, which is the sound's, and was exact at first; or which
  /// is that of a frame before the sound that is alone.
  func prevails(over position: PausedPosition) -> Bool {
    anchor?.isExact == true && (position.picture != .frame || isFrameBefore(position))
  }

  /// Returns whether a frame was shown before the known position, which is the sound's. mpv doesn't always have the
  /// sound's position while it is paused. From where there is no frame it goes back to the last one on its own.
  private func isFrameBefore(_ position: PausedPosition) -> Bool {
    let distance = picture == .frame ? Self.longestStep : .zero
    return anchor.map { position.itemTime < $0.itemTime - distance } ?? false
  }

  /// More than a user's step back by one frame.
  private static let longestStep = Duration.seconds(1)

  /// Returns whether the buffered sound begins with the shown frame, at this speed.
  func isPrimed(for speed: Double) -> Bool { primed?.speed == speed }

  /// The measured position, which is exact while primed; nil otherwise.
  func primedPosition(at time: HostTime) -> PlayerPosition? {
    guard let primed else { return nil }
    return PlayerPosition(
      itemTime: primed.itemTime, hostTime: time, rate: 0, uncertainty: .zero, source: .still)
  }
}
