/// The user's own keys, as in mpv's `input.conf`: a line a key, `KEY COMMAND`, and `#` before remarks.
///
/// Commands are mpv's where mpv has them (`seek 5`, `add volume -2`, `cycle pause`), and Matinee's for the rest
/// (`chat`, `what-happened`); `ignore` takes a key away. mpv's manual, "input.conf", has the names of keys.
public struct KeyBindings: Hashable, Sendable {
  struct Binding: Hashable, Sendable {
    var key: KeyPress
    /// Nil takes the key away.
    var command: Command?
    /// As it was written.
    var words: String
  }

  private(set) var bindings: [Binding] = []

  /// None.
  public init() {}

  /// - Throws: ``LineProblem`` for the first line that can't be understood.
  public init(parsing text: String) throws(LineProblem) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      var words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      // Where a key stands `#` begins a remark; after a command too.
      if let remark = words.firstIndex(where: { $0.hasPrefix("#") }) {
        words.removeSubrange(remark...)
      }
      guard let name = words.first else { continue }
      func problem(_ reason: String) -> LineProblem { LineProblem(line: index + 1, reason: reason) }
      guard let key = KeyPress(mpvName: name) else {
        throw problem(
          "no key is called “\(Self.shown(name))”; examples: SPACE, Shift+LEFT, ctrl+l, SHARP")
      }
      let command = Array(words.dropFirst())
      let written = command.joined(separator: " ")
      if command == ["ignore"] {
        bindings.append(Binding(key: key, command: nil, words: written))
      } else if let found = Command(words: command) {
        bindings.append(Binding(key: key, command: found, words: written))
      } else if command.isEmpty {
        throw problem(
          "“\(Self.shown(name))” is to do what? KEY COMMAND, as in: \(Self.shown(name)) cycle pause"
        )
      } else {
        throw problem(
          "there is no command “\(Self.shown(written))”"
            + Spelling.suggestion(for: written, among: Self.commandNames))
      }
    }
  }

  private static let commandNames =
    Command.named.map(\.name) + [
      "ignore", "seek 5", "add volume 2", "add chapter 1", "multiply speed 1.1", "set speed 1.0",
    ]

  private static func shown(_ text: String) -> String {
    TerminalText(text).prefix(columns: 60).description
  }
}

extension KeyMap {
  /// The map with the user's keys in it: each does what the user says, and nothing else.
  func applying(_ user: KeyBindings) -> KeyMap {
    var map = self
    for binding in user.bindings {
      map.remove(binding.key)
      guard let command = binding.command else { continue }
      map.add(binding.key, command, help: binding.words)
    }
    return map
  }

  /// The library keeps its keys, and so does the pen: they count only there.
  private mutating func remove(_ key: KeyPress) {
    for entry in entries.indices where !entries[entry].section.isForOneThing {
      for binding in entries[entry].bindings.indices {
        entries[entry].bindings[binding].keys.removeAll { $0 == key }
      }
      entries[entry].bindings.removeAll { $0.keys.isEmpty }
    }
    entries.removeAll { $0.bindings.isEmpty }
  }

  private mutating func add(_ key: KeyPress, _ command: Command, help: String) {
    for entry in entries.indices {
      for binding in entries[entry].bindings.indices
      where entries[entry].bindings[binding].command == command {
        return entries[entry].bindings[binding].keys.append(key)
      }
    }
    entries.append(Entry(.own, [Binding(key, command)], help))
  }
}
