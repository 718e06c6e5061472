import TerminalVideo

/// A terminal's answer to a text that it was asked to put into its clipboard.
public enum ClipboardAnswer: Hashable, Sendable {
  /// The terminal lets programs set its clipboard.
  case accepts
  /// The text was read back from its clipboard.
  case holds
}

/// The copying of a text to the terminal's clipboard (OSC 52), and the terminal's answers about it.
struct ClipboardCopy: Sendable {
  /// The terminal is sent questions at all.
  var answersQuestions = false
  /// The terminal lets programs read its clipboard without asking its user first. Others, among them kitty and
  /// Ghostty, open a question on the screen.
  var isReadable = false
  private var base64: [UInt8] = []

  /// - Returns: bytes for the terminal.
  mutating func copy(_ text: String) -> [UInt8] {
    base64 = Base64.encode(Array(text.utf8))
    guard answersQuestions else { return TerminalModes.clipboard(text) }
    return TerminalModes.clipboard(text) + TerminalModes.clipboardQuestion
      + (isReadable ? TerminalModes.clipboardReading : [])
  }

  /// - Returns: nil for events that are no answers, and for another text than the copied one.
  func answer(to event: InputEvent) -> ClipboardAnswer? {
    guard !base64.isEmpty else { return nil }
    return switch event {
    case .acceptsClipboard: .accepts
    case .clipboard(let content): Array(content.utf8) == base64 ? .holds : nil
    case .key, .mouse, .paste, .focus, .status, .directColor, .pixels, .cell, .attributes: nil
    }
  }
}
