/// Mixes colours that the palette lacks from two of its colours, in a pattern of two by two pixels (ordered dithering).
///
/// Among the palette's nearest colours, browns are pink, olive or grey; the eye sees the mixture as brown. Two colours
/// that differ in brightness show the pattern itself, and a large difference looks like specks, so that a mixture has
/// to be that much better than a single colour. The pattern doesn't move, so that a still picture doesn't change
/// either.
struct Dithering: Sendable {
  /// A mixture of two colours: `b` fills `quarters` of four pixels, `a` the rest.
  struct Mixture: Hashable, Sendable {
    var a: UInt8
    var b: UInt8
    var quarters: UInt8
  }

  /// The weights of the noise against those of a wrong colour, found by measurements: higher weights give fewer
  /// patterns and bytes, and more wrong colours.
  private static let brightnessWeight: Float = 20
  private static let colorWeight: Float = 0.15

  /// The order in which the pixels of the pattern get the second colour (Bayer, 1973).
  private static let order: [UInt8] = [0, 2, 3, 1]

  /// The mixtures by ``XtermPalette/key(_:)``, as far as they were needed; the others have ``unknown`` quarters.
  private var mixtures = [Mixture](
    repeating: Mixture(a: 0, b: 0, quarters: unknown), count: 32768)
  private static let unknown: UInt8 = 5

  /// Returns the palette's index for a pixel.
  @inline(__always)
  mutating func index(key: Int, x: Int, y: Int) -> UInt8 {
    let mixture = mixture(key: key)
    return Self.order[(y & 1) << 1 | x & 1] < mixture.quarters ? mixture.b : mixture.a
  }

  @inline(__always)
  private mutating func mixture(key: Int) -> Mixture {
    let found = mixtures[key]
    if found.quarters != Self.unknown { return found }
    let mixture = Self.best(for: XtermPalette.center(of: UInt32(key)))
    mixtures[key] = mixture
    return mixture
  }

  /// Returns the best mixture of two colours around this one.
  static func best(for color: UInt32) -> Mixture {
    let wanted = Self.vector(color)
    let candidates = XtermPalette.around(color).map {
      (index: $0, color: vector(XtermPalette.colors[Int($0)]))
    }
    var best = Mixture(a: candidates[0].index, b: candidates[0].index, quarters: 0)
    var least = Float.infinity
    for (position, a) in candidates.enumerated() {
      for b in candidates[position...] {
        let step = b.color - a.color
        let length = size(step)
        let along = length > 0 ? product(wanted - a.color, step) / length : 0
        let quarters = min(max(0, (along * 4).rounded()), 4)
        let part = quarters / 4
        let brightness = (step * brightnessOf).sum()
        let noise = brightnessWeight * brightness * brightness + colorWeight * length
        let cost = size(wanted - (a.color + step * part)) + part * (1 - part) * noise
        guard cost < least else { continue }
        least = cost
        best = Mixture(a: a.index, b: b.index, quarters: UInt8(quarters))
      }
    }
    return best
  }

  private static let brightnessOf = SIMD4<Float>(0.3, 0.59, 0.11, 0)
  /// The weights of errors in red, green and blue: the same as for the nearest colour, but with more for blue, in which
  /// browns and greys differ.
  private static let weights = SIMD4<Float>(3, 6, 2, 0)

  private static func vector(_ color: UInt32) -> SIMD4<Float> {
    SIMD4(Float(color >> 16 & 255), Float(color >> 8 & 255), Float(color & 255), 0)
  }

  private static func product(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    (a * b * weights).sum()
  }

  private static func size(_ a: SIMD4<Float>) -> Float { product(a, a) }
}
