extension KeyPress {
  /// A key by the name that mpv's `input.conf` uses: "SPACE", "Shift+LEFT", "ctrl+l", "#".
  ///
  /// Nil if there is no such key. mpv's manual, "Key names", lists them.
  init?(mpvName name: String) {
    var modifiers: Modifiers = []
    var rest = Substring(name)
    while let plus = rest.firstIndex(of: "+"), plus != rest.startIndex {
      switch rest[..<plus].lowercased() {
      case "shift": modifiers.insert(.shift)
      case "alt": modifiers.insert(.alt)
      case "ctrl": modifiers.insert(.control)
      default: return nil
      }
      rest = rest[rest.index(after: plus)...]
    }
    if let named = Self.namedKeys.first(where: { $0.name == rest }) {
      self.init(named.key, modifiers)
    } else if rest.count == 1, let character = rest.first {
      self.init(.character(character), modifiers)
    } else if rest.first == "F", let number = Int(rest.dropFirst()), (1...24).contains(number) {
      self.init(.function(number), modifiers)
    } else {
      return nil
    }
  }

  /// The key as people are told of it: "space", "←", "shift ←", "ctrl l".
  func label(isUnicode: Bool) -> TerminalText {
    var parts: [String] = []
    if modifiers.contains(.control) { parts.append("ctrl") }
    if modifiers.contains(.alt) { parts.append("alt") }
    if modifiers.contains(.shift) { parts.append("shift") }
    switch key {
    case .character(let character): parts.append(character == " " ? "space" : String(character))
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
    }
    return TerminalText(parts.joined(separator: " "))
  }

  private static let namedKeys: [(name: String, key: Key)] = [
    ("SPACE", .character(" ")), ("SHARP", .character("#")), ("PLUS", .character("+")),
    ("UP", .up), ("DOWN", .down), ("LEFT", .left), ("RIGHT", .right), ("HOME", .home),
    ("END", .end),
    ("PGUP", .pageUp), ("PGDWN", .pageDown), ("INS", .insert), ("DEL", .delete), ("BS", .backspace),
    ("ENTER", .enter), ("TAB", .tab), ("ESC", .escape),
  ]
}
