/// A key on the keyboard, as far as a terminal reports it.
enum Key: Hashable, Sendable {
  /// The typed character: "A" is shift and "a" together.
  case character(Character)
  case up, down, left, right
  case home, end, pageUp, pageDown
  case insert, delete, backspace
  case enter, tab, escape
  /// F1...F24
  case function(Int)
  /// A mouse action over the video; only `keys.conf` uses these.
  case mouse(MouseKey)

  /// A button or the wheel, by mpv's names.
  enum MouseKey: String, CaseIterable, Hashable, Sendable {
    case left = "MBTN_LEFT"
    case leftDouble = "MBTN_LEFT_DBL"
    case right = "MBTN_RIGHT"
    case wheelUp = "WHEEL_UP"
    case wheelDown = "WHEEL_DOWN"
  }
}

/// A key with the modifiers that were held down.
struct KeyPress: Hashable, Sendable {
  struct Modifiers: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    // The bits of xterm's modifier parameter, which is this value plus one.
    static let shift = Modifiers(rawValue: 1)
    static let alt = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
  }

  var key: Key
  var modifiers: Modifiers

  init(_ key: Key, _ modifiers: Modifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}
