/// A command that may follow a slash in the chat.
public struct SlashCommand: Hashable, Sendable {
  /// The name without the slash.
  public var name: String
  /// The argument as the list shows it, such as "NAME"; empty for none.
  public var arguments: String
  /// One line of help.
  public var help: TerminalText

  /// Creates a command.
  public init(_ name: String, _ arguments: String = "", _ help: TerminalText) {
    self.name = name
    self.arguments = arguments
    self.help = help
  }
}
