import TerminalVideo

/// The copying of a text to the terminal's clipboard (OSC 52), and the terminal's answers about it.
struct ClipboardCopy: Sendable {
  /// A Boolean value that indicates whether the terminal may be asked questions.
  var answersQuestions = false
  /// A Boolean value that indicates whether programs may read the terminal's clipboard without the user's consent.
  /// Other terminals, among them kitty and Ghostty, show a question.
  var isReadable = false
  private var base64: [UInt8] = []

  /// Begins to copy a text.
  ///
  /// - Returns: bytes for the terminal.
  mutating func copy(_ text: String) -> [UInt8] {
    base64 = Base64.encode(Array(text.utf8))
    guard answersQuestions else { return TerminalModes.clipboard(text) }
    return TerminalModes.clipboard(text) + TerminalModes.clipboardQuestion
      + (isReadable ? TerminalModes.clipboardReading : [])
  }

  /// Returns the terminal's answer; nil for events that are no answers, and for another text than the copied one.
  func answer(to event: InputEvent) -> ClipboardAnswer? {
    guard !base64.isEmpty else { return nil }
    return switch event {
    case .acceptsClipboard: .accepts
    case .clipboard(let content): Array(content.utf8) == base64 ? .holds : nil
    case .key, .mouse, .paste, .focus, .status, .directColor, .lightBackground, .pixels, .octants,
      .sixel, .sixelColors, .sixelSize,
      .cell,
      .attributes:
      nil
    }
  }
}
