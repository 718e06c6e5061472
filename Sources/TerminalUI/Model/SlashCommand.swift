import Screening

/// A command that may follow a slash in the chat.
package struct SlashCommand: Hashable, Sendable {
  /// The name without the slash.
  package var name: String
  /// The argument as the list shows it, such as "NAME"; empty for none.
  package var arguments: String
  /// One line of help.
  package var help: TerminalText

  package init(_ name: String, _ arguments: String = "", _ help: TerminalText) {
    self.name = name
    self.arguments = arguments
    self.help = help
  }
}

extension SlashCommand {
  /// The commands that only the screen has; their words are those of `keys.conf`.
  static let ofScreen = [
    SlashCommand("invite", "", "show the invite"),
    SlashCommand("playlist", "", "show the playlist"),
  ]

  /// The commands of `UserCommandTable`, those of the party first.
  package static let all: [SlashCommand] = {
    let sections: [UserCommandTable.Section] = [
      .party, .films, .playback, .sound, .drawing, .library, .program,
    ]
    // A line without a slash is a message already.
    let rows = sections.flatMap { section in
      UserCommandTable.rows.filter { $0.section == section && $0.name != "chat" }
    }
    return [SlashCommand("help", "", "show these commands")] + ofScreen
      + rows.map { row in
        let people = row.permission.words.map { " (\($0))" } ?? ""
        return SlashCommand(row.name, row.argument, TerminalText(row.help + people))
      }
  }()
}
