import MPVPlayer
import Screening
import TerminalUI

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
    transport.map { key, name, _, repeats in
      WindowKeys.Binding(
        key, name, repeats: repeats, switches: name == "chat" ? .on(typing.name) : nil)
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

  /// mpv's own keys for playback. They ask the group before the player moves.
  private static let transport: [(key: String, name: String, action: Action, repeats: Bool)] = [
    ("SPACE", "play-pause", .user(.playPause), false),
    ("p", "play-pause", .user(.playPause), false),
    ("MBTN_RIGHT", "play-pause", .user(.playPause), false),
    ("PLAYPAUSE", "play-pause", .user(.playPause), false),
    ("RIGHT", "on-5", .user(.skip(by: .seconds(5))), true),
    ("LEFT", "back-5", .user(.skip(by: .seconds(-5))), true),
    ("UP", "on-60", .user(.skip(by: .seconds(60))), true),
    ("DOWN", "back-60", .user(.skip(by: .seconds(-60))), true),
    ("Shift+RIGHT", "on-1", .user(.skip(by: .seconds(1))), true),
    ("Shift+LEFT", "back-1", .user(.skip(by: .seconds(-1))), true),
    ("Shift+UP", "on-5", .user(.skip(by: .seconds(5))), true),
    ("Shift+DOWN", "back-5", .user(.skip(by: .seconds(-5))), true),
    ("Shift+PGUP", "on-600", .user(.skip(by: .seconds(600))), false),
    ("Shift+PGDWN", "back-600", .user(.skip(by: .seconds(-600))), false),
    ("PGUP", "chapter-on", .user(.seekChapter(by: 1)), false),
    ("PGDWN", "chapter-back", .user(.seekChapter(by: -1)), false),
    (".", "frame-on", .user(.frameStep(by: 1)), true),
    (",", "frame-back", .user(.frameStep(by: -1)), true),
    ("[", "slower", .user(.multiplyRate(by: 1 / 1.1)), false),
    ("]", "faster", .user(.multiplyRate(by: 1.1)), false),
    ("{", "half-speed", .user(.multiplyRate(by: 0.5)), false),
    ("}", "double-speed", .user(.multiplyRate(by: 2)), false),
    ("BS", "normal-speed", .user(.setRate(1)), false),
    (">", "next", .user(.advance(by: 1)), false),
    ("<", "previous", .user(.advance(by: -1)), false),
    ("NEXT", "next", .user(.advance(by: 1)), false),
    ("PREV", "previous", .user(.advance(by: -1)), false),
    // These commands would move this player apart from the group, so they don't work in a party.
    ("l", "ab-loop", .user(.player(.abLoop)), false),
    ("L", "loop-file", .user(.player(.loopFile)), false),
    ("ENTER", "chat", .rebind, false),
    ("t", "chat", .rebind, false),
    ("D", "draw", .user(.draw([])), false),
    ("P", "picture-in-picture", .user(.togglePictureInPicture), false),
    ("CLOSE_WIN", "close", .close, false),
    ("q", "quit", .user(.quit), false),
    ("Q", "quit", .user(.quit), false),
    ("Ctrl+c", "quit", .user(.quit), false),
    ("Ctrl+w", "close", .close, false),
  ]

  private static let actions = Dictionary(
    transport.map { ($0.name, $0.action) }, uniquingKeysWith: { first, _ in first })
  private static let names = Dictionary(
    transport.map { ($0.key, $0.name) }, uniquingKeysWith: { first, _ in first })

  mutating func handle(_ key: WindowKey, isInParty: Bool) -> [Action] {
    if key.binding == "pen" { return pen(key.phase) }
    guard key.phase != .released else { return [] }
    // mpv resolves keys at the press. A key that follows quickly may still have its previous binding.
    let isForTyping = ["type", "send", "cancel"].contains(key.binding)
    if line != nil, !isForTyping, key.binding != "close" { return type(key) }
    let binding = line == nil && isForTyping ? Self.names[key.name] ?? "" : key.binding
    switch binding {
    case "chat":
      // mpv has already activated the keys for typing.
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
    case "undo": return [.user(.undoStroke)]
    case "reset-drawing": return [.user(.resetDrawing)]
    case "leave-drawing": return [.user(.leaveDrawing)]
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
      return [.user(.pressPen(at: pointer))]
    case .released:
      guard isPenDown else { return [] }
      isPenDown = false
      return [.user(.liftPen)]
    case .repeated: return []
    }
  }

  /// Handles a move of the mouse to this position, from 0 to 1 in the picture.
  mutating func point(x: Double, y: Double) -> [Action] {
    pointer = UserCommand.Point(x: x, y: y)
    return isPenDown ? [.user(.movePen(to: pointer))] : []
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
