/// An overlay over the picture, as mpv draws it.
struct DrawnOverlay: Hashable, Sendable {
  var events: String
  var width: Double
  var height: Double
}

/// The lines and the text over the picture, the window's shape, and the overlays that mpv last received.
struct Overlays: Hashable, Sendable {
  /// Arbitrary numbers. They can't collide with scripts, whose overlays have separate numbers.
  private static let linesNumber: Int64 = 7
  private static let textNumber: Int64 = 8

  private var lines: [PictureLine] = []
  private var text = WindowText()
  private var window = WindowShape()
  private var drawn: [Int64: DrawnOverlay] = [:]

  /// Returns whether these are other lines than before.
  mutating func linesChanged(_ lines: [PictureLine]) -> Bool {
    defer { self.lines = lines }
    return lines != self.lines
  }

  /// Returns whether this is another text than before.
  mutating func textChanged(_ text: WindowText) -> Bool {
    defer { self.text = text }
    return text != self.text
  }

  /// Returns whether the window has another shape than before.
  mutating func windowChanged(_ shape: WindowShape) -> Bool {
    defer { window = shape }
    return shape != window
  }

  /// Returns the overlays that have changed since the last call, by mpv's numbers, in the order for drawing.
  ///
  /// - Parameters:
  ///   - isWindow: whether the picture is in mpv's window: a frame target draws into the pictures itself.
  ///   - hasSubtitles: whether mpv draws subtitles at the bottom.
  mutating func changes(
    isWindow: Bool, hasSubtitles: Bool
  ) -> [(number: Int64, overlay: DrawnOverlay)] {
    let isWindow = isWindow && window.width > 0 && window.height > 0
    let wanted = [
      (
        Self.linesNumber,
        DrawnOverlay(
          events: isWindow ? window.events(lines) : "", width: window.width, height: window.height)
      ),
      (
        Self.textNumber,
        DrawnOverlay(
          events: isWindow ? text.events(in: window, clearsSubtitles: hasSubtitles) : "",
          width: isWindow ? (WindowText.height * window.width / window.height).rounded() : 0,
          height: WindowText.height)
      ),
    ]
    var changes: [(number: Int64, overlay: DrawnOverlay)] = []
    for (number, overlay) in wanted {
      let isSame =
        overlay == drawn[number]
        || overlay.events.isEmpty && drawn[number]?.events.isEmpty ?? true
      if isSame { continue }
      drawn[number] = overlay
      changes.append((number, overlay))
    }
    return changes
  }

  /// Returns the mouse's position in the picture, 0 to 1 within it; nil without a picture.
  ///
  /// - Parameter value: mpv's `mouse-pos`.
  func pointer(_ value: MPVValue) -> PictureLine.Point? {
    let width = window.width - window.left - window.right
    let height = window.height - window.top - window.bottom
    guard width > 0, height > 0, let x = value["x"]?.double, let y = value["y"]?.double else {
      return nil
    }
    return PictureLine.Point(x: (x - window.left) / width, y: (y - window.top) / height)
  }
}
