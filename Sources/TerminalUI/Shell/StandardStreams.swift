import CTerminalGuard
import Glibc

/// Keeps everything but the screen from writing to the terminal: libraries may print to standard output and standard
/// error at any time. While the screen is open, both lead into a pipe.
struct StandardStreams: Sendable {
  /// The terminal itself, for the screen.
  let terminal: CInt
  private let standardError: CInt
  private let pipe: Pipe
  private let capturesError: Bool

  /// The descriptor from which the captured output is read.
  var captured: CInt { pipe.reading }

  /// Opens the pipe.
  ///
  /// - Throws: ``TerminalError/system(operation:code:)``; then nothing is changed.
  init() throws(TerminalError) {
    let terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard terminal >= 0 else { throw .system(operation: "dup of standard output", code: errno) }
    let standardError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    do {
      pipe = try Pipe()
    } catch {
      Glibc.close(terminal)
      if standardError >= 0 { Glibc.close(standardError) }
      throw error
    }
    // Printing functions expect a write to wait rather than to fail. The reader is fast enough that they never wait
    // long.
    _ = fcntl(pipe.writing, F_SETFL, 0)
    self.terminal = terminal
    self.standardError = standardError
    // Standard error that leads to a file does no harm, and its messages are wanted there.
    capturesError = standardError >= 0 && isatty(standardError) == 1
  }

  func redirect() {
    fflush(nil)
    dup2(pipe.writing, STDOUT_FILENO)
    if capturesError {
      dup2(pipe.writing, STDERR_FILENO)
      terminal_guard_capture(standardError, pipe.reading)
    }
  }

  /// Makes standard output and error lead to their former targets.
  func restore() {
    fflush(nil)
    dup2(terminal, STDOUT_FILENO)
    if capturesError {
      terminal_guard_capture(-1, -1)
      dup2(standardError, STDERR_FILENO)
    }
  }

  /// Closes the descriptors after ``restore()``, when ``captured`` is no longer read.
  func close() {
    Glibc.close(terminal)
    if standardError >= 0 { Glibc.close(standardError) }
    pipe.close()
  }
}
