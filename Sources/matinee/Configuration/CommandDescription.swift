import Foundation

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
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var preferredName: Name?
    var valueName: String?
    /// The number of values that follow the name, as `ArgumentParser` calls it: `default`, `upToNextOption`…
    var parsingStrategy: String?
    /// The heading under which the help lists it.
    var sectionTitle: String?
    var defaultValue: String?
    /// What the value may be, if that is a list.
    var allValues: [String]?
    var abstract: String?
    var discussion: String?

    /// Without the dashes; nil for an argument that is told by its place.
    var longName: String? { names?.first { $0.kind == "long" }?.name }
  }

  private struct Tool: Decodable { var command: CommandDescription }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var defaultSubcommand: String?
  var subcommands: [CommandDescription]?
  var arguments: [Argument]?
  var shouldDisplay: Bool?

  /// - Parameter dump: what `--experimental-dump-help` prints.
  init(dump: String) throws {
    self = try JSONDecoder().decode(Tool.self, from: Data(dump.utf8)).command
  }

  /// The description of the program itself. Its dump leaves out the default subcommand.
  static func ofProgram() throws -> CommandDescription {
    var program = try CommandDescription(dump: Matinee._dumpHelp())
    program.defaultSubcommand = Matinee.configuration.defaultSubcommand?._commandName
    return program
  }

  func subcommand(_ name: String) -> CommandDescription? {
    subcommands?.first { $0.commandName == name }
  }

  /// Those that have a name, in the order in which they are declared.
  var options: [Argument] { (arguments ?? []).filter { $0.kind != .positional } }
}
