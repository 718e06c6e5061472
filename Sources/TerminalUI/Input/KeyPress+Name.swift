/// A problem with the name of a key.
enum KeyNameProblem: Error, Hashable, Sendable {
  /// No key of mpv's has this name.
  case unknown
  /// A key of mpv's that no terminal reports.
  case notReported
}

extension KeyPress {
  /// Creates a key press by the name that mpv's `input.conf` uses: "SPACE", "Shift+LEFT", "ctrl+l", "#".
  ///
  /// Nil if there is no such key. mpv's manual, "Key names", lists them.
  init?(mpvName name: String) {
    guard let key = try? KeyPress(reading: name) else { return nil }
    self = key
  }

  /// Reads a key's name.
  ///
  /// - Throws: ``KeyNameProblem`` for a name that isn't a key's, or a key that terminals don't report.
  init(reading name: String) throws(KeyNameProblem) {
    var modifiers: Modifiers = []
    var rest = Substring(name)
    var isMeta = false
    while let plus = rest.firstIndex(of: "+"), plus != rest.startIndex,
      rest.index(after: plus) != rest.endIndex
    {
      switch rest[..<plus].lowercased() {
      case "shift": modifiers.insert(.shift)
      case "alt": modifiers.insert(.alt)
      case "ctrl": modifiers.insert(.control)
      case "meta": isMeta = true
      default: throw .unknown
      }
      rest = rest[rest.index(after: plus)...]
    }
    let upper = rest.uppercased()
    let key: Key
    if let named = Self.namedKeys.first(where: { $0.name == upper }) {
      key = named.key
    } else if let mouse = Key.MouseKey(rawValue: Self.oldMouseNames[upper] ?? upper) {
      key = .mouse(mouse)
    } else if rest.count == 1, let character = rest.first {
      // A letter with shift is another letter, in mpv and in a terminal.
      let isCapital = modifiers.contains(.shift) && character.isLowercase
      if isCapital { modifiers.remove(.shift) }
      key = .character(isCapital ? character.uppercased().first ?? character : character)
    } else if upper.first == "F", let number = Int(upper.dropFirst()), (1...24).contains(number) {
      key = .function(number)
    } else if Self.isOfAnotherDevice(upper) {
      throw .notReported
    } else {
      throw .unknown
    }
    if isMeta { throw .notReported }
    self.init(key, modifiers)
  }

  /// Returns the key's name on the screen, one word with its modifiers: "space", "←", "shift+←", "ctrl+plus".
  func label(isUnicode: Bool) -> TerminalText {
    var parts: [String] = []
    if modifiers.contains(.control) { parts.append("ctrl") }
    if modifiers.contains(.alt) { parts.append("alt") }
    if modifiers.contains(.shift) { parts.append("shift") }
    switch key {
    case .character(" "): parts.append("space")
    // "ctrl++" is hard to read.
    case .character("+") where !parts.isEmpty: parts.append("plus")
    case .character(let character): parts.append(String(character))
    case .up: parts.append(isUnicode ? "↑" : "up")
    case .down: parts.append(isUnicode ? "↓" : "down")
    case .left: parts.append(isUnicode ? "←" : "left")
    case .right: parts.append(isUnicode ? "→" : "right")
    case .home: parts.append("home")
    case .end: parts.append("end")
    case .pageUp: parts.append("pgup")
    case .pageDown: parts.append("pgdn")
    case .insert: parts.append("ins")
    case .delete: parts.append("del")
    case .backspace: parts.append("backspace")
    case .enter: parts.append("enter")
    case .tab: parts.append("tab")
    case .escape: parts.append("esc")
    case .function(let number): parts.append("F\(number)")
    case .mouse(.left): parts.append("click")
    case .mouse(.leftDouble): parts.append("double click")
    case .mouse(.right): parts.append("right click")
    case .mouse(.wheelUp): parts.append("wheel up")
    case .mouse(.wheelDown): parts.append("wheel down")
    }
    return TerminalText(parts.joined(separator: "+"))
  }

  private static let namedKeys: [(name: String, key: Key)] = [
    ("SPACE", .character(" ")), ("SHARP", .character("#")), ("PLUS", .character("+")),
    ("UP", .up), ("DOWN", .down), ("LEFT", .left), ("RIGHT", .right), ("HOME", .home),
    ("END", .end),
    ("PGUP", .pageUp), ("PGDWN", .pageDown), ("INS", .insert), ("DEL", .delete), ("BS", .backspace),
    ("ENTER", .enter), ("TAB", .tab), ("ESC", .escape),
    ("IDEOGRAPHIC_SPACE", .character("\u{3000}")),
  ]

  /// Old names, which mpv still understands.
  private static let oldMouseNames = [
    "MOUSE_BTN0": "MBTN_LEFT", "MOUSE_BTN0_DBL": "MBTN_LEFT_DBL", "MOUSE_BTN2": "MBTN_RIGHT",
    "MOUSE_BTN3": "WHEEL_UP", "MOUSE_BTN4": "WHEEL_DOWN", "AXIS_UP": "WHEEL_UP",
    "AXIS_DOWN": "WHEEL_DOWN",
  ]

  /// Returns whether the key is in mpv's list (`mpv --input-keylist`), but belongs to a window, a remote control or a
  /// game pad, or is reported by terminals as another key, like those of the keypad.
  private static func isOfAnotherDevice(_ name: String) -> Bool {
    let families = ["KP", "MBTN", "MOUSE_", "WHEEL_", "AXIS_", "GAMEPAD_", "XF86_", "CHANNEL_"]
    if families.contains(where: name.hasPrefix) { return true }
    // A Unicode code point or a raw key code.
    if name.hasPrefix("0X"), Int(name.dropFirst(2), radix: 16) != nil { return true }
    return [
      "PRINT", "POWER", "MENU", "PLAY", "PAUSE", "PLAYPAUSE", "STOP", "FORWARD", "REWIND", "NEXT",
      "PREV", "VOLUME_UP", "VOLUME_DOWN", "MUTE", "HOMEPAGE", "WWW", "MAIL", "FAVORITES", "SEARCH",
      "SLEEP", "CANCEL", "RECORD", "PLAYONLY", "PAUSEONLY", "CLOSE_WIN", "UNMAPPED", "ANY_UNICODE",
      "GO_BACK", "GO_FORWARD", "TOOLS", "ZOOMIN", "ZOOMOUT",
    ].contains(name)
  }
}
