/// Something to tell, in a sentence.
public struct MessageModel: Hashable, Sendable {
  /// How it is shown: as it is, in the colour of caution, or in that of trouble.
  public enum Severity: Hashable, Sendable { case information, warning, error }

  /// A sentence or two; of errors, one that says what to do next.
  public var text: TerminalText
  /// How it is shown.
  public var severity: Severity

  public init(_ text: TerminalText, severity: Severity = .information) {
    self.text = text
    self.severity = severity
  }
}
