import TerminalUI

/// The manual's pages; the options in them come from the declarations of the commands.
struct Manual: Sendable {
  let program: CommandDescription
  let version: String

  init() throws {
    program = try CommandDescription.ofProgram()
    version = Matinee.configuration.version
  }

  var pages: [ManualPage] { [matinee, relay, files, party, headless] }

  /// An option as a term: `--name _NAME_`, `--[no-]announce`.
  static func term(_ option: CommandDescription.Argument, among all: Set<String>) -> String {
    let names = (option.names ?? []).map { name in
      name.kind == "long"
        ? "`--\(all.contains("no-" + name.name) ? "[no-]" : "")\(name.name)`" : "`-\(name.name)`"
    }.joined(separator: ", ")
    guard option.kind == .option else { return names }
    return names + " " + value(option)
  }

  /// The placeholder for an option's value; an address is spelled as the user types it.
  static func value(_ option: CommandDescription.Argument) -> String {
    if let values = option.allValues { return values.map { "`\($0)`" }.joined(separator: "|") }
    let name = option.valueName ?? "value"
    return "_\(name.contains("://") ? name : name.uppercased())_"
  }

  /// The text for an option, with its default value.
  static func text(_ option: CommandDescription.Argument) -> String {
    var parts = [option.abstract ?? ""]
    if let discussion = option.discussion { parts.append(discussion) }
    // The default of a switch is its own name, such as "--announce".
    if let value = option.defaultValue, option.kind == .option {
      parts.append("Default: \(value).")
    } else if let value = option.defaultValue, !value.hasPrefix("--no-") {
      parts.append("On by default.")
    }
    return parts.joined(separator: " ")
  }

  /// The options of one command, as declared, without hidden options and the opposites of switches.
  static func options(
    of command: CommandDescription,
    where isWanted: (CommandDescription.Argument) -> Bool = { _ in true }
  ) -> [ManualPage.Block] {
    let names = Set(command.options.compactMap(\.longName))
    return command.options.filter { option in
      guard let name = option.longName, option.shouldDisplay, isWanted(option) else { return false }
      return !(name.hasPrefix("no-") && names.contains(String(name.dropFirst(3))))
    }.map { .item(term($0, among: names), text($0)) }
  }

  static let exitStatus = ManualPage.Section(
    title: "Exit status",
    blocks: [
      .row("`0`", "success"), .row("`1`", "any other error"),
      .row("`64`", "wrong usage"),
      .row("`69`", "unreachable, or a server without a valid certificate"),
      .row("`77`", "refused: a wrong or damaged invite, or missing credentials"),
    ])
}
