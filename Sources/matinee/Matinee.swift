import ArgumentParser
import FileNames
import Foundation
import NATSTransport
import TerminalUI

@main
struct Matinee: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matinee",
    abstract: "Watch films together from the terminal, in sync.",
    usage: """
      matinee [OPTIONS] [FILM…]
      matinee host [OPTIONS] [FILM…]
      matinee join [OPTIONS] ['INVITE'|-] [FILM…]
      """,
    version: "0.1.0",
    subcommands: [
      Watch.self, Host.self, Join.self, RelayCommand.self, Doctor.self, Calibrate.self,
      PrintCommand.self, KeptRelayCommand.self,
    ],
    defaultSubcommand: Watch.self)

  /// The names of commands that users type.
  static var commandNames: [String] {
    var names: [String] = []
    for command in configuration.subcommands where command.configuration.shouldDisplay {
      names.append(command._commandName)
    }
    return names + ["help"]
  }
}

extension Matinee {
  /// Reads the settings, puts them before the typed arguments, and runs the command.
  static func main() async {
    let given = arguments()
    HiddenArguments.hide(commands: configuration.subcommands.map { $0._commandName } + ["help"])
    // Parsing the arguments already takes more.
    if let problem = ProcessLimits.stackProblem() {
      ExitStatus.printError(problem)
      Foundation.exit(1)
    }
    OpenSSL.keepUntilExit()
    // The parser would have all commands described first.
    if given == ["--version"] { return print(configuration.version) }
    do {
      let settings = StartArguments.Sources()
      if settings.areEmpty, let command = parsedAtOnce(given) {
        return try await run(command, in: StartContext(commandNames: commandNames))
      }
      let program = try CommandDescription.ofProgram()
      let typed = OrderedArguments(given, program: program)
      if let file = typed.dashedFile {
        throw ValidationError(
          "“\(TerminalText(file))” begins like an option. For a file of that name, write ./\(TerminalText(file)), "
            + "or -- before it.")
      }
      if typed.requestsProgramHelp {
        let help = ProgramHelp(program: program, version: configuration.version)
        FileHandle.standardOutput.write(
          Data(help.text(columns: OutputSize.current?.columns ?? 80).utf8))
        return
      }
      if let problem = typed.problem(in: program) { throw ValidationError(problem.description) }
      let start = StartArguments(typed.arguments, program: program, settings)
      let context = StartContext(
        warnings: start.warnings, origins: start.origins, commandNames: commandNames)
      try await run(try await asyncParseAsRoot(start.arguments), in: context)
    } catch {
      exit(withError: error)
    }
  }

  /// Returns the arguments; names of files in them may be any bytes.
  private static func arguments() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { FileName.text(cString: $0) }
    }
  }

  /// Parses arguments that are in order, without a description of all commands: making one takes longer than the rest of
  /// the start. The command parses the rest itself, since the parser would first ask each command what it takes.
  ///
  /// - Returns: nil if they need more, or if the parser refuses them.
  private static func parsedAtOnce(_ given: [String]) -> (any ParsableCommand)? {
    let commands = configuration.subcommands
    let names = Set(commands.map { $0._commandName } + ["help"])
    guard OrderedArguments.areOrdered(given, commands: names) else { return nil }
    if let command = commands.first(where: { $0._commandName == given.first }) {
      return try? command.parseAsRoot(Array(given.dropFirst()))
    }
    return try? configuration.defaultSubcommand?.parseAsRoot(given)
  }

  private static func run(
    _ command: any ParsableCommand, in context: StartContext
  ) async throws {
    try await StartContext.$current.withValue(context) {
      var command = command
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    }
  }
}

extension CommandDescription {
  /// Returns the description of the program itself.
  static func ofProgram() throws -> CommandDescription { try CommandDescription(of: Matinee.self) }
}

extension StartArguments {
  /// The settings of this machine's user, before they are interpreted.
  struct Sources {
    fileprivate let file = Settings.Source(folder: ConfigurationFolder.path())
    fileprivate let environment = ProcessInfo.processInfo.environment

    var areEmpty: Bool {
      file == nil && !environment.keys.contains { $0.hasPrefix(Settings.prefix) }
    }
  }

  /// Creates the arguments with the settings of this machine's user.
  init(_ given: [String], program: CommandDescription, _ sources: Sources) {
    guard !sources.areEmpty else {
      self.init(arguments: given)
      return
    }
    self.init(withSettings: sources, before: given, program: program)
  }

  /// Returns the problems with the settings that these commands would report at their start, each once.
  static func problems(of commands: [String]) throws -> [String] {
    let program = try CommandDescription.ofProgram()
    let sources = Sources()
    var problems: [String] = []
    for command in commands {
      let start = StartArguments(withSettings: sources, before: [command], program: program)
      for warning in start.warnings where !problems.contains(warning) { problems.append(warning) }
    }
    return problems
  }

  private init(
    withSettings sources: Sources, before given: [String], program: CommandDescription
  ) {
    let settings = Settings(
      catalog: SettingCatalog(program), source: sources.file, environment: sources.environment)
    self.init(
      given, settings: settings, commands: (program.subcommands ?? []).map(\.commandName),
      parse: Matinee.problem)
    // Unknown names in the file and the environment are reported by every command.
    warnings = settings.warnings + warnings
    for value in settings.values where value.setting.section == nil {
      origins[value.setting.name] = value.origin
    }
  }
}

extension Matinee {
  /// Returns the parser's objection to the arguments; nil if it accepts them, and they don't ask for help.
  static func problem(with arguments: [String]) -> String? {
    do {
      let command = try parseAsRoot(arguments)
      return configuration.subcommands.contains { $0 == type(of: command) }
        ? nil : "help is asked for"
    } catch {
      return message(for: error)
    }
  }
}
