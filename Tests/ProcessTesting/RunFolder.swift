import Foundation
import Synchronization

/// The folder for the files of one run of the tests, which is removed with the run.
package enum RunFolder {
  private static let made = Mutex<[URL]>([])

  /// - Parameter name: each run has one folder of this name.
  package static func make(_ name: String) -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(name)-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      // An earlier process of this number may have been killed.
      if FileManager.default.fileExists(atPath: folder.path) {
        try FileManager.default.removeItem(at: folder)
      }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      fatalError("no folder for the tests' films: \(error)")
    }
    made.withLock { made in
      if made.isEmpty { atexit { RunFolder.removeAll() } }
      made.append(folder)
    }
    return folder
  }

  private static func removeAll() {
    for folder in made.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }
}

extension URL {
  /// Makes a folder for one test, which removes it.
  package static func newFolder(_ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(name)-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
