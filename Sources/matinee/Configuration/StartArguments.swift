/// The program's arguments, with the settings inserted before the given arguments: the later argument wins, so the
/// command line overrides the settings.
struct StartArguments: Hashable, Sendable {
  private(set) var arguments: [String]
  /// Warnings about settings with invalid values. The other settings still apply.
  var warnings: [String] = []

  /// The sources of all settings, by the option's name: “matinee.conf, line 3”.
  var origins: [String: String] = [:]

  /// Creates arguments without settings.
  init(arguments: [String]) { self.arguments = arguments }

  /// Creates arguments from the command line and the settings.
  ///
  /// - Parameters:
  ///   - given: the command line, without the program's name.
  ///   - commands: the names of all commands.
  ///   - parse: returns the parser's objection to the arguments; nil if there is none.
  init(
    _ given: [String], settings: Settings, commands: [String],
    parse: ([String]) -> String?
  ) {
    arguments = given
    let isNamed = given.first.map(commands.contains) ?? false
    let command = isNamed ? given[0] : "watch"
    let rest = Array(given.dropFirst(isNamed ? 1 : 0))
    var values = settings.values.filter { value in
      value.setting.commands.contains(command)
        // A repeatable option on the command line replaces its settings, except for mpv's options, which add up.
        && (!value.setting.isRepeating || value.setting.name == "mpv"
          || !Self.has(value.setting.name, in: rest))
    }
    guard !values.isEmpty else { return }
    func line(_ values: [Settings.Value], _ rest: [String] = []) -> [String] {
      [command] + values.flatMap(\.arguments) + rest
    }
    if parse(line(values, rest)) == nil {
      arguments = line(values, rest)
      return
    }
    if parse(line(values)) != nil {
      var sound: [Settings.Value] = []
      for value in values {
        if let problem = parse(line(sound + [value])) {
          warnings.append(Self.warning(value, problem))
        } else {
          sound.append(value)
        }
      }
      values = sound
    }
    if parse(line(values, rest)) == nil {
      arguments = line(values, rest)
    } else if parse(given) == nil {
      // The command line is valid without one of the settings: that setting is omitted.
      var sound: [Settings.Value] = []
      for value in values where parse(line(sound + [value], rest)) == nil { sound.append(value) }
      arguments = line(sound, rest)
    }
    // Otherwise the command line itself is invalid, or requests help.
  }

  private static func has(_ name: String, in arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }
  }

  private static func warning(_ value: Settings.Value, _ problem: String) -> String {
    // The parser repeats the text that it can't read, or a part of it.
    let isSecret = value.setting.mayBeSecret && value.arguments.contains { $0.contains("@") }
    let problem =
      isSecret ? "expected addresses like nats://USER:PASSWORD@HOST:PORT" : problem
    return "\(value.origin): “\(value.setting.name)” is ignored: \(problem)"
  }
}
