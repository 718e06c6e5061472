import Foundation

extension Process {
  /// Blocks until the process has ended.
  ///
  /// `waitUntilExit()` waits for all processes that inherited one of its descriptors, and so for
  /// ever if their end isn't noticed. This method asks the kernel, and leaves the reaping to
  /// Foundation.
  ///
  /// - Returns: its exit code, or the signal that ended it.
  @discardableResult
  package func waitForEnd() -> Int32 {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      // Reaped already: Foundation has noticed the end.
      waitUntilExit()
      return terminationStatus
    }
    return information._sifields._sigchld.si_status
  }
}
