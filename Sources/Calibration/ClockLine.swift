import Timekeeping

/// A reading of two clocks at one instant: a device's, and this machine's.
public struct ClockMark: Hashable, Sendable {
  /// The device's time in seconds: of the sound that is heard, or that enters the microphone, at ``time``.
  public var seconds: Double
  /// The instant by this machine's clock.
  public var time: HostTime

  /// Creates a reading.
  public init(seconds: Double, time: HostTime) {
    self.seconds = seconds
    self.time = time
  }
}

/// The relation between a device's clock and this machine's: a straight line through marks.
///
/// The slope is the median of those of pairs that are half of the marks apart, and the height is a median too (Theil and
/// Sen): readings that are late, because the machine was busy, move neither.
struct ClockLine: Hashable, Sendable {
  /// A crystal is within 0.01 %. A larger difference is an interruption, or a device that doesn't know its time.
  private static let largestSkew = 0.001
  private static let leastMarks = 8
  private static let longestDeviation = 0.001

  private let origin: HostTime
  /// The device's time at the origin.
  private let seconds: Double
  /// The device's seconds in each of this machine's.
  let rate: Double

  /// - Returns: nil if the marks are too few, or on no line.
  init?(_ marks: [ClockMark]) {
    guard marks.count >= Self.leastMarks, let first = marks.first else { return nil }
    let half = marks.count / 2
    var slopes: [Double] = []
    for (early, late) in zip(marks, marks.dropFirst(half)) {
      let passed = (late.time - early.time).inSeconds
      guard passed > 0 else { return nil }
      slopes.append((late.seconds - early.seconds) / passed)
    }
    let slope = Self.median(slopes)
    guard abs(slope - 1) <= Self.largestSkew else { return nil }
    let heights = marks.map { $0.seconds - ($0.time - first.time).inSeconds * slope }
    let height = Self.median(heights)
    let deviation = Self.median(heights.map { abs($0 - height) })
    guard deviation <= Self.longestDeviation else { return nil }
    (origin, seconds, rate) = (first.time, height, slope)
  }

  func time(at seconds: Double) -> HostTime {
    origin + .seconds((seconds - self.seconds) / rate)
  }

  func seconds(at time: HostTime) -> Double {
    seconds + (time - origin).inSeconds * rate
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
