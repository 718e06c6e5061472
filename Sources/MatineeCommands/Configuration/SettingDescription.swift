import MatineeKit

/// An option that may also be set in `matinee.conf` and in the environment.
struct SettingDescription: Hashable, Sendable {
  /// The section: `relay` for the options that only `matinee relay` has, nil for those of the commands with a player.
  var section: String?
  var option: CommandDescription.Argument
  /// The commands with this option.
  var commands: [String]

  static let sections = ["relay"]
  /// Options that are useful for a single run only. The invite's file, a room's password and the film are different ones
  /// each time.
  static let commandLineOnly: Set<String> = [
    "help", "version", "invite-file", "password-file", "operator-password-file",
    "same-film",
  ]

  var name: String { option.longName ?? "" }
  var isFlag: Bool { option.kind == .flag }
  /// The variable's name in the environment.
  var variable: String {
    ["matinee", section, name].compactMap { $0?.uppercased().replacing("-", with: "_") }
      .joined(separator: "_")
  }
  /// A Boolean value that indicates whether the value may contain a secret: the relay's addresses may contain a
  /// password.
  var mayBeSecret: Bool { section == nil && name == "relay" }
}

extension CommandDescription {
  /// All settings: the options that the commands declare, except those that are meant for a single run.
  var settings: [SettingDescription] {
    var settings: [SettingDescription] = []
    let commands = [("watch", nil), ("host", nil), ("join", nil), ("relay", "relay" as String?)]
    for (command, section) in commands {
      for option in subcommand(command)?.shownOptions ?? []
      where !SettingDescription.commandLineOnly.contains(option.longName ?? "") {
        if let index = settings.firstIndex(where: {
          $0.name == option.longName && $0.section == section
        }) {
          settings[index].commands.append(command)
        } else {
          // Its other options have another meaning than a party's.
          let others = ["mpv", "config"].contains(option.longName) ? ["calibrate"] : []
          settings.append(.init(section: section, option: option, commands: [command] + others))
        }
      }
    }
    return settings
  }
}
