import Foundation

extension Process {
  /// Blocks until the process has ended.
  ///
  /// `waitUntilExit()` waits for everybody who inherited a descriptor of it, and so for ever where that isn't
  /// noticed: this asks the kernel, and leaves the reaping to Foundation.
  ///
  /// - Returns: its exit code, or the signal that ended it.
  @discardableResult
  package func waitForEnd() -> Int32 {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      // Reaped already: Foundation has noticed.
      waitUntilExit()
      return terminationStatus
    }
    return information._sifields._sigchld.si_status
  }
}
