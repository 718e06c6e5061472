/// What a terminal sends: ``KeyParser`` makes these from its bytes.
public enum InputEvent: Hashable, Sendable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// Text that was pasted, as it came: clean it before it is shown.
  case paste(String)
  /// The terminal's window became the one with the keyboard, or ceased to be.
  case focus(Bool)
}

/// Something done with the mouse, at a cell.
public struct MouseEvent: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    /// The left button.
    case press, drag, release
    case wheelUp, wheelDown
  }

  public var action: Action
  public var point: ScreenPoint

  public init(_ action: Action, at point: ScreenPoint) {
    self.action = action
    self.point = point
  }
}
