#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A sine tone that rises by the same interval in each moment (Farina 2000).
///
/// Unlike a click it has the energy of a whole second, and unlike noise it keeps a loudspeaker's distortion apart:
/// harmonics arrive before the tone's own arrival.
enum Sweep {
  static let lowest = 200.0
  static let highest = 8000.0
  /// The duration in seconds.
  static let duration = 1.0
  /// The amplitude: 12 dB below the loudest possible sound.
  static let level = 0.25
  /// The fades at both ends, in seconds.
  private static let fade = 0.02

  /// Returns the sample at a time in seconds since the beginning; 0 before it and after the end.
  static func sample(at time: Double) -> Double {
    guard time > 0, time < duration else { return 0 }
    let range = log(highest / lowest)
    let phase = 2 * .pi * lowest * duration / range * (exp(time / duration * range) - 1)
    let edge = min(time, duration - time)
    let gain = edge < fade ? 0.5 - 0.5 * cos(.pi * edge / fade) : 1
    return level * gain * sin(phase)
  }

  /// - Parameter rate: samples per second.
  static func samples(rate: Double) -> [Float] {
    (0..<Int(duration * rate)).map { Float(sample(at: Double($0) / rate)) }
  }

  /// The weight of a frequency in the deconvolution. The edges are soft, so that an arrival has no echoes of its own, and
  /// lie within the sweep, which has full strength there.
  static func weight(frequency: Double) -> Double {
    func rise(_ from: Double, _ to: Double) -> Double {
      let part = min(max(log(frequency / from) / log(to / from), 0), 1)
      return 0.5 - 0.5 * cos(.pi * part)
    }
    guard frequency > lowest, frequency < highest else { return 0 }
    return rise(250, 500) * (1 - rise(4500, 7500))
  }
}
