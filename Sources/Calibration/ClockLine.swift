import Timekeeping

/// A reading of two clocks at one instant: a device's, and this machine's.
package struct ClockMark: Hashable, Sendable {
  /// The device's time in seconds: of the sound that is heard, or that enters the microphone, at ``time``.
  package var seconds: Double
  /// The instant by this machine's clock.
  package var time: HostTime

  package init(seconds: Double, time: HostTime) {
    self.seconds = seconds
    self.time = time
  }
}

/// The relation between a device's clock and this machine's: a straight line through marks.
///
/// The marks of each half second become one. The slope is the median of those of all pairs that are far enough apart, and
/// the height is a median too (Theil and Sen): readings that are off, because the machine was busy, move neither.
struct ClockLine: Hashable, Sendable {
  /// The marks that count in each half second.
  enum Choice: Hashable, Sendable {
    /// The middle ones: a reading may be early or late.
    case middle
    /// The freshest: a reading may be old, but not early. PipeWire counts the recorded samples once in each of its
    /// periods, so that its answer is up to 20 ms old; PulseAudio's answers are of the moment.
    case freshest
  }

  private static let part = Duration.milliseconds(500)
  private static let leastParts = 8
  private static let leastMarksOfPart = 3
  /// The least distance in seconds of two half seconds that say something about the slope.
  private static let leastBase = 2.0
  /// A crystal is within 0.01 %. A larger difference is an interruption, or a device that doesn't know its time.
  private static let largestSkew = 0.001
  /// The largest accepted median deviation from the line within one half second, in seconds.
  private static let largestDeviation = 0.002

  /// The largest distance in seconds of a reading from the line (median): that of a device which counts each 21 ms.
  private static let largestScatter = 0.006

  private let origin: HostTime
  /// The device's time at the origin.
  private let seconds: Double
  /// The device's seconds in each of this machine's.
  let rate: Double

  /// - Parameter marks: in order of their times.
  /// - Returns: nil if the marks are too few, or on no line.
  init?(_ marks: [ClockMark], _ choice: Choice) {
    guard let first = marks.first else { return nil }
    // Places are relative to a device without skew.
    var parts: [Int: [(passed: Double, lead: Double)]] = [:]
    for mark in marks {
      let passed = (mark.time - first.time).inSeconds
      parts[Int(passed / Self.part.inSeconds), default: []].append((passed, mark.seconds - passed))
    }
    var points: [(passed: Double, lead: Double)] = []
    for (_, part) in parts.sorted(by: { $0.key < $1.key })
    where part.count >= Self.leastMarksOfPart {
      let sorted = part.sorted { $0.lead < $1.lead }
      switch choice {
      case .middle: points.append(sorted[sorted.count / 2])
      case .freshest: points.append(sorted[sorted.count - 1])
      }
    }
    guard points.count >= Self.leastParts, let last = points.last,
      last.passed - points[0].passed >= Self.leastBase
    else { return nil }
    var slopes: [Double] = []
    for (index, early) in points.enumerated() {
      for late in points[(index + 1)...] where late.passed - early.passed >= Self.leastBase {
        slopes.append((late.lead - early.lead) / (late.passed - early.passed))
      }
    }
    let slope = Self.median(slopes)
    guard abs(slope) <= Self.largestSkew else { return nil }
    let heights = points.map { $0.lead - $0.passed * slope }
    let height = Self.median(heights)
    guard Self.median(heights.map { abs($0 - height) }) <= Self.largestDeviation else { return nil }
    let scatter = parts.values.joined().map { abs($0.lead - $0.passed * slope - height) }
    guard choice == .freshest || Self.median(scatter) <= Self.largestScatter else { return nil }
    (origin, seconds, rate) = (first.time, height, 1 + slope)
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
