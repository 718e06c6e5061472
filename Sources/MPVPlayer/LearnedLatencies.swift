import Timekeeping

/// What this player on this machine takes for things, learnt from what it took before.
struct LearnedLatencies: Hashable, Sendable {
  /// From the command to the frame standing there.
  var seek = SeekCost()
  /// From the call that unpauses to the line on which playback then really is, with sound.
  ///
  /// The first guess is from measurements with `ao=null`: 1.5 to 2 ms.
  var audioStart = Latency(initial: .microseconds(1700), bounds: .zero ... .milliseconds(300))
  /// The same for an item without sound.
  var videoStart = Latency(initial: .zero, bounds: .milliseconds(-60) ... .milliseconds(100))
  /// From the call that changes the speed to the speed that is heard: what lies in audio buffers is
  /// still played at the old one.
  var speedChange = Latency(initial: .milliseconds(370), bounds: .zero ... .seconds(2))
}

/// A running estimate that takes the first measurement as it is and then half of each difference.
struct Latency: Hashable, Sendable {
  private(set) var value: Duration
  private let bounds: ClosedRange<Duration>
  private var hasMeasurement = false

  init(initial: Duration, bounds: ClosedRange<Duration>) {
    value = initial
    self.bounds = bounds
  }

  mutating func record(_ measured: Duration) {
    let next = hasMeasurement ? value + (measured - value) / 2 : measured
    value = min(max(next, bounds.lowerBound), bounds.upperBound)
    hasMeasurement = true
  }
}

/// What the next exact seek will take at most, as TCP estimates its retransmission timer: the
/// smoothed mean and four times the mean deviation (RFC 6298 §2).
struct SeekCost: Hashable, Sendable {
  private var mean: Duration?
  private var deviation = Duration.zero
  private var failures = 0

  /// Never under 10 ms, never above 10 s. Twice as much after each seek that took longer.
  var prediction: Duration {
    guard let mean else { return .milliseconds(150) * (1 << min(failures, 6)) }
    let plain = mean + max(deviation * 4, .milliseconds(5))
    return min(max(plain * (1 << min(failures, 6)), .milliseconds(10)), .seconds(10))
  }

  mutating func record(_ cost: Duration) {
    guard let previous = mean else {
      mean = cost
      deviation = cost / 2
      return
    }
    let difference = cost > previous ? cost - previous : previous - cost
    deviation = deviation * 0.75 + difference * 0.25
    mean = previous * 0.875 + cost * 0.125
  }

  mutating func wasTooShort() { failures += 1 }
  mutating func wasEnough() { failures = 0 }
}
