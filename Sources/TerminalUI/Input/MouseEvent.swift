/// A mouse action at a cell.
struct MouseEvent: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// The left button.
    case press, drag, release
    /// The right button.
    case secondaryPress
    case wheelUp, wheelDown
  }

  var action: Action
  var point: ScreenPoint

  init(_ action: Action, at point: ScreenPoint) {
    self.action = action
    self.point = point
  }
}
