/// Lines that are drawn into a picture before it is shown, and the position of a pen.
package struct Sketch: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  package struct Point: Hashable, Sendable {
    /// The distance from the left edge, as a fraction of the width.
    package var x: Float
    /// The distance from the upper edge, as a fraction of the height.
    package var y: Float

    /// Creates a point; outside 0 to 1, it is drawn at the edge.
    package init(x: Float, y: Float) {
      self.x = x
      self.y = y
    }
  }

  /// A line through points, in one colour.
  package struct Line: Hashable, Sendable {
    /// The colour's index in xterm's palette, 16 to 255.
    package var color: UInt8
    /// The points that the line connects; one point is a dot.
    package var points: [Point]

    package init(color: UInt8, points: [Point]) {
      self.color = color
      self.points = points
    }
  }

  /// The lines; later ones lie over earlier ones.
  package var lines: [Line]
  /// The pen at the line's first point, drawn as a cross in the line's colour; nil for none.
  package var pen: Line?

  package init(lines: [Line] = [], pen: Line? = nil) {
    self.lines = lines
    self.pen = pen
  }

  /// A Boolean value that indicates whether the sketch changes no picture.
  package var isEmpty: Bool { lines.isEmpty && pen == nil }

  /// Returns the pixels that it changes in a picture of this size: each once, with its colour.
  package func marks(width: Int, height: Int) -> [Mark] {
    var canvas = Marks(width: width, height: height)
    for line in lines {
      let color = XtermPalette.colors[Int(line.color)]
      var last: (x: Int, y: Int)?
      for point in line.points {
        let (x, y) = canvas.pixel(point)
        if let last { canvas.line(from: last, to: (x, y), color) } else { canvas.dot(x, y, color) }
        last = (x, y)
      }
    }
    if let pen, let point = pen.points.first {
      let (x, y) = canvas.pixel(point)
      canvas.cross(x, y, XtermPalette.colors[Int(pen.color)])
    }
    return canvas.marks
  }

  package struct Mark: Hashable, Sendable {
    /// The index of the pixel, row by row from the upper left corner.
    package var index: Int
    /// The colour as 0x00RRGGBB.
    package var color: UInt32
  }
}

/// The changed pixels.
private struct Marks {
  let width: Int
  let height: Int
  /// The thickness of a line in pixels: one on a terminal of sixty rows.
  private let thickness: Int
  private var colors: [Int: UInt32] = [:]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    thickness = max(1, height / 64)
  }

  var marks: [Sketch.Mark] {
    colors.map { .init(index: $0.key, color: $0.value) }.sorted { $0.index < $1.index }
  }

  func pixel(_ point: Sketch.Point) -> (x: Int, y: Int) {
    func pixel(_ part: Float, _ count: Int) -> Int {
      min(count - 1, Int(min(max(0, part), 1) * Float(count)))
    }
    return (pixel(point.x, width), pixel(point.y, height))
  }

  mutating func dot(_ x: Int, _ y: Int, _ color: UInt32) {
    let reach = thickness / 2
    for row in max(0, y - reach)..<min(height, y - reach + thickness) {
      for column in max(0, x - reach)..<min(width, x - reach + thickness) {
        colors[row * width + column] = color
      }
    }
  }

  /// Draws a line by Bresenham's algorithm (1965).
  mutating func line(from a: (x: Int, y: Int), to b: (x: Int, y: Int), _ color: UInt32) {
    let (dx, dy) = (abs(b.x - a.x), -abs(b.y - a.y))
    let (stepX, stepY) = (a.x < b.x ? 1 : -1, a.y < b.y ? 1 : -1)
    var (x, y) = a
    var error = dx + dy
    while true {
      dot(x, y, color)
      if x == b.x, y == b.y { return }
      let doubled = 2 * error
      if doubled >= dy {
        error += dy
        x += stepX
      }
      if doubled <= dx {
        error += dx
        y += stepY
      }
    }
  }

  /// Draws a cross. Its black and white beside each other are visible on every picture.
  mutating func cross(_ x: Int, _ y: Int, _ color: UInt32) {
    for reach in 1...2 {
      let shade: UInt32 = reach == 1 ? 0xFF_FFFF : 0x00_0000
      for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
        let (column, row) = (x + dx * reach * thickness, y + dy * reach * thickness)
        if (0..<width).contains(column), (0..<height).contains(row) { dot(column, row, shade) }
      }
    }
    dot(x, y, color)
  }
}

/// A picture with a sketch drawn into it, in memory of its own.
struct SketchedPicture: Sendable {
  var sketch = Sketch() {
    didSet { if sketch != oldValue { drawn = nil } }
  }
  /// The sketch's changes to pictures of one size.
  private var drawn: (width: Int, height: Int, marks: [Sketch.Mark])?
  private var copy = PictureCopy()

  /// Draws the sketch into a copy of the picture.
  ///
  /// - Returns: the result of `body` for the picture with the sketch in it.
  mutating func draw<Result>(
    into picture: PixelBuffer, _ body: (PixelBuffer) -> Result
  ) -> Result {
    guard !sketch.isEmpty, picture.width > 0, picture.height > 0 else { return body(picture) }
    if drawn?.width != picture.width || drawn?.height != picture.height {
      drawn = (
        picture.width, picture.height, sketch.marks(width: picture.width, height: picture.height)
      )
    }
    copy.copy(picture)
    for mark in drawn?.marks ?? [] { copy.pixels[mark.index] = mark.color }
    return copy.withPixels(body)
  }
}
