import Foundation

/// Films that several processes of one run of the tests need: the first makes it, all have a copy of their own.
package enum SharedFilm {
  /// Where `run-tests` keeps them; nil for a process that was started by itself.
  private static let folder = ProcessInfo.processInfo.environment["SHARED_FILMS"].map {
    URL(fileURLWithPath: $0)
  }

  /// - Parameters:
  ///   - file: where the film is wanted. Of one content everywhere in the run, by `name`.
  ///   - name: says which film it is, with the ending that says which format.
  ///   - body: makes it, at the place that it is given.
  package static func make(
    _ file: URL, named name: String, _ body: (_ path: String) throws -> Void
  ) throws {
    guard let folder else { return try body(file.path) }
    let shared = folder.appendingPathComponent(name)
    try withLock(shared.path + ".lock") {
      guard !FileManager.default.fileExists(atPath: shared.path) else { return }
      // Under another name until it is whole: the process may be ended.
      let unfinished = folder.appendingPathComponent("unfinished-\(name)")
      try body(unfinished.path)
      try FileManager.default.moveItem(at: unfinished, to: shared)
    }
    try FileManager.default.copyItem(at: shared, to: file)
  }

  /// Waits for other processes; the lock goes with this one.
  private static func withLock(_ path: String, _ body: () throws -> Void) throws {
    let lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw CocoaError(.fileLocking)
    }
    defer { close(lock) }
    try body()
  }
}
