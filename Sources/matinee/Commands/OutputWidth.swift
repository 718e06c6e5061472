import Foundation

/// The width of the terminal that shows standard output.
enum OutputWidth {
  /// In cells; nil if standard output is no terminal, or its size isn't known.
  static var columns: Int? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }
}
