/// Why there can be no screen, or why something about the terminal failed.
public enum TerminalError: Error, Hashable, Sendable {
  /// Standard input or output is a file or a pipe.
  case notATerminal
  /// `TERM` is not set, is "dumb", or names a terminal that this machine has no description of.
  case unknownTerminal(String)
  /// A terminal that can't place its cursor or clear itself.
  case incapableTerminal(String)
  /// Another screen is open in this process: there is only one terminal.
  case alreadyOpen
  /// The screen has been closed.
  case closed
  /// A call failed: `code` is an `errno`, or 0 where there is none.
  case system(operation: String, code: Int32)
}

extension TerminalError: CustomStringConvertible {
  /// What is wrong and what to do about it.
  public var description: String {
    switch self {
    case .notATerminal:
      "Standard input and output are not a terminal. For scripts and pipes, use --headless."
    case .unknownTerminal(let type) where type.isEmpty:
      "TERM is not set, so the terminal's abilities aren't known. Set it, or use --headless."
    case .unknownTerminal(let type):
      "Nothing is known here about the terminal \"\(TerminalText(type))\". "
        + "Install its description (ncurses-term), set TERM to a similar one, or use --headless."
    case .incapableTerminal(let type):
      "The terminal \"\(TerminalText(type))\" can't show a full screen. Use --headless."
    case .alreadyOpen: "The terminal is in use by another screen of this process."
    case .closed: "The screen has been closed."
    case .system(let operation, let code):
      "The terminal failed: \(operation) (error \(code)). Use --headless to go without it."
    }
  }
}
