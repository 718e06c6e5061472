import TerminalVideo

/// A picture for the encoder.
struct Picture {
  let width: Int
  let height: Int
  /// The colours as 0x00RRGGBB, row by row.
  var pixels: [UInt32]

  init(width: Int, height: Int, _ color: (_ x: Int, _ y: Int) -> UInt32) {
    self.width = width
    self.height = height
    pixels = (0..<height).flatMap { y in (0..<width).map { x in color(x, y) } }
  }

  static func noise(_ size: (width: Int, height: Int), using random: inout Dice) -> Picture {
    var dice = random
    defer { random = dice }
    return Picture(width: size.width, height: size.height) { _, _ in
      UInt32.random(in: 0...0xFF_FFFF, using: &dice)
    }
  }

  /// Returns a picture that differs a little everywhere, and much in some places.
  func changed(by most: Int, using random: inout Dice) -> Picture {
    var picture = self
    for index in picture.pixels.indices {
      if Int.random(in: 0..<20, using: &random) == 0 {
        picture.pixels[index] = UInt32.random(in: 0...0xFF_FFFF, using: &random)
        continue
      }
      var color: UInt32 = 0
      for shift in [16, 8, 0] as [UInt32] {
        let channel = Int(picture.pixels[index] >> shift & 255)
        let moved = min(max(0, channel + Int.random(in: -most...most, using: &random)), 255)
        color |= UInt32(moved) << shift
      }
      picture.pixels[index] = color
    }
    return picture
  }

  func encoded(by encoder: inout PictureEncoder) -> [UInt8] {
    // A row is longer than its pixels, and the fourth byte is undefined.
    let stride = width + 3
    var memory = [UInt32](repeating: 0xAABB_CCDD, count: stride * max(1, height))
    for y in 0..<height {
      for x in 0..<width { memory[y * stride + x] = pixels[y * width + x] | 0x5A00_0000 }
    }
    return memory.withUnsafeBytes {
      encoder.encode(
        PixelBuffer(base: $0.baseAddress!, width: width, height: height, stride: 4 * stride))
    }
  }
}

/// The random generator SplitMix64.
struct Dice: RandomNumberGenerator {
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
