import TerminalVideo

/// Input from a terminal. ``KeyParser`` makes these events from its bytes.
enum InputEvent: Hashable, Sendable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// Pasted text, unchanged: clean it before it is shown.
  case paste(String)
  /// The terminal's window has got or lost the keyboard.
  case focus(Bool)
  /// The answer to the question for the device's status (`DSR 5`): the terminal has processed everything sent before.
  case status
  /// The terminal has 24-bit colours: it confirmed one that was set (`DECRQSS`).
  case directColor
  /// The terminal's background is light (OSC 11).
  case lightBackground
  /// The terminal shows pixels, by kitty's graphics protocol and this medium.
  case pixels(PictureQuality.Medium)
  /// The terminal draws octants itself (XTVERSION).
  case octants
  /// The terminal shows sixels (DA1).
  case sixel
  /// The greatest number of a sixel picture's colours (XTSMGRAPHICS).
  case sixelColors(Int)
  /// The greatest size of a sixel picture, in pixels (XTSMGRAPHICS).
  case sixelSize(width: Int, height: Int)
  /// The size of a cell (XTWINOPS 16).
  case cell(CellSize)
  /// The device's attributes (DA1): the answer to the last question.
  case attributes
  /// The requested contents of the terminal's clipboard (OSC 52), in Base64.
  case clipboard(base64: String)
  /// The terminal lets programs set its clipboard (XTGETTCAP of `Ms`).
  case acceptsClipboard
}

/// A terminal's answer to the request to put a text into its clipboard.
package enum ClipboardAnswer: Hashable, Sendable {
  /// The terminal lets programs set its clipboard.
  case accepts
  /// The text was read back from its clipboard.
  case holds
}

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
