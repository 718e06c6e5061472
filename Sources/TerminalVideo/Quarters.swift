/// The four pixels of one cell, and the two colours that suit them.
struct Quarters {
  /// The pixels: upper left, upper right, lower left, lower right.
  let pixels: (UInt32, UInt32, UInt32, UInt32)

  init(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) { pixels = (a, b, c, d) }

  /// Divides the pixels in the middle of the channel in which they differ most.
  func fit() -> (ink: UInt32, paper: UInt32, mask: UInt8) {
    let (a, b, c, d) = pixels
    var shift: UInt32 = 0
    var widest = -1
    var middle: UInt32 = 0
    for bits in stride(from: 16, through: 0, by: -8) {
      let candidate = UInt32(bits)
      let values = (
        a >> candidate & 255, b >> candidate & 255, c >> candidate & 255, d >> candidate & 255
      )
      let least = min(values.0, values.1, values.2, values.3)
      let most = max(values.0, values.1, values.2, values.3)
      if Int(most - least) > widest {
        widest = Int(most - least)
        shift = candidate
        middle = (least + most + 1) / 2
      }
    }
    guard widest > 0 else { return (a, a, 0) }
    var mask: UInt8 = 0
    if a >> shift & 255 >= middle { mask |= 8 }
    if b >> shift & 255 >= middle { mask |= 4 }
    if c >> shift & 255 >= middle { mask |= 2 }
    if d >> shift & 255 >= middle { mask |= 1 }
    return (mean(mask), mean(15 - mask), mask)
  }

  /// Returns the difference of colours from the pixels: the sum of the squares of the channels' largest differences.
  func error(ink: UInt32, paper: UInt32, mask: UInt8) -> Int {
    func square(_ pixel: UInt32, _ bit: UInt8) -> Int {
      let difference = PictureEncoder.difference(pixel, mask & bit != 0 ? ink : paper)
      return difference * difference
    }
    return square(pixels.0, 8) + square(pixels.1, 4) + square(pixels.2, 2) + square(pixels.3, 1)
  }

  private func mean(_ mask: UInt8) -> UInt32 {
    var red: UInt32 = 0
    var green: UInt32 = 0
    var blue: UInt32 = 0
    var count: UInt32 = 0
    func add(_ pixel: UInt32, _ bit: UInt8) {
      guard mask & bit != 0 else { return }
      red += pixel >> 16 & 255
      green += pixel >> 8 & 255
      blue += pixel & 255
      count += 1
    }
    add(pixels.0, 8)
    add(pixels.1, 4)
    add(pixels.2, 2)
    add(pixels.3, 1)
    guard count > 0 else { return 0 }
    func rounded(_ sum: UInt32) -> UInt32 { (sum + count / 2) / count }
    return rounded(red) << 16 | rounded(green) << 8 | rounded(blue)
  }
}
