#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The discrete Fourier transform of a power of two of complex numbers, in place.
struct FourierTransform: Sendable {
  let count: Int
  private let cosines: [Float]
  private let sines: [Float]

  /// - Parameter count: a power of two, from 2.
  init(count: Int) {
    precondition(count >= 2 && count & (count - 1) == 0, "a transform of \(count) numbers")
    self.count = count
    let step = 2 * Double.pi / Double(count)
    cosines = (0..<count / 2).map { Float(cos(Double($0) * step)) }
    sines = (0..<count / 2).map { Float(-sin(Double($0) * step)) }
  }

  /// Returns the smallest power of two that isn't below `count`.
  static func size(for count: Int) -> Int {
    var size = 2
    while size < count { size *= 2 }
    return size
  }

  /// Transforms the numbers; the inverse isn't divided by their count.
  func transform(_ real: inout [Float], _ imaginary: inout [Float], isInverse: Bool = false) {
    precondition(real.count == count && imaginary.count == count, "the transform's size differs")
    let sign: Float = isInverse ? -1 : 1
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        Self.reverse(real, imaginary)
        cosines.withUnsafeBufferPointer { cosines in
          sines.withUnsafeBufferPointer { sines in
            var half = 1
            while half < count {
              let stride = count / (2 * half)
              for offset in 0..<half {
                let cosine = cosines[offset * stride]
                let sine = sines[offset * stride] * sign
                var low = offset
                while low < count {
                  let high = low + half
                  let turnedReal = real[high] * cosine - imaginary[high] * sine
                  let turnedImaginary = real[high] * sine + imaginary[high] * cosine
                  real[high] = real[low] - turnedReal
                  imaginary[high] = imaginary[low] - turnedImaginary
                  real[low] += turnedReal
                  imaginary[low] += turnedImaginary
                  low += 2 * half
                }
              }
              half *= 2
            }
          }
        }
      }
    }
  }

  /// Exchanges each number with the one whose index has the reversed bits.
  private static func reverse(
    _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>
  ) {
    let count = real.count
    var reversed = 0
    for index in 1..<count {
      var bit = count >> 1
      while reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
    }
  }
}
