import Calibration

/// Finds the places of a whole sketch that sound like a window of another one.
struct SketchCorrelator {
  /// The places that sound most like a window.
  struct Finding: Sendable {
    /// The peaks, the highest one first.
    var peaks: [Peak]
    /// The highest correlation, also where many places have it.
    var highest: Double
    /// The standard deviation of the correlation at all places: that by chance.
    var deviation: Double

    /// A Boolean value that indicates whether the window sounds like two places alike.
    var isRepeating: Bool {
      peaks.count > 1 && peaks[0].correlation > 0.5
        && peaks[1].correlation > 0.9 * peaks[0].correlation
    }
  }

  struct Peak: Sendable {
    /// The time of the sketch at which the window begins, with a fraction; it may lie before the sketch.
    var place: Double
    var correlation: Double
  }

  private static let peakLimit = 4
  /// The least distance of two peaks, in times of the sketch.
  private static let distance = 4

  private let sketch: SoundSketch
  private let window: Int
  private let transform: FourierTransform
  /// The transforms of two bands each: one is the real part, one the imaginary part.
  private let spectra: [(real: [Float], imaginary: [Float])]

  /// - Parameter window: the number of times in a window.
  init(_ sketch: SoundSketch, window: Int) {
    (self.sketch, self.window) = (sketch, window)
    let transform = FourierTransform(
      count: FourierTransform.size(for: sketch.count + 2 * window))
    self.transform = transform
    spectra = stride(from: 0, to: SoundSketch.bands, by: 2).map {
      Self.spectrum(sketch, 0..<sketch.count, band: $0, transform)
    }
  }

  private static func spectrum(
    _ sketch: SoundSketch, _ times: Range<Int>, band: Int, _ transform: FourierTransform
  ) -> (real: [Float], imaginary: [Float]) {
    var real = [Float](repeating: 0, count: transform.count)
    var imaginary = real
    for (index, time) in times.enumerated() {
      real[index] = Float(sketch.values[time * SoundSketch.bands + band])
      imaginary[index] = Float(sketch.values[time * SoundSketch.bands + band + 1])
    }
    transform.transform(&real, &imaginary)
    return (real, imaginary)
  }

  /// Returns the places that sound like another sketch from a time on.
  func find(_ other: SoundSketch, from first: Int) -> Finding {
    var real = [Float](repeating: 0, count: transform.count)
    var imaginary = real
    for (pair, own) in spectra.enumerated() {
      let others = Self.spectrum(other, first..<first + window, band: 2 * pair, transform)
      // The conjugate of a sum of two bands times another such sum: the real part has the products of equal bands.
      for index in 0..<transform.count {
        let (a, b) = (others.real[index], others.imaginary[index])
        let (c, d) = (own.real[index], own.imaginary[index])
        real[index] += a * c + b * d
        imaginary[index] += a * d - b * c
      }
    }
    transform.transform(&real, &imaginary, isInverse: true)
    let energy = other.energy(first..<first + window)
    let least = 0.1 * sketch.meanEnergy * Double(window)
    let places = -window / 2..<sketch.count - window / 2
    let correlations = places.map { place in
      let own = max(sketch.energy(place..<place + window), least)
      let product = real[place < 0 ? place + transform.count : place] / Float(transform.count)
      return product / Float((energy * own).squareRoot().nextUp)
    }
    return finding(correlations, from: places.lowerBound)
  }

  private func finding(_ correlations: [Float], from start: Int) -> Finding {
    let squares = correlations.reduce(0.0) { $0 + Double($1 * $1) }
    let deviation = (squares / Double(max(1, correlations.count))).squareRoot()
    var rest: [(index: Int, value: Float)] = []
    for index in correlations.indices.dropFirst().dropLast() {
      let value = correlations[index]
      if value > 3 * Float(deviation), value > correlations[index - 1],
        value >= correlations[index + 1]
      {
        rest.append((index, value))
      }
    }
    rest.sort { $0.value > $1.value }
    var peaks: [(index: Int, value: Float)] = []
    for peak in rest where peaks.count < Self.peakLimit {
      if peaks.allSatisfy({ abs($0.index - peak.index) > Self.distance }) { peaks.append(peak) }
    }
    return Finding(
      peaks: peaks.map { index, value in
        Peak(
          place: Double(start + index)
            + Parabola.peak(correlations[index - 1], value, correlations[index + 1]),
          correlation: Double(value))
      }, highest: Double(correlations.max() ?? 0), deviation: deviation)
  }
}

/// The parabola through three values at -1, 0 and 1.
enum Parabola {
  /// Returns the position of the maximum near the middle one, which is the greatest of the three.
  static func peak(_ before: Float, _ middle: Float, _ after: Float) -> Double {
    let curve = before - 2 * middle + after
    return curve < 0 ? Double(min(max((before - after) / (2 * curve), -0.5), 0.5)) : 0
  }
}
