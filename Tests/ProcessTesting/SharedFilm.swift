import Foundation

/// Films that several processes of one run of the tests need: the first process makes a film, and
/// all have their own copies.
package enum SharedFilm {
  /// The folder in which `run-tests` keeps them; nil for a process that was started on its own.
  private static let folder = ProcessInfo.processInfo.environment["SHARED_FILMS"].map {
    URL(fileURLWithPath: $0)
  }

  /// - Parameters:
  ///   - file: the film's destination. Files with one `name` have the same content in the whole
  ///     run.
  ///   - name: identifies the film; its extension is the film's format.
  ///   - body: makes the film, at the path that it is given.
  package static func make(
    _ file: URL, named name: String, _ body: (_ path: String) throws -> Void
  ) throws {
    guard let folder else { return try body(file.path) }
    let shared = folder.appendingPathComponent(name)
    try withLock(shared.path + ".lock") {
      guard !FileManager.default.fileExists(atPath: shared.path) else { return }
      // Under another name until it is complete: the process may be ended.
      let unfinished = folder.appendingPathComponent("unfinished-\(name)")
      try body(unfinished.path)
      try FileManager.default.moveItem(at: unfinished, to: shared)
    }
    try FileManager.default.copyItem(at: shared, to: file)
  }

  /// Waits for other processes; the lock ends with this one.
  private static func withLock(_ path: String, _ body: () throws -> Void) throws {
    let lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw CocoaError(.fileLocking)
    }
    defer { close(lock) }
    try body()
  }
}
