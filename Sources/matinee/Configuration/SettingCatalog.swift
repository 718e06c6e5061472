/// An option that may also be set in `matinee.conf` and in the environment.
struct SettingDescription: Hashable, Sendable {
  /// The section: `relay` for the options that only `matinee relay` has, nil for those of the commands with a player.
  var section: String?
  var name: String
  var isFlag: Bool
  /// A Boolean value that indicates whether a flag has an opposite, `--no-NAME`. A flag without one is omitted for
  /// “no”.
  var hasOpposite = false
  var isRepeating: Bool
  /// The commands with this option.
  var commands: [String]

  /// The key for the lookup, below the section if there is one.
  var path: [String] { (section.map { [$0] } ?? []) + [name] }
  /// The variable's name in the environment.
  var variable: String { (["matinee"] + path).map(Self.uppercased).joined(separator: "_") }
  /// A Boolean value that indicates whether the value may contain a secret: the relay's addresses may contain a
  /// password.
  var mayBeSecret: Bool { section == nil && name == "relay" }

  private static func uppercased(_ component: String) -> String {
    String(component.uppercased().map { $0 == "-" ? "_" : $0 })
  }
}

/// All settings: the options that the commands declare, except those that are meant for a single run.
struct SettingCatalog: Hashable, Sendable {
  static let playerCommands = ["watch", "host", "join"]
  static let sections = ["relay"]
  /// The settings of the commands with a player that apply to other commands too.
  static let followers = ["calibrate": ["mpv", "config"]]
  /// Options that are useful for a single run only. The invite's file is a different one each time.
  static let commandLineOnly: Set<String> = ["help", "version", "invite-file"]

  private(set) var settings: [SettingDescription] = []

  init(_ program: CommandDescription) {
    for command in Self.playerCommands { add(program.subcommand(command), section: nil) }
    for (command, names) in Self.followers { follow(command, names: names) }
    for section in Self.sections { add(program.subcommand(section), section: section) }
  }

  func setting(_ name: String, section: String?) -> SettingDescription? {
    settings.first { $0.name == name && $0.section == section }
  }

  func settings(of command: String) -> [SettingDescription] {
    settings.filter { $0.commands.contains(command) }
  }

  func names(section: String?) -> [String] {
    settings.filter { $0.section == section }.map(\.name)
  }

  private mutating func follow(_ command: String, names: [String]) {
    for index in settings.indices
    where settings[index].section == nil && names.contains(settings[index].name) {
      settings[index].commands.append(command)
    }
  }

  private mutating func add(_ command: CommandDescription?, section: String?) {
    guard let command else { return }
    let names = Set(command.options.compactMap(\.longName))
    for option in command.options {
      guard let name = option.longName, option.shouldDisplay, !Self.commandLineOnly.contains(name),
        // The second half of a switch.
        !(name.hasPrefix("no-") && names.contains(String(name.dropFirst(3))))
      else { continue }
      let isThere = settings.firstIndex { $0.name == name && $0.section == section }
      if let isThere {
        settings[isThere].commands.append(command.commandName)
      } else {
        settings.append(
          SettingDescription(
            section: section, name: name, isFlag: option.kind == .flag,
            hasOpposite: names.contains("no-" + name), isRepeating: option.isRepeating,
            commands: [command.commandName]))
      }
    }
  }
}
