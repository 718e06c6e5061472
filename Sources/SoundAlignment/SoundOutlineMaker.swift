import Calibration

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes the outline of a film's sound from its samples, as they come.
package struct SoundOutlineMaker: Sendable {
  /// The number of samples per second.
  package static let sampleRate = 8000

  private static let size = 256
  private static let step = sampleRate / SoundOutline.rate
  private static let lowest = 150.0
  private static let highest = 3800.0

  private let transform = FourierTransform(count: size)
  private let window: [Float]
  /// The first index of each band in a transform, and the end of the last one.
  private let edges: [Int]
  /// The samples from the beginning of the next transform on. The first one is centred on position 0.
  private var waiting = [Float](repeating: 0, count: size / 2)
  private var levels: [UInt8] = []
  private var real = [Float](repeating: 0, count: size)
  private var imaginary = [Float](repeating: 0, count: size)

  package init() {
    window = (0..<Self.size).map {
      Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(Self.size)))
    }
    let ratio = log(Self.highest / Self.lowest) / Double(SoundOutline.bands)
    edges = (0...SoundOutline.bands).map {
      let frequency = Self.lowest * exp(ratio * Double($0))
      return Int((frequency * Double(Self.size) / Double(Self.sampleRate)).rounded())
    }
  }

  /// Adds the samples that follow. Those beyond 12 hours are ignored.
  package mutating func add(_ samples: [Float]) {
    waiting += samples
    var first = 0
    while waiting.count - first >= Self.size + Self.step {
      measure(at: first)
      first += 2 * Self.step
    }
    waiting.removeFirst(first)
  }

  /// Returns the outline of all samples.
  package consuming func finish() -> SoundOutline {
    add([Float](repeating: 0, count: Self.size / 2 + Self.step))
    return SoundOutline(levels: levels)
  }

  /// Adds the levels at two times: one complex transform serves two real signals.
  private mutating func measure(at first: Int) {
    guard levels.count < SoundOutline.limit else { return }
    for index in 0..<Self.size {
      real[index] = waiting[first + index] * window[index]
      imaginary[index] = waiting[first + Self.step + index] * window[index]
    }
    transform.transform(&real, &imaginary)
    var later: [UInt8] = []
    for band in 0..<SoundOutline.bands {
      var sums: (Float, Float) = (0, 0)
      for index in edges[band]..<edges[band + 1] {
        let (a, b) = (real[index], imaginary[index])
        let (c, d) = (real[Self.size - index], imaginary[Self.size - index])
        sums.0 += (a + c) * (a + c) + (b - d) * (b - d)
        sums.1 += (b + d) * (b + d) + (c - a) * (c - a)
      }
      levels.append(Self.level(sums.0))
      later.append(Self.level(sums.1))
    }
    levels += later
  }

  private static func level(_ sum: Float) -> UInt8 {
    // A sine of full scale has 0 dB: its amplitude in the transform is a quarter of the size, and the sum has it twice.
    let power = sum / Float(size * size / 4)
    // Also without samples that aren't numbers.
    guard power > 1e-11 else { return 0 }
    return UInt8(min(max(2 * (10 * log10(power) + 110), 0), 255))
  }
}
