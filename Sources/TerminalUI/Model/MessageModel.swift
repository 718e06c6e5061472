/// Something to tell, in a sentence.
public struct MessageModel: Hashable, Sendable {
  public enum Severity: Hashable, Sendable { case information, warning, error }

  public var text: TerminalText
  public var severity: Severity

  public init(_ text: TerminalText, severity: Severity = .information) {
    self.text = text
    self.severity = severity
  }
}
