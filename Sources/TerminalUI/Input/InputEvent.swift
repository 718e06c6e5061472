import TerminalVideo

/// What a terminal sends: ``KeyParser`` makes these from its bytes.
enum InputEvent: Hashable, Sendable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// Text that was pasted, as it came: clean it before it is shown.
  case paste(String)
  /// The terminal's window became the one with the keyboard, or ceased to be.
  case focus(Bool)
  /// The answer to the question how it is (`DSR 5`): it has taken in all that was sent before.
  case status
  /// It has 24-bit colours: asked which are set, it named those that were (`DECRQSS`).
  case directColor
  /// The terminal shows pixels, by kitty's graphics protocol and this medium.
  case pixels(PictureQuality.Medium)
  /// The size of a cell (XTWINOPS 16).
  case cell(CellSize)
  /// The device's attributes (DA1): the answer to the last question.
  case attributes
  /// The terminal's clipboard, which it was asked for (OSC 52), in Base64.
  case clipboard(base64: String)
  /// The terminal says that programs may set its clipboard (XTGETTCAP of `Ms`).
  case acceptsClipboard
}

/// Something done with the mouse, at a cell.
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
