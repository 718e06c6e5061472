import TerminalVideo

/// The pen of the participant at this terminal.
struct Pen: Hashable, Sendable {
  var point = Sketch.Point(x: 0.5, y: 0.5)
  var isDown = false
  /// A Boolean value that indicates whether the mouse's button holds the pen down.
  var isMouse = false

  /// Moves the pen. Beyond the picture it stays at its edge.
  mutating func move(to target: Sketch.Point) {
    point = Sketch.Point(x: min(max(0, target.x), 1), y: min(max(0, target.y), 1))
  }
}
