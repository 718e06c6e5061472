/// The pixels of one cell, two beside each other in each of four rows, and the two colours that suit them.
///
/// The cell of a quadrant has rows that are equal in pairs. Equal pixels get the same colour, so that its shape is a
/// quadrant too.
struct Subpixels {
  // Numbers that SSE2 multiplies.
  private let red: SIMD8<Float>
  private let green: SIMD8<Float>
  private let blue: SIMD8<Float>

  /// Two colours, and the pixels that have the first one.
  struct TwoColors: Hashable, Sendable {
    var ink: UInt32
    var paper: UInt32
    /// The bits of the ink's pixels, row by row from the lowest one.
    var mask: UInt8
  }

  /// Reads the pixels of a cell.
  ///
  /// - Parameter height: the number of the picture's rows in a cell, 2 or 4.
  @inline(__always)
  init(_ picture: PixelBuffer, column: Int, row: Int, height: Int) {
    let step = height == 4 ? 1 : 0
    let (x, y) = (2 * column, height * row)
    let lower = y + (height == 4 ? 2 : 1)
    self.init(
      SIMD8(
        picture.color(x, y), picture.color(x + 1, y),
        picture.color(x, y + step), picture.color(x + 1, y + step),
        picture.color(x, lower), picture.color(x + 1, lower),
        picture.color(x, lower + step), picture.color(x + 1, lower + step)))
  }

  /// - Parameter pixels: the colours as 0x00RRGGBB, row by row.
  @inline(__always)
  init(_ pixels: SIMD8<UInt32>) {
    func channel(_ shift: UInt32) -> SIMD8<Float> {
      SIMD8(SIMD8<Int32>(truncatingIfNeeded: (pixels &>> shift) & 255))
    }
    (red, green, blue) = (channel(16), channel(8), channel(0))
  }

  /// Returns the two colours with the least sum of squared errors, for all divisions of the pixels along the line on
  /// which they lie most.
  func fit() -> TwoColors {
    let (r, g, b) = (red - red.sum() / 8, green - green.sum() / 8, blue - blue.sum() / 8)
    let (rr, gg, bb) = ((r * r).sum(), (g * g).sum(), (b * b).sum())
    guard rr + gg + bb > 0 else { return colors(of: .init(repeating: false)) }
    let (rg, rb, gb) = ((r * g).sum(), (r * b).sum(), (g * b).sum())
    // The covariances' product with a vector turns it towards that line.
    var line = rr >= max(gg, bb) ? (rr, rg, rb) : gg >= bb ? (rg, gg, gb) : (rb, gb, bb)
    for _ in 0..<2 {
      let size = max(abs(line.0), abs(line.1), abs(line.2))
      let (x, y, z) = (line.0 / size, line.1 / size, line.2 / size)
      line = (
        rr * x + rg * y + rb * z, rg * x + gg * y + gb * z, rb * x + gb * y + bb * z
      )
    }
    let position = r * line.0 + g * line.1 + b * line.2
    // The sums of the pixels from each one's position on.
    var count = SIMD8<Float>.zero
    var sums = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
    for pixel in 0..<8 {
      let isIn = SIMD8<Float>(repeating: 0)
        .replacing(with: 1, where: position .<= position[pixel])
      count += isIn
      sums.0 += isIn * r[pixel]
      sums.1 += isIn * g[pixel]
      sums.2 += isIn * b[pixel]
    }
    let squares = sums.0 * sums.0 + sums.1 * sums.1 + sums.2 * sums.2
    let gain = (squares / (count * (8 - count))).replacing(with: 0, where: count .>= 8)
    let best = gain.max()
    var threshold = Float.infinity
    for pixel in 0..<8 where gain[pixel] == best { threshold = min(threshold, position[pixel]) }
    return colors(of: position .>= threshold)
  }

  /// Returns the difference of colours from the pixels: the sum of the squares of the channels' largest differences.
  func error(_ shown: TwoColors) -> Int {
    let isInk = Self.pixels(of: shown.mask)
    func square(_ channel: SIMD8<Float>, _ shift: UInt32) -> SIMD8<Float> {
      let paper = SIMD8(repeating: Float(shown.paper >> shift & 255))
      let difference =
        channel - paper.replacing(with: Float(shown.ink >> shift & 255), where: isInk)
      return difference * difference
    }
    let (r, g, b) = (square(red, 16), square(green, 8), square(blue, 0))
    let largest = r.replacing(with: g, where: g .> r)
    return Int(largest.replacing(with: b, where: b .> largest).sum())
  }

  private func colors(of isInk: SIMDMask<SIMD8<Int32>>) -> TwoColors {
    let part = SIMD8<Float>.zero.replacing(with: 1, where: isInk)
    let count = part.sum()
    func color(_ part: SIMD8<Float>, _ count: Float) -> UInt32 {
      guard count > 0 else { return 0 }
      func mean(_ channel: SIMD8<Float>) -> UInt32 {
        UInt32((channel * part).sum() / count + 0.5)
      }
      return mean(red) << 16 | mean(green) << 8 | mean(blue)
    }
    return TwoColors(
      ink: color(part, count), paper: color(1 - part, 8 - count),
      mask: UInt8((part * Self.weights).sum()))
  }

  private static let weights = SIMD8<Float>(1, 2, 4, 8, 16, 32, 64, 128)

  @inline(__always)
  private static func pixels(of mask: UInt8) -> SIMDMask<SIMD8<Int32>> {
    (SIMD8<Int32>(1, 2, 4, 8, 16, 32, 64, 128) & Int32(mask)) .!= 0
  }
}
