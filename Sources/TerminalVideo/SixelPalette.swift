/// The colours of a picture as sixels: up to 256, which suit a film until its scene changes.
///
/// The colours of the first picture are divided by median cut (Heckbert, 1982), with five bits for each channel. Later
/// pictures keep the palette, so that still parts of a film don't flicker, until many of their pixels have colours that
/// the first one lacked.
struct SixelPalette: Sendable {
  /// The colours as 0x00RRGGBB.
  private(set) var colors: [UInt32] = []
  /// The palette's index for each ``XtermPalette/key(_:)``, or one of the values below.
  private var indices = [UInt16](repeating: unknown, count: 32768)
  private static let unknown: UInt16 = 0x8000
  /// A bit of colours that the palette wasn't made for.
  private static let isNew: UInt16 = 0x0100
  /// The part of the pixels, one in this number, that may have new colours.
  private static let share = 16

  private struct Box {
    /// The box's part of the keys.
    var keys: Range<Int>
    /// The shift of the channel in which the colours differ most, their mean there, and the sum of the squared
    /// differences.
    var shift: UInt32 = 0
    var mean = 0
    var spread = -1.0
  }

  /// Finds the palette's indices for a picture. Makes another palette if this one doesn't suit it.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of colours.
  ///   - tolerance: the largest difference of a channel for which a pixel gets the colour on its left: longer runs need
  ///     fewer bytes.
  mutating func index(_ pixels: [UInt32], limit: Int, tolerance: Int, into result: inout [UInt8]) {
    if result.count != pixels.count { result = [UInt8](repeating: 0, count: pixels.count) }
    if !colors.isEmpty, colors.count <= limit,
      find(pixels, tolerance, &result) * Self.share <= pixels.count
    {
      return
    }
    make(pixels, limit)
    _ = find(pixels, tolerance, &result)
  }

  /// Returns the number of pixels with new colours.
  private mutating func find(_ pixels: [UInt32], _ tolerance: Int, _ result: inout [UInt8]) -> Int {
    var new = 0
    var before: UInt16 = 0
    var shown = colors[0]
    // Moved out meanwhile, because the search reads the colours.
    var indices: [UInt16] = []
    swap(&indices, &self.indices)
    defer { swap(&indices, &self.indices) }
    indices.withUnsafeMutableBufferPointer { indices in
      result.withUnsafeMutableBufferPointer { result in
        for (position, color) in pixels.enumerated() {
          if PictureEncoder.difference(color, shown) <= tolerance {
            result[position] = UInt8(truncatingIfNeeded: before)
            continue
          }
          let key = XtermPalette.key(color)
          if indices[key] == Self.unknown { indices[key] = nearest(to: key) | Self.isNew }
          let index = indices[key]
          new += Int(index >> 8)
          before = index
          shown = colors[Int(index & 255)]
          result[position] = UInt8(truncatingIfNeeded: index)
        }
      }
    }
    return new
  }

  private func nearest(to key: Int) -> UInt16 {
    let color = XtermPalette.center(of: UInt32(key))
    let index = colors.indices.min {
      XtermPalette.distance(color, colors[$0]) < XtermPalette.distance(color, colors[$1])
    }
    return UInt16(index ?? 0)
  }

  private mutating func make(_ pixels: [UInt32], _ limit: Int) {
    var counts = [Int32](repeating: 0, count: 32768)
    for color in pixels { counts[XtermPalette.key(color)] += 1 }
    var keys = counts.indices.filter { counts[$0] > 0 }
    var boxes = [Self.measured(Box(keys: keys.indices), keys, counts)]
    while boxes.count < limit {
      guard let widest = boxes.indices.max(by: { boxes[$0].spread < boxes[$1].spread }),
        boxes[widest].spread > 0
      else { break }
      let box = boxes[widest]
      let middle = keys[box.keys].partition { Self.channel($0, box.shift) > box.mean }
      boxes[widest] = Self.measured(Box(keys: box.keys.lowerBound..<middle), keys, counts)
      boxes.append(Self.measured(Box(keys: middle..<box.keys.upperBound), keys, counts))
    }
    indices = [UInt16](repeating: Self.unknown, count: 32768)
    colors = boxes.enumerated().map { index, box in
      var sums = (red: 0, green: 0, blue: 0, count: 0)
      for key in keys[box.keys] {
        indices[key] = UInt16(index)
        let (color, count) = (XtermPalette.center(of: UInt32(key)), Int(counts[key]))
        sums.red += count * Int(color >> 16 & 255)
        sums.green += count * Int(color >> 8 & 255)
        sums.blue += count * Int(color & 255)
        sums.count += count
      }
      func mean(_ sum: Int) -> UInt32 { UInt32((sum + sums.count / 2) / max(1, sums.count)) }
      return mean(sums.red) << 16 | mean(sums.green) << 8 | mean(sums.blue)
    }
  }

  /// Returns the box with its widest channel. A box is divided at the mean there, which parts its colours more evenly in
  /// brightness than the median does.
  private static func measured(_ box: Box, _ keys: [Int], _ counts: [Int32]) -> Box {
    var box = box
    for (shift, weight) in [(10, 3.0), (5, 6), (0, 1)] as [(UInt32, Double)] {
      var (sum, squares, count) = (0, 0, 0)
      for key in keys[box.keys] {
        let (value, number) = (channel(key, shift), Int(counts[key]))
        sum += number * value
        squares += number * value * value
        count += number
      }
      let spread = weight * (Double(squares) - Double(sum) * Double(sum) / Double(max(1, count)))
      if spread > box.spread {
        (box.shift, box.mean, box.spread) = (shift, sum / max(1, count), spread)
      }
    }
    return box
  }

  private static func channel(_ key: Int, _ shift: UInt32) -> Int { key >> Int(shift) & 31 }
}
