/// The command line with the command's name in front, where the parser expects it: `matinee --name Ana host film` is
/// `matinee host --name Ana film`.
///
/// The command is the first argument that is neither an option nor an option's value, if a command has that name. A
/// file with a command's name is opened by its path (`./host`), or after `--`.
struct OrderedArguments: Hashable, Sendable {
  private(set) var arguments: [String]
  /// The command's name; nil for the default command.
  private(set) var command: String?
  /// The first argument that is neither an option, nor an option's value, nor the command.
  private(set) var firstPositional: String?
  /// Long names of the options, in the order in which they are given.
  private(set) var options: [String] = []
  /// The first argument in an option's place that looks like a file: no option has one dash and several letters.
  private(set) var dashedFile: String?

  init(_ given: [String], program: CommandDescription) {
    arguments = given
    // Requests to the parser itself, for completions.
    if given.first?.hasPrefix("---") == true { return }
    var scanner = Scanner(table: Table(program))
    for argument in given { scanner.read(argument) }
    command = scanner.command
    firstPositional = scanner.firstPositional
    options = scanner.options
    dashedFile = scanner.dashedFile
    if let command { arguments = [command] + scanner.arguments }
  }

  /// Returns whether arguments are certainly as the parser expects them, whatever values their options take: no command's
  /// name follows another argument, and they request no help.
  ///
  /// - Parameter commands: the names of all commands, with `help`.
  static func areOrdered(_ given: [String], commands: Set<String>) -> Bool {
    guard let first = given.first else { return true }
    return first != "help" && !first.hasPrefix("---")
      && !given.contains { $0 == "-h" || $0 == "--help" || Scanner.isDashedFile($0) }
      && !given.dropFirst().contains(where: commands.contains)
  }

  /// A Boolean value that indicates whether the program's own help is requested, not a command's.
  var requestsProgramHelp: Bool {
    switch command {
    case nil: options.contains("help")
    case "help"?: firstPositional == nil
    default: false
    }
  }
}

extension OrderedArguments {
  /// The options of all commands, and the number of values that each takes.
  fileprivate struct Table {
    enum Values { case none, one, oneEvenIfOption, several }

    let commands: Set<String>
    private var values: [String: Values] = [:]

    init(_ program: CommandDescription) {
      let subcommands = program.subcommands ?? []
      commands = Set(subcommands.map(\.commandName) + ["help"])
      for option in ([program] + subcommands).flatMap(\.options) {
        for name in option.names ?? [] {
          let spelling = (name.kind == "long" ? "--" : "-") + name.name
          values[spelling] = Self.values(of: option)
        }
      }
    }

    /// - Returns: nil for an option that no command has.
    func values(of spelling: String) -> Values? { values[spelling] }

    private static func values(of option: CommandDescription.Argument) -> Values {
      guard option.kind == .option else { return .none }
      switch option.parsingStrategy {
      case "unconditional", "scanningForValue": return .oneEvenIfOption
      case "upToNextOption": return .several
      default: return .one
      }
    }
  }

  /// Reads the arguments one by one.
  fileprivate struct Scanner {
    let table: Table
    private(set) var command: String?
    private(set) var firstPositional: String?
    private(set) var options: [String] = []
    private(set) var dashedFile: String?
    /// All arguments but the command, in order, without the options that take any number of values: after the command
    /// these would take the films too.
    private var others: [String] = []
    private var openEnded: [String] = []
    private var pending = Table.Values.none
    private var end: [String]?

    init(table: Table) { self.table = table }

    var arguments: [String] { others + openEnded + (end ?? []) }

    mutating func read(_ argument: String) {
      if end != nil {
        end?.append(argument)
        if firstPositional == nil { firstPositional = argument }
        return
      }
      let isOption = argument.count > 1 && argument.hasPrefix("-")
      switch pending {
      case .oneEvenIfOption:
        readValue(argument)
      case .one where !isOption:
        readValue(argument)
      case .several where !isOption && (command != nil || !table.commands.contains(argument)):
        if command == nil { openEnded.append(argument) } else { others.append(argument) }
      case .none, .one, .several:
        if isOption { readOption(argument) } else { readPositional(argument) }
      }
    }

    static func isDashedFile(_ argument: String) -> Bool {
      argument.count > 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
    }

    /// Reads the value of the option before it.
    private mutating func readValue(_ value: String) {
      others.append(value)
      pending = .none
    }

    private mutating func readOption(_ argument: String) {
      pending = .none
      guard argument != "--" else {
        end = [argument]
        return
      }
      if dashedFile == nil, Self.isDashedFile(argument) { dashedFile = argument }
      let spelling = String(argument.prefix { $0 != "=" })
      let values = table.values(of: spelling) ?? .none
      if spelling == "-h" {
        options.append("help")
      } else if spelling.hasPrefix("--") {
        options.append(String(spelling.dropFirst(2)))
      }
      if spelling == argument { pending = values }
      if values == .several, spelling == argument, command == nil {
        openEnded.append(argument)
      } else {
        others.append(argument)
      }
    }

    private mutating func readPositional(_ argument: String) {
      pending = .none
      if command == nil, firstPositional == nil, table.commands.contains(argument) {
        command = argument
      } else {
        if firstPositional == nil { firstPositional = argument }
        others.append(argument)
      }
    }
  }
}
