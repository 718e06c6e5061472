/// Decides whether a reading of the position is as exact as readings from this output can be.
///
/// A reading's uncertainty is half of the time that it takes. Usually mpv answers within microseconds; if it has to ask the
/// sound server (`pulse-latency-hacks`), that takes some tenths of a millisecond, however often it is asked.
struct ReadingTimes: Hashable, Sendable {
  /// The ratio to the least uncertainty of late that suffices.
  static let likeBest = 1.5
  /// The growth of the least uncertainty with each reading, so that it follows an output that becomes slower.
  static let growth = 1.02

  /// The least uncertainty of late; nil before the first reading.
  private var best: Duration?

  /// Takes a reading's uncertainty.
  ///
  /// - Returns: whether another reading would hardly be more exact; false for the first one, since nothing is known.
  mutating func isLikeBest(_ uncertainty: Duration) -> Bool {
    let known = best.map { $0 * Self.growth }
    best = min(known ?? uncertainty, uncertainty)
    return known.map { uncertainty <= $0 * Self.likeBest } ?? false
  }
}
