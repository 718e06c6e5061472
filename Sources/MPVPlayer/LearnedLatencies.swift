import Timekeeping

/// What this player on this machine takes for things, learnt from what it took before.
struct LearnedLatencies: Hashable, Sendable {
  /// From the command to the frame standing there.
  var seek = SeekCost()
  /// From the call that unpauses to the line on which playback then really is, with sound.
  ///
  /// The first guess is from measurements with `ao=null`, after an exact seek.
  var audioStart = Latency(initial: .microseconds(100), bounds: .zero ... .milliseconds(300))
  /// From the call that changes the speed to the speed that is heard: what lies in audio buffers is
  /// still played at the old one.
  var speedChange = Latency(initial: .milliseconds(450), bounds: .zero ... .seconds(2))
  /// By how much that is longer than the jump of `audio-pts` says: a tempo filter of the user's own may
  /// hold sound that isn't counted. Zero with ours.
  var speedChangeBias = Latency(
    initial: .zero, bounds: .milliseconds(-80) ... .milliseconds(80))
  /// By how much later frames are shown than ``FrameClock`` says: an output that waits for its display tells of them
  /// later, which makes this one less than zero. Zero with `vo=null`, or nearly.
  var frameLeadBias = Self.noFrameLeadBias
}

extension LearnedLatencies {
  static let noFrameLeadBias = Latency(
    initial: .zero, bounds: .milliseconds(-40) ... .milliseconds(40))

  /// A start was off the line by `error`; it had allowed for `allowed`.
  mutating func learnStart(
    allowed: Duration, error: Duration, rate: Double, source: PlayerPosition.Source
  ) {
    // More than this is a machine that is overloaded, and says nothing about the next start.
    guard error.magnitude <= .milliseconds(150) else { return }
    switch source {
    case .audio: audioStart.record(allowed - error / rate)
    case .frame:
      // Without sound mpv's clock starts with the call: what looks like an error is how frames are told of.
      frameLeadBias.record(frameLeadBias.value + error / rate)
    case .standing: break
    }
  }

  /// A change of speed by `difference` left playback off the line by `error`.
  mutating func learnSpeedChange(difference: Double, error: Duration) {
    guard abs(difference) >= 0.05, error.magnitude <= .milliseconds(50) else { return }
    speedChangeBias.record(speedChangeBias.value - error / difference)
  }
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
