import Foundation

/// Film-like sound without a period, the same for the same seed: music, noises and speech with pauses.
struct SyntheticSound {
  static let rate = 16_000
  private(set) var samples: [Float]
  private var random: SeededGenerator

  private init(seconds: Double, seed: UInt64) {
    samples = [Float](repeating: 0, count: Int(seconds * Double(Self.rate)))
    random = SeededGenerator(seed: seed)
  }

  /// Returns the sound of a film: music and noises, and speech of its own seed.
  static func film(
    seconds: Double, seed: UInt64, speechSeed: UInt64? = nil, speechGain: Float = 1
  ) -> [Float] {
    let (music, speech) = (
      music(seconds: seconds, seed: seed),
      speech(seconds: seconds, seed: speechSeed ?? seed &+ 1000)
    )
    return zip(music, speech).map { $0 + $1 * speechGain }
  }

  static func music(seconds: Double, seed: UInt64) -> [Float] {
    var sound = SyntheticSound(seconds: seconds, seed: seed)
    var (time, gain) = (0.0, Float(1))
    var sectionEnd = 0.0
    while time < seconds {
      if time >= sectionEnd {
        sectionEnd = time + .random(in: 8...30, using: &sound.random)
        gain = .random(in: 0.2...1, using: &sound.random)
        if Bool.random(using: &sound.random) { time += .random(in: 0.5...3, using: &sound.random) }
      }
      sound.addNote(at: time, gain: 0.12 * gain)
      if Int.random(in: 0..<5, using: &sound.random) == 0 { sound.addNoise(at: time) }
      time += .random(in: 0.1...0.6, using: &sound.random)
    }
    return sound.samples
  }

  static func speech(seconds: Double, seed: UInt64) -> [Float] {
    var sound = SyntheticSound(seconds: seconds, seed: seed)
    var time = 0.5
    while time < seconds {
      let phraseEnd = time + .random(in: 0.8...4, using: &sound.random)
      while time < phraseEnd {
        let length = Double.random(in: 0.1...0.32, using: &sound.random)
        sound.addSyllable(at: time, length: length)
        time += length * .random(in: 0.9...1.2, using: &sound.random)
      }
      time += .random(in: 0.2...2.5, using: &sound.random)
    }
    return sound.samples
  }

  private mutating func addNote(at time: Double, gain: Float) {
    let pitch = 110 * pow(2, Double(Int.random(in: 0..<48, using: &random)) / 12)
    let decay = Double.random(in: 0.2...1.2, using: &random)
    add(at: time, length: 3 * decay) { at in
      let phase = 2 * Double.pi * pitch * at
      let wave = sin(phase) + 0.5 * sin(2 * phase) + 0.25 * sin(3 * phase)
      return gain * Float(wave * exp(-at / decay) * min(1, at / 0.01))
    }
  }

  private mutating func addNoise(at time: Double) {
    let length = Double.random(in: 0.05...1.2, using: &random)
    let frequency = Double.random(in: 200...3500, using: &random)
    let gain = Float.random(in: 0.02...0.2, using: &random)
    var resonator = Resonator(frequency: frequency, bandwidth: frequency / 2)
    var noise = SeededGenerator(seed: random.next())
    add(at: time, length: length) { at in
      gain * Float(min(1, at / 0.005) * (1 - at / length))
        * resonator.filter(.random(in: -1...1, using: &noise))
    }
  }

  private mutating func addSyllable(at time: Double, length: Double) {
    let pitch = Double.random(in: 90...220, using: &random)
    let gain = Float.random(in: 0.05...0.3, using: &random)
    let isVoiced = Int.random(in: 0..<4, using: &random) > 0
    var low = Resonator(frequency: .random(in: 250...900, using: &random), bandwidth: 100)
    var high = Resonator(frequency: .random(in: 900...3200, using: &random), bandwidth: 200)
    var noise = SeededGenerator(seed: random.next())
    var phase = 0.0
    add(at: time, length: length) { at in
      phase += pitch / Double(Self.rate)
      var source = Float.random(in: -0.3...0.3, using: &noise)
      if phase >= 1 {
        phase -= 1
        if isVoiced { source += 4 }
      }
      let envelope = Float(sin(.pi * min(1, at / length)))
      return gain * envelope * (low.filter(source) + 0.7 * high.filter(source))
    }
  }

  private mutating func add(at time: Double, length: Double, _ sample: (Double) -> Float) {
    let first = Int(time * Double(Self.rate))
    let end = min(samples.count, first + Int(length * Double(Self.rate)))
    guard first < end else { return }
    for index in first..<end { samples[index] += sample(Double(index - first) / Double(Self.rate)) }
  }

  /// A filter that passes the frequencies around one.
  private struct Resonator {
    private let a: Float
    private let b: Float
    private let gain: Float
    private var last: Float = 0
    private var secondLast: Float = 0

    init(frequency: Double, bandwidth: Double) {
      let radius = exp(-.pi * bandwidth / Double(SyntheticSound.rate))
      a = Float(2 * radius * cos(2 * .pi * frequency / Double(SyntheticSound.rate)))
      b = Float(-radius * radius)
      gain = Float(2 * (1 - radius))
    }

    mutating func filter(_ sample: Float) -> Float {
      let output = gain * sample + a * last + b * secondLast
      (secondLast, last) = (last, output)
      return output
    }
  }
}

/// SplitMix64 (Steele 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension [Float] {
  /// Returns the sound between two times in seconds.
  func part(_ from: Double, _ to: Double) -> [Float] {
    let rate = Double(SyntheticSound.rate)
    return Array(self[Int(from * rate)..<Swift.min(count, Int(to * rate))])
  }

  /// The whole sound of some seconds.
  static func silence(_ seconds: Double) -> [Float] {
    Array(repeating: 0, count: Int(seconds * Double(SyntheticSound.rate)))
  }

  /// Writes a WAV file of 16 bits per sample.
  func writeWAV(_ file: URL) throws {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let rate = SyntheticSound.rate
    var data = Data("RIFF".utf8) + bytes(36 + 2 * count, 4) + Data("WAVEfmt ".utf8)
    data += bytes(16, 4) + bytes(1, 2) + bytes(1, 2) + bytes(rate, 4) + bytes(2 * rate, 4)
    data += bytes(2, 2) + bytes(16, 2) + Data("data".utf8) + bytes(2 * count, 4)
    let values = map { Int16(Swift.min(Swift.max($0, -1), 1) * 32767).littleEndian }
    data += values.withUnsafeBytes { Data($0) }
    try data.write(to: file)
  }
}
