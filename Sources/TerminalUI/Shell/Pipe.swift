import CNCurses
import Glibc

/// A pipe whose ends are closed on exec and don't block.
struct Pipe: Hashable, Sendable {
  let reading: CInt
  let writing: CInt

  /// - Throws: ``TerminalError/system(operation:code:)``
  init() throws(TerminalError) {
    var ends: [CInt] = [0, 0]
    guard cncurses_pipe(&ends) == 0 else {
      throw .system(operation: "pipe2", code: errno)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}
