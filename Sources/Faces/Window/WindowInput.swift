import MPVPlayer
import Screening
import TerminalUI
import Timekeeping

/// The effect of keys in mpv's window, and of the mouse during a drawing.
struct WindowInput: Hashable, Sendable {
  /// An action that follows from an input.
  enum Action: Hashable, Sendable {
    case user(UserCommand)
    /// A line of the chat, or a command after a slash.
    case line(String)
    /// The user closed the window.
    case close
    /// The active keys have changed: the keys for typing while there is a ``WindowInput/line``, and those for drawing
    /// while ``WindowInput/isDrawing``.
    case rebind
  }

  /// The line that is being typed; nil if there is none.
  private(set) var line: LineEditor?
  /// A Boolean value that indicates whether the mouse draws.
  private(set) var isDrawing = false
  private var isPenDown = false
  private var pointer = UserCommand.Point(x: 0.5, y: 0.5)

  /// The keys that are always active. They have priority over mpv's own keys, and the user's bindings over them.
  static let standing = WindowKeys(
    "transport",
    commands.map { .init($0.key, name(of: $0.line), repeats: $0.repeats) }
      + own.map {
        .init($0.key, $0.name, switches: $0.action == .rebind ? .on(typing.name) : nil)
      }, .overDefaults)

  /// The keys that have priority over all others while a line is typed.
  static let typing = WindowKeys(
    "typing",
    [.init("any_unicode", "type", repeats: true)]
      + editing.map { .init($0, "type", repeats: true) }
      + [
        .init("ENTER", "send", switches: .off("typing")),
        .init("KP_ENTER", "send", switches: .off("typing")),
        .init("ESC", "cancel", switches: .off("typing")),
      ], .overAll)

  /// The keys that have priority over all others during a drawing.
  static let drawing = WindowKeys(
    "drawing",
    [
      .init("MBTN_LEFT", "pen"), .init("MBTN_LEFT_DBL", "ignore"), .init("u", "undo"),
      .init("BS", "undo"), .init("R", "reset-drawing"), .init("ESC", "leave-drawing"),
      .init("D", "leave-drawing"),
    ], .overAll)

  private static let editing = [
    "BS", "DEL", "LEFT", "RIGHT", "HOME", "END", "Ctrl+LEFT", "Ctrl+RIGHT", "Ctrl+a", "Ctrl+e",
    "Ctrl+b", "Ctrl+f", "Ctrl+d", "Ctrl+w", "Ctrl+u", "Ctrl+k", "Ctrl+y", "Alt+b", "Alt+f",
    "Alt+BS",
  ]

  /// The keys and their lines in the language of ``UserCommandTable``. mpv's own keys for playback ask the group before
  /// the player moves.
  private static let commands: [(key: String, line: String, repeats: Bool)] = [
    ("SPACE", "play-pause", false), ("p", "play-pause", false), ("MBTN_RIGHT", "play-pause", false),
    ("PLAYPAUSE", "play-pause", false),
    ("RIGHT", "seek +5", true), ("LEFT", "seek -5", true),
    ("UP", "seek +60", true), ("DOWN", "seek -60", true),
    ("Shift+RIGHT", "seek +1", true), ("Shift+LEFT", "seek -1", true),
    ("Shift+UP", "seek +5", true), ("Shift+DOWN", "seek -5", true),
    ("Shift+PGUP", "seek +600", false), ("Shift+PGDWN", "seek -600", false),
    ("PGUP", "chapter 1", false), ("PGDWN", "chapter -1", false),
    (".", "frame-step", true), (",", "frame-back-step", true),
    ("[", "rate *\(1 / 1.1)", false), ("]", "rate *1.1", false),
    ("{", "rate *0.5", false), ("}", "rate *2", false), ("BS", "rate 1", false),
    (">", "next", false), ("<", "previous", false), ("NEXT", "next", false),
    ("PREV", "previous", false),
    // These commands would move this player apart from the group, so they don't work in a party.
    ("l", "mpv ab-loop", false), ("L", "mpv cycle-values loop-file inf no", false),
    ("D", "draw", false), ("P", "picture-in-picture", false),
    ("q", "quit", false), ("Q", "quit", false), ("Ctrl+c", "quit", false),
  ]

