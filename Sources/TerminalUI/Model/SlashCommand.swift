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
