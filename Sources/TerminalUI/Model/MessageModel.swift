/// A message to the user, in a sentence.
public struct MessageModel: Hashable, Sendable {
  /// The importance of a message, which decides its colour: the normal one, that of caution, or that of trouble.
  public enum Severity: Hashable, Sendable { case information, warning, error }

  /// A sentence or two. The text of an error says what to do next.
  public var text: TerminalText
  /// The importance of the message.
  public var severity: Severity

  /// Creates a message.
  public init(_ text: TerminalText, severity: Severity = .information) {
    self.text = text
    self.severity = severity
  }
}
