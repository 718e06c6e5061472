import ArgumentParser
import Foundation
import MatineeKit

/// The options and arguments that the program's commands declare: the one source of the help text, the manual, the
/// completions and the keys of `matinee.conf`.
///
/// It is read back from `ArgumentParser`'s description of a command (`--experimental-dump-help`, version 0).
struct CommandDescription: Decodable, Hashable, Sendable {
  struct Argument: Decodable, Hashable, Sendable {
    enum Kind: String, Decodable, Sendable { case positional, option, flag }

    struct Name: Decodable, Hashable, Sendable {
      /// `long`, `short`, or `longWithSingleDash`.
      var kind: String
      var name: String
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    /// The number of values that follow the name, as `ArgumentParser` calls it: `default`, `upToNextOption`…
    var parsingStrategy: String?
    /// The heading under which the help lists it.
    var sectionTitle: String?
    var defaultValue: String?
    /// The possible values, if the option has a fixed list.
    var allValues: [String]?
    var abstract: String?
    var discussion: String?
    /// A Boolean value that indicates whether a switch has an opposite, `--no-NAME`; only
    /// ``CommandDescription/shownOptions`` know it.
    var hasOpposite: Bool?

    /// The name without the dashes; nil for a positional argument.
    var longName: String? { names?.first { $0.kind == "long" }?.name }
    var isOnByDefault: Bool {
      kind == .flag && defaultValue.map { !$0.hasPrefix("--no-") } ?? false
    }
  }

  private struct Tool: Decodable { var command: CommandDescription }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var defaultSubcommand: String?
  var subcommands: [CommandDescription]?
  var arguments: [Argument]?
  var shouldDisplay: Bool?

  /// Creates the description of a program, whose dump leaves out the default subcommand.
  ///
  /// All commands are written and read again, which takes an eighth of the program's start.
  init(of program: any ParsableCommand.Type) throws {
    self = try JSONDecoder().decode(Tool.self, from: Data(program._dumpHelp().utf8)).command
    defaultSubcommand = program.configuration.defaultSubcommand?._commandName
  }

  func subcommand(_ name: String) -> CommandDescription? {
    subcommands?.first { $0.commandName == name }
  }

  /// The arguments with a name, in the order of their declaration.
  var options: [Argument] { (arguments ?? []).filter { $0.kind != .positional } }

  /// The options for users, with one entry for a switch and its opposite.
  var shownOptions: [Argument] {
    let names = Set(options.compactMap(\.longName))
    return options.compactMap { option in
      guard let name = option.longName, option.shouldDisplay,
        !(name.hasPrefix("no-") && names.contains(String(name.dropFirst(3))))
      else { return nil }
      var option = option
      option.hasOpposite = names.contains("no-" + name)
      return option
    }
  }
}
