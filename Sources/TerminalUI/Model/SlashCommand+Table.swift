import Screening

extension SlashCommand {
  /// The commands of `UserCommandTable`, those of the party first.
  package static let all: [SlashCommand] = {
    let sections: [UserCommandTable.Section] = [
      .party, .films, .playback, .sound, .drawing, .library, .program,
    ]
    // A line without a slash is a message already.
    let rows = sections.flatMap { section in
      UserCommandTable.rows.filter { $0.section == section && $0.name != "chat" }
    }
    return [SlashCommand("help", "", "show these commands")]
      + rows.map { row in
        let people = row.permission.words.map { " (\($0))" } ?? ""
        return SlashCommand(row.name, row.argument, TerminalText(row.help + people))
      }
  }()
}
