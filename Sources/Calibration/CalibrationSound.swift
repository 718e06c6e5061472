import Timekeeping

/// The sound that a calibration plays: silence and three sweeps.
package enum CalibrationSound {
  /// The beginnings of the sweeps, in the sound's own time. No two distances between them are alike: another sweep's
  /// arrival can't be mistaken for the right one of all three. The first comes once a sound server's times are steady.
  package static let beginnings: [Duration] = [
    .milliseconds(1500), .milliseconds(3400), .milliseconds(6000),
  ]
  /// The delays that can be found. Below zero: the output is heard before the player believes so.
  package static let delays: ClosedRange<Duration> = .seconds(-1) ... .seconds(4)
  /// The duration: the last sweep, and the longest delay that can be found.
  package static let duration = Duration.milliseconds(11_200)

  /// The samples per second of the sound, and of most microphones.
  package static let rate = 48_000

  /// Returns the samples, between -1 and 1.
  static func samples(rate: Int = rate) -> [Float] {
    var samples = [Float](repeating: 0, count: Int(duration.inSeconds * Double(rate)))
    let sweep = Sweep.samples(rate: Double(rate))
    for beginning in beginnings {
      let first = Int(beginning.inSeconds * Double(rate))
      for (index, sample) in sweep.enumerated() { samples[first + index] = sample }
    }
    return samples
  }

  /// Returns a WAV file of 16-bit mono.
  package static func wave() -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let samples = samples()
    let size = 2 * samples.count
    var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4) + little(2 * rate, 4)
    bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(size, 4)
    bytes.reserveCapacity(bytes.count + size)
    for sample in samples {
      let value = Int16((sample * Float(Int16.max)).rounded())
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    return bytes
  }
}
