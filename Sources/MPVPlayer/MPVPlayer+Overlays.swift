import Timekeeping

/// A line over the picture.
public struct PictureLine: Hashable, Sendable {
  /// A point in the picture: from its upper left corner, 0 to 1 in both directions.
  public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// 0xRRGGBB
  public var color: UInt32
  public var points: [Point]

  public init(color: UInt32, points: [Point]) {
    self.color = color
    self.points = points
  }
}

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
      let places = line.points.map { point in
        let x = Int(clampingRounded: left + point.x * columns)
        let y = Int(clampingRounded: top + point.y * rows)
        return "\(x) \(y)"
      }
      guard let first = places.first else { return "" }
      // A dot needs a path as well.
      let way = places.count > 1 ? places.dropFirst() + places.dropLast().reversed() : [first]
      let color =
        (line.color & 255) << 16 | line.color & 0xFF00 | line.color >> 16 & 255
      let hex = String(color, radix: 16, uppercase: true)
      return
        "{\\an7\\pos(0,0)\\shad0\\1a&HFF&\\bord\(Int(clampingRounded: half))\\3c&H\(hex)&\\p1}m \(first) l "
        + way.joined(separator: " ")
    }.joined(separator: "\n")
  }
}

/// The last overlay that was drawn over the picture.
struct DrawnOverlay: Hashable, Sendable {
  var events: String
  var width: Double
  var height: Double
}

/// Lines and text over the picture in mpv's window, beside the user's own on-screen display.
extension MPVPlayer {
  /// Arbitrary numbers. They can't collide with scripts, whose overlays have separate numbers.
  private static let linesOverlay: Int64 = 7
  private static let textOverlay: Int64 = 8

  /// Shows these lines over the picture in the window, in place of the previous ones.
  public func setLines(_ lines: [PictureLine]) {
    guard lines != self.lines else { return }
    self.lines = lines
    drawOverlays()
  }

  /// Shows this text over the picture in the window, in place of the previous one.
  public func setText(_ text: WindowText) {
    guard text != self.text else { return }
    self.text = text
    drawOverlays()
  }

  func windowChanged(_ value: MPVValue) {
    let shape = WindowShape(value)
    guard shape != window else { return }
    window = shape
    drawOverlays()
  }

  /// Draws the overlays in the window only: a frame target draws into the pictures itself.
  func drawOverlays() {
    let isWindow = videoMode == .window && window.width > 0 && window.height > 0
    let hasSubtitles =
      state.areSubtitlesVisible
      && state.tracks.contains { $0.kind == .subtitles && $0.isSelected }
    draw(
      DrawnOverlay(
        events: isWindow ? window.events(lines) : "", width: window.width, height: window.height),
      as: Self.linesOverlay)
    draw(
      DrawnOverlay(
        events: isWindow ? text.events(in: window, clearsSubtitles: hasSubtitles) : "",
        width: isWindow ? (WindowText.height * window.width / window.height).rounded() : 0,
        height: WindowText.height),
      as: Self.textOverlay)
  }

  /// Draws with mpv's command `osd-overlay`.
  private func draw(_ overlay: DrawnOverlay, as id: Int64) {
    let isSame =
      overlay == drawn[id] || overlay.events.isEmpty && drawn[id]?.events.isEmpty ?? true
    guard !isSame else { return }
    drawn[id] = overlay
    request({ handle, reply in
      handle.command(
        .map([
          "name": .string(MPVCommand.osdOverlay), "id": .integer(id),
          "format": .string(overlay.events.isEmpty ? "none" : "ass-events"),
          "data": .string(overlay.events),
          "res_x": .integer(Int64(overlay.width)), "res_y": .integer(Int64(overlay.height)),
        ]), id: reply)
    }) { _, _ in }
  }
}
