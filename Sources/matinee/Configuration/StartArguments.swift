/// The arguments that the program is started with, once the settings have been put before them: what comes later
/// wins, and that is what was typed.
struct StartArguments: Hashable, Sendable {
  private(set) var arguments: [String]
  /// Settings that can't be what they are meant to be; the rest holds.
  var warnings: [String] = []

  /// Nothing is set.
  init(arguments: [String]) { self.arguments = arguments }

  /// - Parameters:
  ///   - given: what was typed, without the program's name.
  ///   - commands: the names of all commands.
  ///   - parse: what the parser says against its arguments; nil if nothing.
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
        // What is repeated replaces what is set, but for mpv's options, which add up.
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
      // What was typed goes without one of the settings only: that one yields.
      var sound: [Settings.Value] = []
      for value in values where parse(line(sound + [value], rest)) == nil { sound.append(value) }
      arguments = line(sound, rest)
    }
    // Else what was typed is wrong by itself, or asks for help.
  }

  private static func has(_ name: String, in arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }
  }

  private static func warning(_ value: Settings.Value, _ problem: String) -> String {
    // The parser repeats what it can't read, or a part of it.
    let isSecret = value.setting.mayBeSecret && value.arguments.contains { $0.contains("@") }
    let problem =
      isSecret ? "expected addresses like nats://USER:PASSWORD@HOST:PORT" : problem
    return "\(value.origin): “\(value.setting.name)” is ignored: \(problem)"
  }
}
