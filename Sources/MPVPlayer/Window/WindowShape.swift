import Timekeeping

/// The picture's rectangle in mpv's window (`osd-dimensions`), in pixels.
struct WindowShape: Hashable, Sendable {
  var width = 0.0
  var height = 0.0
  /// The borders round the picture.
  var left = 0.0
  var top = 0.0
  var right = 0.0
  var bottom = 0.0

  init() {}

  init(_ value: MPVValue) {
    func number(_ key: String) -> Double { value[key]?.double ?? 0 }
    (width, height) = (number("w"), number("h"))
    (left, top, right, bottom) = (number("ml"), number("mt"), number("mr"), number("mb"))
  }

  /// Returns the lines as events of Advanced SubStation Alpha, one per line: paths of which only the border shows, from
  /// the first point to the last and back, since libass closes every path.
  func events(_ lines: [PictureLine]) -> String {
    let (columns, rows) = (width - left - right, height - top - bottom)
    guard columns > 0, rows > 0 else { return "" }
    let half = max(1, (rows / 180).rounded())
    return lines.map { line in
      let pixels = line.points.map { point in
        let x = Int(clampingRounded: left + point.x * columns)
        let y = Int(clampingRounded: top + point.y * rows)
        return "\(x) \(y)"
      }
      guard let first = pixels.first else { return "" }
      // A dot needs a path as well.
      let way = pixels.count > 1 ? pixels.dropFirst() + pixels.dropLast().reversed() : [first]
      let color =
        (line.color & 255) << 16 | line.color & 0xFF00 | line.color >> 16 & 255
      let hex = String(color, radix: 16, uppercase: true)
      return
        "{\\an7\\pos(0,0)\\shad0\\1a&HFF&\\bord\(Int(clampingRounded: half))\\3c&H\(hex)&\\p1}m \(first) l "
        + way.joined(separator: " ")
    }.joined(separator: "\n")
  }
}
