/// An option of another command, which the given command doesn't have.
struct OptionProblem: Hashable, Sendable, CustomStringConvertible {
  /// The option with its dashes.
  var option: String
  /// The command as the user types it: `matinee host`.
  var command: String
  var owners: [String]

  var description: String {
    let quoted = owners.map { "“\($0)”" }
    let list = [quoted.dropLast().joined(separator: ", "), quoted.last ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " and ")
    return
      "“\(command)” has no option \(option); \(list) \(owners.count == 1 ? "has" : "have") it. "
      + "For its own options: \(command) --help"
  }
}

extension OrderedArguments {
  /// Returns the first option that belongs only to other commands. An option that no command has is left to the parser,
  /// which suggests a similar one.
  func problem(in program: CommandDescription) -> OptionProblem? {
    let name = command ?? program.defaultSubcommand ?? ""
    guard let chosen = program.subcommand(name), name != "help" else { return nil }
    func names(_ command: CommandDescription) -> Set<String> {
      Set(command.options.compactMap(\.longName))
    }
    let known = names(chosen).union(names(program))
    for option in options where !known.contains(option) {
      let owners = (program.subcommands ?? []).filter {
        $0.shouldDisplay != false && names($0).contains(option)
      }
      guard !owners.isEmpty else { continue }
      return OptionProblem(
        option: "--\(option)", command: program.typedName(of: name),
        owners: owners.map { program.typedName(of: $0.commandName) })
    }
    return nil
  }
}

extension CommandDescription {
  /// Returns the words that start a subcommand: `matinee host`, and `matinee` for the default one.
  func typedName(of subcommand: String) -> String {
    subcommand == defaultSubcommand ? commandName : "\(commandName) \(subcommand)"
  }
}
