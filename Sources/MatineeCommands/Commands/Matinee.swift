import ArgumentParser
import FileNames
import Foundation
import MatineeKit
import NATSTransport
import TerminalUI

/// The program from its command line on.
package struct Matinee: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "matinee",
    abstract: "Watch films together from the terminal, in sync.",
    usage: """
      matinee [OPTIONS] [FILM…]
      matinee host [OPTIONS] [FILM…]
      matinee join [OPTIONS] ['INVITE'|-] [FILM…]
      """,
    version: "0.1.0",
    subcommands: [
      Watch.self, Host.self, Join.self, InviteCommand.self, RelayCommand.self, DoctorCommand.self,
      Calibrate.self,
      PrintCommand.self, KeptRelayCommand.self,
    ],
    defaultSubcommand: Watch.self)

  package init() {}

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
  /// Reads the settings, puts them before the typed arguments, and runs the command. If the parser refuses the arguments,
  /// or they request help, the reason is found out then.
  package static func start() async {
    let given = arguments()
    HiddenArguments.hide(commands: configuration.subcommands.map { $0._commandName } + ["help"])
    // Parsing the arguments already takes more.
    if let problem = ProcessLimits.stackProblem() {
      ExitStatus.printError(problem)
      Foundation.exit(1)
    }
    do {
      let typed = try OrderedArguments(given, of: Matinee.self)
      let start = try StartArguments(typed, of: Matinee.self, Settings.Sources())
      let context = StartContext(
        warnings: start.warnings, origins: start.origins, commandNames: commandNames)
      if let command = start.command { return try await run(command, in: context) }
      let program = try CommandDescription.ofProgram()
      if typed.requestsProgramHelp {
        let help = ProgramHelp(program: program, version: configuration.version)
        FileHandle.standardOutput.write(
          Data(help.text(columns: OutputSize.current?.columns ?? 80).utf8))
        return
      }
      if let problem = typed.problem(in: program) { throw ValidationError(problem) }
      try await run(try await asyncParseAsRoot(typed.line), in: context)
    } catch {
      let status = exitCode(for: error)
      guard status == .validationFailure, !(error is ExitCode) else { exit(withError: error) }
      // The parser itself would add the usage of a subcommand.
      let text = message(for: error)
      let end = text.hasSuffix(".") || text.hasSuffix("?") ? "" : "."
      ExitStatus.printError(text + end + " Try matinee --help.")
      Foundation.exit(status.rawValue)
    }
  }

  /// Returns the arguments; names of files in them may be any bytes.
  private static func arguments() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { FileName.text(cString: $0) }
    }
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
  /// Returns the problems with the settings that these commands would report at their start, each once.
  static func problems(of commands: [String]) throws -> [String] {
    let sources = Settings.Sources()
    var problems: [String] = []
    for command in commands {
      let typed = try OrderedArguments([command], of: Matinee.self)
      let start = try StartArguments(typed, of: Matinee.self, sources)
      for warning in start.warnings where !problems.contains(warning) { problems.append(warning) }
    }
    return problems
  }
}
