/// A message to the user, in a sentence.
package struct MessageModel: Hashable, Sendable {
  /// The importance of a message, which decides its colour: the normal one, that of caution, or that of trouble.
  package enum Severity: Hashable, Sendable { case information, warning, error }

  /// A sentence or two. The text of an error says what to do next.
  package var text: TerminalText
  /// The importance of the message.
  package var severity: Severity

  package init(_ text: TerminalText, severity: Severity = .information) {
    self.text = text
    self.severity = severity
  }
}
