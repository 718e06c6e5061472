import Timekeeping

/// A place and a rate to begin with. Mirrors what `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)`
/// reads from a `CMTimebase`.
public struct PlaybackTiming: Hashable, Sendable {
  /// Zero for paused.
  public var rate: Double
  public var itemTime: MediaTime

  public init(rate: Double, itemTime: MediaTime) {
    self.rate = rate
    self.itemTime = itemTime
  }
}
