import Foundation

/// What went wrong is read before the terminal closes that a desktop opened for it.
enum ErrorScreen {
  /// - Parameter isWanted: whether to wait for the enter key after an error.
  static func wait(_ isWanted: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      if isWanted, isatty(STDIN_FILENO) == 1 {
        FileHandle.standardError.write(Data("\nPress enter to close this window.\n".utf8))
        // A thread of its own: nobody knows how long it takes.
        await OwnThread.run { _ = readLine() }
      }
      throw error
    }
  }
}