  /// The keys for the window itself: it takes a line of the chat, or closes.
  private static let own: [(key: String, name: String, action: Action)] = [
    // mpv doesn't name a key that switches a set.
    ("ENTER", "resume-or-chat", .rebind), ("t", "chat", .rebind),
    ("CLOSE_WIN", "close", .close), ("Ctrl+w", "close", .close),
  ]

  /// Returns the name of a line's binding. A blank would end it.
  private static func name(of line: String) -> String { line.replacing(" ", with: "_") }

  private static let actions: [String: Action] = {
    var actions: [String: Action] = [:]
    for (_, name, action) in own { actions[name] = action }
    let drawing = ["undo", "reset-drawing", "leave-drawing"].map { (key: $0, line: $0) }
    for (key, line) in commands.map({ ($0.key, $0.line) }) + drawing {
      guard let command = try? UserCommand(line) else {
        preconditionFailure("the line of \(key) is no command: \(line)")
      }
      actions[name(of: line)] = .user(command)
    }
    return actions
  }()
  private static let names = Dictionary(
    commands.map { ($0.key, name(of: $0.line)) } + own.map { ($0.key, $0.name) },
    uniquingKeysWith: { first, _ in first })

  /// - Parameter offered: the position at which Enter continues the film; nil if it opens the chat.
  mutating func handle(
    _ key: WindowKey, isInParty: Bool, offered: MediaTime? = nil
  ) -> [Action] {
    if key.binding == "pen" { return pen(key.phase) }
    guard key.phase != .released else { return [] }
    // mpv resolves keys at the press. A key that follows quickly may still have its previous binding.
    let isForTyping = ["type", "send", "cancel"].contains(key.binding)
    if line != nil, !isForTyping, key.binding != "close" { return type(key) }
    let binding = line == nil && isForTyping ? Self.names[key.name] ?? "" : key.binding
    switch binding {
    case "resume-or-chat", "chat":
      // mpv has already activated the keys for typing.
      if let offered, binding != "chat" { return [.rebind, .user(.seek(to: offered))] }
      guard isInParty else { return [.rebind] }
      line = LineEditor()
      return [.rebind]
    case "type": return type(key)
    case "send":
      let said = line?.text ?? ""
      line = nil
      return said.isEmpty ? [.rebind] : [.rebind, .line(said)]
    case "cancel":
      line = nil
      return [.rebind]
    default: return Self.actions[binding].map { [$0] } ?? []
    }
  }

  private mutating func type(_ key: WindowKey) -> [Action] {
    if let text = key.text {
      line?.insert(text)
    } else {
      line?.press(mpvKey: key.name)
    }
    return []
  }

  private mutating func pen(_ phase: WindowKey.Phase) -> [Action] {
    switch phase {
    case .pressed:
      isPenDown = true
      return [.user(.drawing(.press(at: pointer)))]
    case .released:
      guard isPenDown else { return [] }
      isPenDown = false
      return [.user(.drawing(.lift))]
    case .repeated: return []
    }
  }

  /// Handles a move of the mouse to this position, from 0 to 1 in the picture.
  mutating func point(x: Double, y: Double) -> [Action] {
    pointer = UserCommand.Point(x: x, y: y)
    return isPenDown ? [.user(.drawing(.move(to: pointer)))] : []
  }

  /// Notes that this participant's part in a drawing begins or ends.
  mutating func drawingChanged(_ isDrawing: Bool) -> [Action] {
    guard isDrawing != self.isDrawing else { return [] }
    self.isDrawing = isDrawing
    isPenDown = false
    return [.rebind]
  }

  /// Discards the typed line at the end of the party.
  mutating func partyEnded() -> [Action] {
    guard line != nil else { return [] }
    line = nil
    return [.rebind]
  }
}
