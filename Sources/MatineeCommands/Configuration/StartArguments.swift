import ArgumentParser
import MatineeKit

/// The arguments of a command, with the settings inserted before the typed arguments: the later argument wins, so the
/// command line overrides the settings.
struct StartArguments {
  /// The command that the parser made of the arguments; nil if it refuses them, or if they request help.
  private(set) var command: (any ParsableCommand)?
  private(set) var arguments: [String]
  /// Problems with the settings. The other settings still apply.
  private(set) var warnings: [String] = []
  /// The sources of all settings, by the option's name: “matinee.conf, line 3”.
  private(set) var origins: [String: String] = [:]

  init(
    _ typed: OrderedArguments, of program: any ParsableCommand.Type, _ sources: Settings.Sources
  ) throws {
    arguments = typed.arguments
    let name = typed.command ?? program.configuration.defaultSubcommand?._commandName
    guard let chosen = program.configuration.subcommands.first(where: { $0._commandName == name })
    else { return }
    var settings: [Settings.Value] = []
    if !sources.areEmpty {
      let all = Settings(of: try CommandDescription(of: program).settings, sources: sources)
      warnings = all.warnings
      for value in all.values where value.setting.section == nil {
        origins[value.setting.name] = value.origin
      }
      settings = all.values.filter {
        $0.setting.commands.contains(chosen._commandName) && !$0.isReplaced(by: typed.arguments)
      }
    }

    // The command parses the arguments itself: the program would first ask each command what it takes.
    func refusal(_ values: [Settings.Value], _ typed: [String]) -> String? {
      do {
        arguments = values.map(\.argument) + typed
        let parsed = try chosen.parseAsRoot(arguments)
        // A request for help is a command of its own.
        command = type(of: parsed) == chosen ? parsed : nil
        return command == nil ? "help is requested" : nil
      } catch {
        command = nil
        return chosen.message(for: error)
      }
    }
    func sound(_ values: [Settings.Value], _ typed: [String] = []) -> [Settings.Value] {
      values.reduce(into: []) { sound, value in
        if let problem = refusal(sound + [value], typed) {
          if typed.isEmpty { warnings.append(value.warning(problem)) }
        } else {
          sound.append(value)
        }
      }
    }
    guard refusal(settings, typed.arguments) != nil, !settings.isEmpty else { return }
    settings = sound(settings)
    guard refusal(settings, typed.arguments) != nil else { return }
    // If the typed arguments are valid without one of the settings, that setting is omitted.
    if refusal([], typed.arguments) == nil { settings = sound(settings, typed.arguments) }
    if refusal(settings, typed.arguments) != nil { arguments = typed.arguments }
  }
}

extension Settings.Value {
  /// Returns whether typed arguments replace this value: a repeatable option on the command line replaces its settings,
  /// except for mpv's options, which add up.
  fileprivate func isReplaced(by arguments: [String]) -> Bool {
    setting.option.isRepeating && setting.name != "mpv"
      && arguments.prefix { $0 != "--" }.contains {
        $0 == "--\(setting.name)" || $0.hasPrefix("--\(setting.name)=")
      }
  }

  fileprivate func warning(_ problem: String) -> String {
    // The parser repeats the text that it can't read, or a part of it.
    let isSecret = setting.mayBeSecret && argument.contains("@")
    return "\(origin): “\(setting.name)” is ignored: "
      + (isSecret ? "expected addresses like nats://USER:PASSWORD@HOST:PORT" : problem)
  }
}
