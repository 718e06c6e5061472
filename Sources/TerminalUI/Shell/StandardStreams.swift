import CTerminalGuard
import Glibc

/// Keeps everybody but the screen from writing to the terminal: libraries print to standard output and
/// standard error whenever they like. While the screen is up both lead into a pipe.
struct StandardStreams: Sendable {
  /// The terminal itself, for the screen.
  let terminal: CInt
  private let standardError: CInt
  private let pipe: Pipe
  private let capturesError: Bool

  /// What was printed can be read here.
  var captured: CInt { pipe.reading }

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
    // Who prints expects to wait rather than to fail; the reader never makes anybody wait for long.
    _ = fcntl(pipe.writing, F_SETFL, 0)
    self.terminal = terminal
    self.standardError = standardError
    // Sent to a file, standard error does no harm and its messages are wanted there.
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

  /// Lets standard output and error lead to where they led before.
  func restore() {
    fflush(nil)
    dup2(terminal, STDOUT_FILENO)
    if capturesError {
      terminal_guard_capture(-1, -1)
      dup2(standardError, STDERR_FILENO)
    }
  }

  /// After ``restore()``, when nobody reads ``captured`` any more.
  func close() {
    Glibc.close(terminal)
    if standardError >= 0 { Glibc.close(standardError) }
    pipe.close()
  }
}
