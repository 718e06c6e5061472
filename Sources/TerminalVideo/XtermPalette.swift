/// The colours 16 to 255 of xterm's palette, which no terminal's theme changes: a cube of six steps a channel, and 24
/// greys (`256colres.pl` of xterm).
package enum XtermPalette {
  /// The colours by index; the first 16 are the theme's, and unused.
  package static let colors: [UInt32] = {
    let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
    var colors = [UInt32](repeating: 0, count: 16)
    for red in steps {
      for green in steps { for blue in steps { colors.append(red << 16 | green << 8 | blue) } }
    }
    for grey in (0..<24 as Range<UInt32>).map({ 8 + 10 * $0 }) {
      colors.append(grey << 16 | grey << 8 | grey)
    }
    return colors
  }()

  /// The index that is nearest to a colour, by the colour's five highest bits of each channel.
  static let nearest: [UInt8] = (0..<32768).map { key in
    let color = center(of: UInt32(key))
    return UInt8((16..<256).min { distance(color, colors[$0]) < distance(color, colors[$1]) }!)
  }

  @inline(__always)
  static func key(_ color: UInt32) -> Int {
    let red = color >> 9 & 0x7C00
    let green = color >> 6 & 0x03E0
    let blue = color >> 3 & 0x001F
    return Int(red | green | blue)
  }

  /// Returns the colour in the middle of those with a key.
  @inline(__always)
  static func center(of key: UInt32) -> UInt32 {
    (key & 0x7C00) << 9 | (key & 0x03E0) << 6 | (key & 0x001F) << 3 | 0x04_0404
  }

  /// Returns the indices of the cube's corners around a colour, of the greys around its brightness and of its nearest
  /// colour.
  static func around(_ color: UInt32) -> [UInt8] {
    let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
    let corners = [16, 8, 0].map { (shift: UInt32) -> [Int] in
      let channel = color >> shift & 255
      let upper = steps.firstIndex { $0 >= channel } ?? 5
      return upper == 0 || steps[upper] == channel ? [upper] : [upper - 1, upper]
    }
    var indices: Set<UInt8> = [nearest[key(color)]]
    for red in corners[0] {
      for green in corners[1] {
        for blue in corners[2] { indices.insert(UInt8(16 + 36 * red + 6 * green + blue)) }
      }
    }
    let greys = (232...255 as ClosedRange<UInt8>).sorted {
      distance(color, colors[Int($0)]) < distance(color, colors[Int($1)])
    }
    indices.formUnion(greys.prefix(2))
    return indices.sorted()
  }

  /// Returns the distance of two colours. The eye is most sensitive to green and least to blue.
  @inline(__always)
  static func distance(_ a: UInt32, _ b: UInt32) -> Int {
    let red = Int(a >> 16 & 255) - Int(b >> 16 & 255)
    let green = Int(a >> 8 & 255) - Int(b >> 8 & 255)
    let blue = Int(a & 255) - Int(b & 255)
    return 3 * red * red + 6 * green * green + blue * blue
  }
}
