/// The reason why a screen can't be opened, or why a call for the terminal failed.
package enum TerminalError: Error, Hashable, Sendable {
  /// Standard input or output is a file or a pipe.
  case notATerminal
  /// `TERM` isn't set, or names a terminal without a description on this machine.
  case unknownTerminal(String)
  /// The terminal can't place its cursor or clear its screen.
  case incapableTerminal(String)
  /// Another screen is open in this process, which has only one terminal.
  case alreadyOpen
  /// A call failed: `code` is an `errno`, or 0 if there is none.
  case system(operation: String, code: Int32)
}

extension TerminalError: CustomStringConvertible {
  /// The problem and its solution.
  package var description: String {
    switch self {
    case .notATerminal:
      "Standard input or output isn't a terminal. For scripts and pipes, use --headless or --screen-reader."
    case .unknownTerminal(let type) where type.isEmpty:
      "TERM isn't set, so the terminal's abilities are unknown. Set it, or use --screen-reader."
    case .unknownTerminal(let type):
      "The terminal “\(TerminalText(type))” is unknown on this machine. Install its description "
        + "(Debian: apt install ncurses-term), set TERM to a similar one, or use --screen-reader."
    case .incapableTerminal(let type):
      "The terminal “\(TerminalText(type))” can't show a full screen. Use --screen-reader, which writes lines of text."
    case .alreadyOpen: "The terminal is in use by another screen of this process."
    case .system(let operation, let code):
      "The terminal failed: \(operation) (error \(code)). To do without it, use --headless or --screen-reader."
    }
  }
}
