import ArgumentParser
import MatineeKit
import Screening
import TerminalUI

/// The parts of the manual's pages that are made from the program's declarations, as Markdown.
///
/// The pages are in `Installation/Manual`, and the script beside them puts the parts in.
struct Manual: Sendable {
  enum Part: String, CaseIterable {
    case commands, keys, roles, settings
    case playerOptions = "player-options"
    case hostOptions = "host-options"
    case joinOptions = "join-options"
    case calibrateOptions = "calibrate-options"
    case relayOptions = "relay-options"
    case relaySettings = "relay-settings"
    case relayDiscussion = "relay-discussion"
    case headlessCommands = "headless-commands"
    case screenCommands = "screen-commands"
    case exitStatuses = "exit-statuses"
  }

  let program: CommandDescription

  init() throws {
    program = try CommandDescription.ofProgram()
  }

  func text(of part: Part) -> String {
    let joinOnly: Set = ["invite-file", "password-file", "operator-password-file", "same-film"]
    let joining = Set(options(of: "join").compactMap(\.longName)).subtracting(joinOnly)
    return switch part {
    case .commands: commands
    case .keys: keys
    case .roles: Self.list(Reference.roles)
    case .settings: settings(section: nil)
    case .playerOptions: items(of: "watch") { joining.contains($0) }
    case .hostOptions: items(of: "watch") { !joining.contains($0) }
    // The invite's file has the same name in `host`, but the opposite direction.
    case .joinOptions: items(of: "join") { joinOnly.contains($0) }
    case .calibrateOptions: items(of: "calibrate") { !joining.contains($0) }
    case .relayOptions: items(of: "relay") { _ in true }
    case .relaySettings: settings(section: "relay")
    case .relayDiscussion:
      (program.subcommand("relay")?.discussion ?? "").replacing("`", with: "'")
        .replacing("_", with: "-") + "\n"
    case .headlessCommands:
      UserCommandTable.rows.map { Self.item("`\($0.usage)`", Self.text(of: $0)) }.joined()
    case .screenCommands: Self.list(Reference.commands)
    case .exitStatuses:
      Self.row("`0`", "success") + Self.row("`1`", "any other error")
        + Self.row("`64`", "wrong usage")
        + Self.row("`69`", "unreachable, or a server without a valid certificate")
        + Self.row("`77`", "refused: a wrong or damaged invite, or missing credentials")
    }
  }

  private static func item(_ term: String, _ text: String) -> String { "\(term)\n: \(text)\n\n" }

  private static func row(_ term: String, _ text: String) -> String { "| \(term) | \(text) |\n" }

  private static func list(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ") + ".\n"
  }

  private var commands: String {
    (program.subcommands ?? []).filter { $0.shouldDisplay ?? true && $0.commandName != "help" }
      .map { command in
        let more =
          command.commandName == "relay"
          ? "See `matinee-relay`(1)."
          : (command.discussion ?? "").split(separator: "\n").joined(separator: " ")
        let texts = [command.abstract ?? "", more].filter { !$0.isEmpty }
        return Self.item("`\(command.commandName)`", texts.joined(separator: " "))
      }.joined()
  }

  private var keys: String {
    Reference.keys.map { group in
      "### \(group.section)\n\n"
        + group.entries.map { entry in
          Self.row(
            "`\(entry.keys.replacing("`", with: "'"))`",
            entry.help.replacing("`", with: "'").replacing("_", with: "-"))
        }.joined() + "\n"
    }.joined()
  }

  private func options(of command: String) -> [CommandDescription.Argument] {
    program.subcommand(command)?.shownOptions ?? []
  }

  private func items(of command: String, where isWanted: (String) -> Bool) -> String {
    options(of: command).filter { isWanted($0.longName ?? "") }
      .map { Self.item(Self.term($0), Self.text(of: $0)) }.joined()
  }

  /// An option as a term: `--name _NAME_`, `--[no-]announce`.
  private static func term(_ option: CommandDescription.Argument) -> String {
    let names = (option.names ?? []).map { name in
      name.kind == "long"
        ? "`--\(option.hasOpposite == true ? "[no-]" : "")\(name.name)`" : "`-\(name.name)`"
    }.joined(separator: ", ")
    return option.kind == .option ? names + " " + value(option) : names
  }

  /// The placeholder for an option's value; an address is spelled as the user types it.
  private static func value(_ option: CommandDescription.Argument) -> String {
    if let values = option.allValues { return values.map { "`\($0)`" }.joined(separator: "|") }
    let name = option.valueName ?? "value"
    return "_\(name.contains("://") ? name : name.uppercased())_"
  }

  /// The text for an option, with its default value.
  private static func text(of option: CommandDescription.Argument) -> String {
    var parts = [option.abstract ?? ""]
    if let discussion = option.discussion { parts.append(discussion) }
    if option.isOnByDefault {
      parts.append("On by default.")
    } else if let value = option.defaultValue, option.kind == .option {
      parts.append("Default: \(value).")
    }
    return parts.joined(separator: " ")
  }

  private func settings(section: String?) -> String {
    program.settings.filter { $0.section == section }.map { setting in
      let option = setting.option
      let value = setting.isFlag ? "`yes`|`no`" : Self.value(option)
      // For a switch that is on by default, the option's help names the opposite; a file says yes.
      let text =
        setting.isFlag
        ? "\(option.abstract ?? "") Default: \(option.isOnByDefault ? "yes" : "no")."
        : Self.text(of: option)
      return Self.item(
        "`\(setting.name) =` \(value)", "\(text) In the environment: `\(setting.variable)`.")
    }.joined()
  }

  /// The text for a command of `--headless`.
  private static func text(of row: UserCommandTable.Row) -> String {
    var sentences = [row.help]
    if !row.values.isEmpty {
      let examples = row.examples.map { "`\($0)`" }.joined(separator: ", ")
      sentences.append(row.values + ", as in " + examples)
    }
    if let mpv = row.mpv { sentences.append("mpv's `\(mpv)`") }
    if !row.aliases.isEmpty {
      sentences.append("Also " + row.aliases.map { "`\($0)`" }.joined(separator: ", "))
    }
    let conditions = [row.isPartyOnly ? "in a party only" : nil, row.permission.words]
      .compactMap(\.self)
    if !conditions.isEmpty { sentences.append(conditions.joined(separator: ", ")) }
    return sentences.map {
      ($0.hasPrefix("mpv's") ? $0 : $0.prefix(1).uppercased() + $0.dropFirst()) + "."
    }.joined(separator: " ")
  }
}
