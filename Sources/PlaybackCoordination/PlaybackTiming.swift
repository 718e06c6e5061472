import Timekeeping

/// An initial position and rate. Mirrors the part of a `CMTimebase` that
/// `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)` reads.
public struct PlaybackTiming: Hashable, Sendable {
  /// The rate; zero for paused.
  public var rate: Double
  /// The position in the item.
  public var itemTime: MediaTime

  /// Creates a timing.
  public init(rate: Double, itemTime: MediaTime) {
    self.rate = rate
    self.itemTime = itemTime
  }
}
