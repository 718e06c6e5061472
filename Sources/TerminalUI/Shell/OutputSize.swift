import Foundation

/// The size of the terminal that shows standard output, in cells.
package struct OutputSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  /// The size, or nil if standard output isn't a terminal or its size isn't known.
  package static var current: OutputSize? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return OutputSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
