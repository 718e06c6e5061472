import Concurrency
import Foundation

/// Keeps an error visible in a terminal that a desktop opened for the program, and would close at once.
enum ErrorScreen {
  /// - Parameter isWanted: whether to wait for the enter key after an error.
  static func wait(_ isWanted: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      if isWanted, isatty(STDIN_FILENO) == 1 {
        FileHandle.standardError.write(Data("\nPress enter to close this window.\n".utf8))
        // A thread of its own, because the wait has no limit.
        await OwnedThread.run("read line") { _ = readLine() }
      }
      throw error
    }
  }
}
