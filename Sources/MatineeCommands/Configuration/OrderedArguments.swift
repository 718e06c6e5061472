import ArgumentParser
import MatineeKit
import TerminalUI

/// The command line with the command's name in front, where the parser expects it: `matinee --name Ana host film` is
/// `matinee host --name Ana film`.
///
/// The command is the first argument that is neither an option nor an option's value, if a command has that name. A
/// file with a command's name is opened by its path (`./host`), or after `--`.
struct OrderedArguments: Hashable, Sendable {
  /// The command's name; nil for the default command.
  private(set) var command: String?
  /// The other arguments.
  private(set) var arguments: [String]

  /// The whole line.
  var line: [String] { [command].compactMap(\.self) + arguments }

  init(_ given: [String], of program: any ParsableCommand.Type) throws {
    arguments = given
    let commands = Set(program.configuration.subcommands.map { $0._commandName } + ["help"])
    // Three dashes begin a shell's request for completions.
    guard let index = given.firstIndex(where: commands.contains), !given[0].hasPrefix("---") else {
      return
    }
    var rest = given[...]
    var (options, openEnded): ([String], [String]) = ([], [])
    if index > 0 {
      let description = try CommandDescription(of: program)
      while let option = rest.first, option != "--", Self.isOption(option) {
        let values = rest.dropFirst()
        switch description.parsing(of: option) {
        case "upToNextOption":
          // Behind the command's name these would take the films too.
          let count = values.prefix { !Self.isOption($0) && !commands.contains($0) }.count
          openEnded += rest.prefix(1 + count)
          rest = values.dropFirst(count)
        case let parsing:
          let hasValue = parsing == "unconditional" || !(values.first.map(Self.isOption) ?? true)
          options += rest.prefix(parsing != nil && hasValue ? 2 : 1)
          rest = rest.dropFirst(parsing != nil && hasValue ? 2 : 1)
        }
      }
    }
    guard let name = rest.popFirst(), commands.contains(name) else { return }
    command = name
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    arguments = options + rest[..<end] + openEnded + rest[end...]
  }

  private static func isOption(_ argument: String) -> Bool {
    argument.count > 1 && argument.hasPrefix("-")
  }
}

extension OrderedArguments {
  /// A Boolean value that indicates whether the program's own help is requested, not a command's.
  var requestsProgramHelp: Bool {
    switch command {
    case nil: beforeFiles.contains { $0 == "-h" || $0 == "--help" }
    case "help"?: arguments.allSatisfy(Self.isOption)
    default: false
    }
  }

  /// Returns the reason why the parser refuses the arguments, if it is one that the parser doesn't explain well.
  func problem(in program: CommandDescription) -> String? {
    if let file = dashedFile(in: program).map({ TerminalText($0) }) {
      return
        "“\(file)” begins like an option. For a file of that name, write ./\(file), or -- before it."
    }
    let name = command ?? program.defaultSubcommand ?? ""
    guard let chosen = program.subcommand(name), name != "help" else { return nil }
    let known = (chosen.options + program.options).compactMap(\.longName)
    for argument in beforeFiles where argument.hasPrefix("--") {
      let option = String(argument.dropFirst(2).prefix { $0 != "=" })
      guard !known.contains(option) else { continue }
      let owners = (program.subcommands ?? []).filter {
        $0.shouldDisplay != false && $0.options.contains { $0.longName == option }
      }.map { "“\(program.typedName(of: $0.commandName))”" }
      guard let last = owners.last else { continue }
      let others = owners.dropLast().joined(separator: ", ")
      let command = program.typedName(of: name)
      return "“\(command)” has no option --\(option); "
        + (others.isEmpty ? "\(last) has it. " : "\(others) and \(last) have it. ")
        + "For its own options: \(command) --help"
    }
    return nil
  }

  private var beforeFiles: [String] { Array(arguments.prefix { $0 != "--" }) }

  /// The first argument in an option's place that looks like a file: no option has one dash and several letters.
  private func dashedFile(in program: CommandDescription) -> String? {
    zip([""] + beforeFiles, beforeFiles).first { previous, argument in
      argument.count > 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
        && program.parsing(of: previous) != "unconditional"
    }?.1
  }
}

extension CommandDescription {
  /// Returns how many values follow an option, `--name` or `-n`, of any command; nil if none do.
  fileprivate func parsing(of spelling: String) -> String? {
    let option = ([self] + (subcommands ?? [])).lazy.flatMap(\.options).first {
      $0.names?.contains { ($0.kind == "long" ? "--" : "-") + $0.name == spelling } ?? false
    }
    return option?.kind == .option ? option?.parsingStrategy : nil
  }

  /// Returns the words that start a subcommand: `matinee host`, and `matinee` for the default one.
  fileprivate func typedName(of subcommand: String) -> String {
    subcommand == defaultSubcommand ? commandName : "\(commandName) \(subcommand)"
  }
}
