import Timekeeping

/// The frames of a film without sound, while they are watched for the position.
struct FrameWatch: Hashable, Sendable {
  /// The number of frames that must pass before they serve for learning.
  static let framesToLearnFrom = 6
  private static let patience = Duration.milliseconds(300)

  private var clock = FrameClock()
  /// The number of watched frames.
  private(set) var seen: UInt64 = 0

  mutating func handedOver(_ itemTime: MediaTime, at time: HostTime, speed: Double) {
    seen += 1
    clock.handedOver(itemTime, at: time, speed: speed)
  }

  /// The frames are no longer watched, or don't move.
  mutating func stopped() { clock = FrameClock() }

  /// Returns the time to wait for the next frame.
  func patience(minimumCount: Int) -> Duration {
    if minimumCount > 2 { return .seconds(1) }
    // Three frames pass before the first reading.
    return clock.reading == nil ? Self.patience * 2 : Self.patience
  }

  /// Returns whether a frame came after `seen` ones, and enough of them contribute. The same measurement twice would
  /// count as two.
  func hasNext(after seen: UInt64, minimumCount: Int) -> Bool {
    self.seen > seen && (clock.reading?.count ?? 0) >= minimumCount
  }

  /// Estimates the position.
  ///
  /// - Parameters:
  ///   - bias: the delay of frames against the times from ``FrameClock``.
  ///   - isLate: whether no frame came in time. Then the last frame predicts the position at `now`.
  /// - Returns: nil if too few frames have passed.
  func position(
    minimumCount: Int, speed: Double, bias: Duration, isLate: Bool, now: HostTime
  ) -> PlayerPosition? {
    guard let reading = clock.reading, reading.count >= minimumCount else { return nil }
    let due = reading.due + bias
    let uncertainty = reading.spread + (reading.count < 4 ? .milliseconds(4) : .milliseconds(1))
    // Not every film has a frame in so short a time.
    if isLate, clock.longestFrame <= Self.patience / 2 { return nil }
    let time = isLate ? now : reading.handedOver
    return PlayerPosition(
      itemTime: reading.itemTime + (time - due) * speed, hostTime: time, rate: speed,
      uncertainty: uncertainty, source: .frame)
  }
}
