import Foundation

/// Redirects standard error to nothing while a report is drawn, because libraries write to it: ALSA and PipeWire print
/// many lines if they find no device.
struct SilentErrors {
  private let saved: Int32

  init() {
    saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    if saved >= 0 { dup2(nothing, STDERR_FILENO) }
    close(nothing)
  }

  /// Restores standard error.
  func end() {
    guard saved >= 0 else { return }
    dup2(saved, STDERR_FILENO)
    close(saved)
  }
}
