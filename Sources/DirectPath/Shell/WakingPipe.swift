import Glibc

/// A pipe that wakes a thread which waits in `poll(2)`.
final class WakingPipe: Sendable {
  /// The end that can be read after ``ring()``.
  let descriptor: CInt
  private let writing: CInt

  init() throws(DirectPathError) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last("Can't make a pipe") }
    (descriptor, writing) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    Glibc.close(descriptor)
    Glibc.close(writing)
  }

  func ring() {
    var byte: UInt8 = 0
    // The write fails only if the pipe is full; then the thread is woken anyway.
    _ = write(writing, &byte, 1)
  }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
