import ArgumentParser
import Foundation

@main
struct Matinee: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matinee",
    abstract: "Watch films together from the terminal, in step.",
    discussion: """
      matinee FILE                 watch a film, or open the library on a folder
      matinee host FILE            open a party; shows the invite to pass on
      matinee join 'INVITE'        join one (quote the invite: it holds a #)
      matinee join                 join one on the local network
      """,
    version: "0.1.0",
    subcommands: [
      Watch.self, Host.self, Join.self, RelayCommand.self, Doctor.self, PrintCommand.self,
    ],
    defaultSubcommand: Watch.self)
}

extension Matinee {
  /// Reads the settings, puts what was typed after them, and does what that says.
  static func main() async {
    let given = Array(CommandLine.arguments.dropFirst())
    do {
      let start = try StartArguments(given)
      try await StartWarnings.$current.withValue(start.warnings) {
        var command = try await asyncParseAsRoot(start.arguments)
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      }
    } catch {
      exit(withError: error)
    }
  }
}

/// What is wrong with the settings that the program was started with, for whoever has a place to tell it.
enum StartWarnings {
  @TaskLocal static var current: [String] = []
}

extension StartArguments {
  /// With the settings of this machine's user.
  init(_ given: [String]) throws {
    let source = Settings.Source(folder: ConfigurationFolder.path())
    let environment = ProcessInfo.processInfo.environment
    guard source != nil || environment.keys.contains(where: { $0.hasPrefix(Settings.prefix) })
    else {
      self.init(arguments: given)
      return
    }
    try self.init(given, source: source, environment: environment)
  }

  /// What would be told of the settings when these commands start; each once.
  static func problems(of commands: [String]) -> [String] {
    let source = Settings.Source(folder: ConfigurationFolder.path())
    var told: [String] = []
    for command in commands {
      let start = try? StartArguments(
        [command], source: source, environment: ProcessInfo.processInfo.environment)
      for warning in start?.warnings ?? [] where !told.contains(warning) { told.append(warning) }
    }
    return told
  }

  private init(_ given: [String], source: Settings.Source?, environment: [String: String]) throws {
    let program = try CommandDescription(dump: Matinee._dumpHelp())
    let settings = Settings(
      catalog: SettingCatalog(program), source: source, environment: environment)
    self.init(
      given, settings: settings, commands: (program.subcommands ?? []).map(\.commandName),
      parse: Matinee.problem)
    // What the file and the environment have in them that isn't a setting is told whatever is done.
    warnings = settings.warnings + warnings
  }
}

extension Matinee {
  /// What the parser says against arguments; nil if it takes them, and they don't ask for help.
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
