import Timekeeping

/// The position at which picture and sound both begin when playback continues.
struct PrimedPosition: Hashable, Sendable {
  let itemTime: MediaTime
  /// The speed for which the sound was made.
  let speed: Double
}

/// The last known position of playback.
struct KnownPosition: Hashable, Sendable {
  /// For extrapolation; nil while no film is loaded.
  private(set) var anchor: PlayerPosition?
  /// The position after an exact seek of the player's own, while it is still paused there.
  private(set) var primed: PrimedPosition?

  // MARK: Changes

  mutating func measured(_ position: PlayerPosition) { anchor = position }

  /// The player is paused at a position that was read.
  mutating func paused(at itemTime: MediaTime, hostTime: HostTime) {
    anchor = PlayerPosition(
      itemTime: itemTime, hostTime: hostTime, rate: 0, uncertainty: .zero, source: .still)
  }

  /// Playback continues in another way from here.
  ///
  /// - Parameter rate: zero if it doesn't move.
  mutating func continues(
    at itemTime: MediaTime, hostTime: HostTime, rate: Double, uncertainty: Duration
  ) {
    anchor = PlayerPosition(
      itemTime: itemTime, hostTime: hostTime, rate: rate, uncertainty: uncertainty,
      source: .still)
  }

  /// The film is gone.
  mutating func forget() { anchor = nil }

  mutating func primed(at itemTime: MediaTime, speed: Double) {
    primed = PrimedPosition(itemTime: itemTime, speed: speed)
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

  /// Returns whether another frame than the known one is shown at `position`. Unknown as long as the known position was
  /// extrapolated.
  func isOtherFrame(_ position: MediaTime, frameDuration: Duration?) -> Bool {
    guard let anchor, anchor.isExact else { return false }
    return (position - anchor.itemTime).magnitude > (frameDuration ?? .zero) / 2
  }

  /// Returns whether the buffered sound begins with the shown frame, at this speed.
  func isPrimed(for speed: Double) -> Bool { primed?.speed == speed }

  /// The measured position, which is exact while primed; nil otherwise.
  func primedPosition(at time: HostTime) -> PlayerPosition? {
    guard let primed else { return nil }
    return PlayerPosition(
      itemTime: primed.itemTime, hostTime: time, rate: 0, uncertainty: .zero, source: .still)
  }
}
