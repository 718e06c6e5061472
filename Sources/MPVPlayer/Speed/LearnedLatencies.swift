import Timekeeping

/// Learned durations of this player's operations on this machine, from earlier ones.
struct LearnedLatencies: Hashable, Sendable {
  /// The time from a seek command until the player is paused at the frame.
  private(set) var seek = SeekCost()
  /// The time from the call that unpauses to the line on which playback then really is, with sound.
  private(set) var audioStart = Self.audioStart(.null)
  private var output = Output.null
  /// The time from the call that changes the speed until the new speed is audible: the contents of audio buffers are
  /// still played at the old one.
  private(set) var speedChange = MedianLatency(
    initial: .milliseconds(450), bounds: .zero ... .seconds(2))
  /// The difference between the actual delay and the jump of `audio-pts`: a tempo filter may hold sound that isn't
  /// counted. Zero while the sound is resampled.
  private(set) var speedChangeBias = Latency(
    initial: .zero, bounds: .milliseconds(-80) ... .milliseconds(80))
  /// The delay of frames against the times from ``FrameClock``. An output that waits for its display reports them
  /// later, which makes this value negative. Zero with `vo=null`, or nearly.
  private(set) var frameLeadBias = Self.noFrameLeadBias
  /// The latency of the last start, if it was too far from the expected one to be believed alone.
  private var outlier: Duration?
}

extension LearnedLatencies {
  /// An audio output of mpv, as far as its starts differ.
  private enum Output: Hashable, Sendable {
    /// mpv's `null`, which discards the sound.
    case null
    case pipeWire
    case other

    /// - Parameter name: mpv's `current-ao`.
    init(named name: String) {
      switch name {
      case "null": self = .null
      case "pipewire": self = .pipeWire
      default: self = .other
      }
    }
  }

  static let noFrameLeadBias = Latency(
    initial: .zero, bounds: .milliseconds(-40) ... .milliseconds(40))

  mutating func seekTook(_ cost: Duration) { seek.record(cost) }

  mutating func seekWasTooShort() { seek.wasTooShort() }

  mutating func seekWasEnough() { seek.wasEnough() }

  /// The first guesses are from measurements after an exact seek. A sound server begins at its next block (PulseAudio
  /// after 0.5 to 6 ms, PipeWire after 4 to 14), and a busy machine later: the median counts.
  private static func audioStart(_ output: Output) -> MedianLatency {
    let guess: Duration =
      switch output {
      case .null: .microseconds(100)
      case .pipeWire: .milliseconds(9)
      case .other: .milliseconds(2)
      }
    return MedianLatency(initial: guess, bounds: .zero ... .seconds(3))
  }

  /// The distance from the line above which a single start predicts nothing: the machine was overloaded, perhaps.
  private static let largestError = Duration.milliseconds(150)
  /// The largest difference of two such starts that are the output's own latency: a speaker beyond a network or Bluetooth
  /// begins when its buffers are full, and the sound server reports that.
  private static let agreement = Duration.milliseconds(80)

  /// The sound goes to this output of mpv.
  mutating func outputChanged(to name: String) {
    let new = Output(named: name)
    guard new != output else { return }
    output = new
    outlier = nil
    audioStart = Self.audioStart(new)
  }

  /// Learns from the sound that was in buffers when the speed changed.
  mutating func soundWasBuffered(_ duration: Duration) { speedChange.record(duration) }

  /// Another film's frames may be reported at other times.
  mutating func forgetFrames() { frameLeadBias = Self.noFrameLeadBias }

  /// Learns from a start that was off the line by `error`; it had allowed for `allowed`.
  mutating func learnStart(
    allowed: Duration, error: Duration, rate: Double, source: PlayerPosition.Source
  ) {
    switch source {
    case .audio:
      let latency = allowed - error / rate
      let last = outlier
      outlier = nil
      if error.magnitude <= Self.largestError { return audioStart.record(latency) }
      guard let last, (latency - last).magnitude <= Self.agreement else { return outlier = latency }
      audioStart.restart(with: [last, latency])
    case .frame:
      // Without sound mpv's clock starts with the call: an apparent error comes from the reporting of frames.
      guard error.magnitude <= Self.largestError else { return }
      frameLeadBias.record(frameLeadBias.value + error / rate)
    case .still: break
    }
  }

  /// Learns from a change of speed by `difference` that left playback off the line by `error`.
  mutating func learnSpeedChange(difference: Double, error: Duration) {
    guard abs(difference) >= 0.05, error.magnitude <= .milliseconds(50) else { return }
    speedChangeBias.record(speedChangeBias.value - error / difference)
  }
}

/// The median of the latest measurements.
struct MedianLatency: Hashable, Sendable {
  private(set) var value: Duration
  private let bounds: ClosedRange<Duration>
  private var latest: [Duration] = []

  private static let most = 9

  init(initial: Duration, bounds: ClosedRange<Duration>) {
    value = initial
    self.bounds = bounds
  }

  mutating func record(_ measured: Duration) {
    latest.append(measured)
    if latest.count > Self.most { latest.removeFirst() }
    let median = latest.sorted()[(latest.count - 1) / 2]
    value = min(max(median, bounds.lowerBound), bounds.upperBound)
  }

  /// Forgets the earlier measurements, which were of something else.
  mutating func restart(with measured: [Duration]) {
    latest = []
    for each in measured { record(each) }
  }
}

/// A running estimate that takes the first measurement unchanged and then half of each difference.
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

/// The estimated upper bound of the next exact seek's duration. The method is TCP's for its retransmission timer: the
/// smoothed mean and four times the mean deviation (RFC 6298 §2).
struct SeekCost: Hashable, Sendable {
  private var mean: Duration?
  private var deviation = Duration.zero
  private var failures = 0

  /// The predicted duration, from 10 ms to 10 s. It doubles after a seek that took longer, and once again after the
  /// next, whose durations count besides.
  var prediction: Duration {
    guard let mean else { return .milliseconds(150) * (1 << min(failures, 2)) }
    let plain = mean + max(deviation * 4, .milliseconds(5))
    return min(max(plain * (1 << min(failures, 2)), .milliseconds(10)), .seconds(10))
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
