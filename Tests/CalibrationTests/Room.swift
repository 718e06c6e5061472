import Timekeeping

@testable import Calibration

/// A room with a loudspeaker that plays the calibration's sound, and a microphone: what it records, computed.
struct Room {
  /// A way of the sound, in addition to the direct one.
  struct Reflection {
    /// Seconds after the direct sound.
    var lag: Double
    var gain: Double
  }

  /// The output's delay in seconds, for each sweep.
  var delays = [0.183, 0.183, 0.183]
  /// The gain of the direct sound.
  var direct = 1.0
  var reflections: [Reflection] = []
  /// The part of the square of the sound that the loudspeaker adds to it.
  var distortion = 0.0
  /// The noise's amplitude (standard deviation).
  var noise = 0.0
  /// A Boolean value that indicates whether the noise is a rumble rather than white.
  var isRumbling = false
  /// The amplitude of the sound of somebody else: bursts of noise, 80 to 300 ms each.
  var bursts = 0.0
  /// The gain of the microphone; the recording is clipped at ±1.
  var gain = 1.0
  /// The skews of the clocks, in millionths.
  var playerSkew = 0.0
  var microphoneSkew = 0.0
  /// The time in seconds between two counts of the recorded samples; 0 if they are counted at each reading.
  var period = 0.0
  var rate = 48_000
  var duration = 11.6
  var seed: UInt64 = 1

  /// The effective value of a sweep at the microphone.
  var sweepLevel: Double {
    let energy = reflections.reduce(direct * direct) { $0 + $1.gain * $1.gain }
    return Sweep.level / 2.0.squareRoot() * energy.squareRoot() * gain
  }

  /// The beginning of the sound by this machine's clock, and that of the recording, a moment before.
  private static let playerStart = HostTime(nanoseconds: 70_000_000_000)
  private static let microphoneStart = HostTime(nanoseconds: 69_650_000_000)

  /// Readings of the player's position, as ``OutputDelay`` takes them.
  func playback(lateReadings: Double = 0) -> [ClockMark] {
    var random = Random(seed: seed &+ 17)
    return (0..<330).map { index in
      let passed = 0.2 + Double(index) * 0.03
      let late = random.uniform() < lateReadings ? 0.02 : 0
      return ClockMark(
        seconds: passed * (1 + playerSkew / 1e6),
        time: Self.playerStart + .seconds(passed + late + random.uniform() * 0.0002))
    }
  }

  func recording(lateReadings: Double = 0) -> Recording {
    var random = Random(seed: seed)
    var samples = sound()
    if noise > 0 { add(noise, to: &samples, &random) }
    if bursts > 0 { addBursts(to: &samples, &random) }
    for index in samples.indices {
      samples[index] = min(max(samples[index] * gain, -1), 1)
    }
    let marks = (0..<440).map { index in
      let passed = 0.1 + Double(index) * 0.025
      let late = random.uniform() < lateReadings ? 0.015 : 0
      let counted = passed - (period > 0 ? passed.truncatingRemainder(dividingBy: period) : 0)
      return ClockMark(
        seconds: counted * (1 + microphoneSkew / 1e6),
        time: Self.microphoneStart + .seconds(passed + late))
    }
    return Recording(samples: samples.map { Float($0) }, rate: rate, marks: marks)
  }

  /// The sweeps with all ways through the room.
  private func sound() -> [Double] {
    let count = Int(duration * Double(rate))
    var samples = [Double](repeating: 0, count: count)
    let lead = (Self.playerStart - Self.microphoneStart).inSeconds
    for (beginning, delay) in zip(CalibrationSound.beginnings, delays) {
      let emitted = beginning.inSeconds / (1 + playerSkew / 1e6) + lead + delay
      var sweep: [Double] = []
      let first = Int((emitted * Double(rate)).rounded(.up)) - 20
      for index in first..<first + rate + 40 {
        let time = Double(index) / Double(rate) / (1 + microphoneSkew / 1e6) - emitted
        let value = Sweep.sample(at: time * (1 + playerSkew / 1e6))
        sweep.append(value + distortion * (value * value / Sweep.level))
      }
      add(sweep, at: first, direct, to: &samples)
      for reflection in reflections {
        let lag = Int((reflection.lag * Double(rate)).rounded())
        add(sweep, at: first + lag, reflection.gain, to: &samples)
      }
    }
    return samples
  }

  private func add(_ sweep: [Double], at first: Int, _ gain: Double, to samples: inout [Double]) {
    for (index, value) in sweep.enumerated() {
      let at = first + index
      if at >= 0, at < samples.count { samples[at] += gain * value }
    }
  }

  private func add(_ noise: Double, to samples: inout [Double], _ random: inout Random) {
    // One pole at 400 Hz; its output is raised to the same effective value.
    let pole = isRumbling ? 0.949 : 0
    let scale = (1 - pole * pole).squareRoot()
    var last = 0.0
    for index in samples.indices {
      last = pole * last + scale * random.gaussian()
      samples[index] += noise * last
    }
  }

  private func addBursts(to samples: inout [Double], _ random: inout Random) {
    var at = 0
    while at < samples.count {
      at += Int(random.uniform() * 0.5 * Double(rate))
      let length = Int((0.08 + random.uniform() * 0.22) * Double(rate))
      for index in at..<at + length where index < samples.count {
        samples[index] += bursts * random.gaussian()
      }
      at += length
    }
  }

  /// Adds the tail of a room whose echoes fall by 60 dB in `seconds`.
  mutating func addTail(fallingIn seconds: Double, level: Double) {
    var random = Random(seed: seed &+ 99)
    for _ in 0..<120 {
      let lag = 0.003 + random.uniform() * seconds
      let fall = Double.exp10(-3 * lag / seconds)
      reflections.append(
        Reflection(lag: lag, gain: level * fall * (random.uniform() < 0.5 ? -1 : 1)))
    }
  }
}

/// Random numbers from a seed (SplitMix64).
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The next number from 0 to 1.
  mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((value ^ (value >> 31)) >> 11) / Double(1 << 53)
  }

  /// The next number of a distribution that is nearly normal, with standard deviation 1.
  mutating func gaussian() -> Double {
    (uniform() + uniform() + uniform() + uniform() - 2) * 3.0.squareRoot()
  }
}
