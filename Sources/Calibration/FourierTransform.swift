#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The discrete Fourier transform of a power of two of complex numbers, in place.
package struct FourierTransform: Sendable {
  package let count: Int
  /// The factors of the step that joins transforms of `half` numbers, from index `half` on: in memory they follow each
  /// other as they are needed.
  private let cosines: [Float]
  private let sines: [Float]

  /// - Parameter count: a power of two, from 2.
  package init(count: Int) {
    precondition(count >= 2 && count & (count - 1) == 0, "a transform of \(count) numbers")
    self.count = count
    let step = 2 * Double.pi / Double(count)
    cosines = Self.factors(count) { Float(cos(Double($0) * step)) }
    sines = Self.factors(count) { Float(-sin(Double($0) * step)) }
  }

  /// - Parameter last: returns a factor of the last step.
  private static func factors(_ count: Int, last: (Int) -> Float) -> [Float] {
    var factors = [Float](repeating: 0, count: count)
    for offset in 0..<count / 2 { factors[count / 2 + offset] = last(offset) }
    for index in (1..<count / 2).reversed() { factors[index] = factors[2 * index] }
    return factors
  }

  /// Returns the smallest power of two that isn't below `count`.
  package static func size(for count: Int) -> Int {
    var size = 2
    while size < count { size *= 2 }
    return size
  }

  /// Transforms the numbers; the inverse isn't divided by their count.
  package func transform(_ real: inout [Float], _ imaginary: inout [Float], isInverse: Bool = false)
  {
    precondition(real.count == count && imaginary.count == count, "the transform's size differs")
    let sign: Float = isInverse ? -1 : 1
    real.withUnsafeMutableBufferPointer { real in
      imaginary.withUnsafeMutableBufferPointer { imaginary in
        Self.reverse(real, imaginary)
        cosines.withUnsafeBufferPointer { cosines in
          sines.withUnsafeBufferPointer { sines in
            var half = 1
            while half < count {
              var first = 0
              while first < count {
                for offset in 0..<half {
                  let (low, high) = (first + offset, first + offset + half)
                  let cosine = cosines[half + offset]
                  let sine = sines[half + offset] * sign
                  let turnedReal = real[high] * cosine - imaginary[high] * sine
                  let turnedImaginary = real[high] * sine + imaginary[high] * cosine
                  real[high] = real[low] - turnedReal
                  imaginary[high] = imaginary[low] - turnedImaginary
                  real[low] += turnedReal
                  imaginary[low] += turnedImaginary
                }
                first += 2 * half
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
