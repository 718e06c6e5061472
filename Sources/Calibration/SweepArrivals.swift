/// The arrivals of sweeps in a recording: its deconvolution by the sweep.
///
/// Each way that the sound takes through the room is a peak at the sample at which the sweep begins there.
struct SweepArrivals: Sendable {
  struct Arrival: Hashable, Sendable {
    /// The sample of the first arrival.
    var sample: Int
    /// The strongest arrival divided by the noise before it (standard deviation).
    var clearance: Double
  }

  /// The longest time in seconds by which the direct sound precedes the strongest reflection: 17 m of detour. Shorter
  /// than a harmonic's lead, since distortion must not pass for the direct sound.
  static let longestDetour = 0.05
  /// The direct sound may be weaker than the strongest reflection by this factor, 12 dB, but not by more.
  static let weakestDirectSound = 0.25
  /// The least ``Arrival/clearance``, 28 dB: with less, the noise could hide or imitate a weaker direct sound. At this
  /// distance it reaches ``weakestDirectSound`` once in 10⁸ samples.
  static let leastClearance = 25.0

  /// The strength at each sample; 1 is the sweep as it was played.
  private let strength: [Float]
  private let rate: Int
  /// The strongest of each millisecond.
  private let coarse: [Float]

  /// - Parameter sweepRate: the recording's samples per second of the player's clock. A sweep that is shorter or longer
  ///   by the clocks' difference would seem to arrive earlier or later.
  init(_ recording: Recording, sweepRate: Double) {
    rate = recording.rate
    let sweep = Sweep.samples(rate: sweepRate)
    let count = FourierTransform.size(for: recording.samples.count + sweep.count)
    let transform = FourierTransform(count: count)
    let padding = [Float](repeating: 0, count: count)
    var (real, imaginary) = (recording.samples + padding[recording.samples.count...], padding)
    var (sweepReal, sweepImaginary) = (sweep + padding[sweep.count...], padding)
    transform.transform(&real, &imaginary)
    transform.transform(&sweepReal, &sweepImaginary)
    var total: Float = 0
    for index in 0..<count {
      // Without the negative frequencies the result's magnitude is the envelope.
      let frequency = Double(index) * Double(rate) / Double(count)
      let weight = index < count / 2 ? Float(Sweep.weight(frequency: frequency)) : 0
      guard weight > 0 else {
        (real[index], imaginary[index]) = (0, 0)
        continue
      }
      total += weight
      let (a, b, c, d) = (real[index], imaginary[index], sweepReal[index], sweepImaginary[index])
      let factor = weight / (c * c + d * d)
      (real[index], imaginary[index]) = ((a * c + b * d) * factor, (b * c - a * d) * factor)
    }
    transform.transform(&real, &imaginary, isInverse: true)
    strength = (0..<recording.samples.count).map { index in
      (real[index] * real[index] + imaginary[index] * imaginary[index]).squareRoot() / total
    }
    let step = rate / 1000
    coarse = stride(from: 0, to: max(strength.count - step, 0), by: step).map { [strength] first in
      strength[first..<first + step].max() ?? 0
    }
  }

  /// Returns the delay in samples, to some milliseconds, at which all sweeps have a strong arrival; nil if the recording
  /// is too short.
  ///
  /// - Parameter expected: the samples at which the sweeps would arrive without a delay.
  func commonDelay(expected: [Double], range: ClosedRange<Double>) -> Double? {
    let step = Double(rate / 1000)
    let first = Int(range.lowerBound / step)
    let last = Int(range.upperBound / step)
    var best: (strength: Float, delay: Double)?
    for delay in first...last {
      var weakest = Float.infinity
      for sample in expected {
        let at = Int(sample / step) + delay
        // The milliseconds don't begin alike.
        guard at >= 0, at + 1 < coarse.count else {
          weakest = -1
          break
        }
        weakest = min(weakest, max(coarse[at], coarse[at + 1]))
      }
      guard weakest >= 0 else { continue }
      if weakest > best?.strength ?? -1 { best = (weakest, Double(delay) * step) }
    }
    return best?.delay
  }

  /// Returns the first arrival near a sample; nil beyond the recording's ends.
  func arrival(near sample: Double, within seconds: Double) -> Arrival? {
    let reach = Int(seconds * Double(rate))
    let middle = Int(sample)
    guard let strongest = peak(middle - reach..<middle + reach),
      let noise = noise(before: strongest)
    else { return nil }
    let threshold = strength[strongest] * Float(Self.weakestDirectSound)
    let earliest = max(strongest - Int(Self.longestDetour * Double(rate)), 0)
    var first = (earliest...strongest).first { strength[$0] >= threshold } ?? strongest
    while first < strongest, strength[first + 1] > strength[first] { first += 1 }
    return Arrival(
      sample: first, clearance: Double(strength[strongest]) / max(noise, .leastNormalMagnitude))
  }

  private func peak(_ range: Range<Int>) -> Int? {
    guard range.lowerBound >= 0, range.upperBound <= strength.count else { return nil }
    return range.max { strength[$0] < strength[$1] }
  }

  /// Returns the noise's standard deviation in the noisiest part of the half second before an arrival, so that a short
  /// noise counts too. A median ignores the arrivals of harmonics there.
  private func noise(before sample: Int) -> Double? {
    let size = rate / 20
    var end = sample - Int((Self.longestDetour + 0.02) * Double(rate))
    var noisiest: Double?
    for _ in 0..<8 where end - size >= 0 {
      let sorted = strength[end - size..<end].sorted()
      // The median of a Rayleigh distribution.
      let deviation = Double(sorted[size / 2]) / 1.1774
      noisiest = max(noisiest ?? 0, deviation)
      end -= size
    }
    return noisiest
  }
}
