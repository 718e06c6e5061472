import Foundation
import ProcessTesting

/// The process of a browser and of those that it starts, with a home of its own that is removed with it.
final class BrowserProcess: Sendable {
  let folder: URL
  private let process: ChildProcess

  /// The browser's profile.
  var profile: URL { folder.appendingPathComponent("profile") }
  private var log: URL { folder.appendingPathComponent("log") }

  /// - Parameters:
  ///   - arguments: returns the command line for this profile folder, which exists.
  ///   - environment: in addition to this process's.
  ///   - descriptors: the browser's descriptors from 3 on.
  init(
    environment: [String: String], descriptors: [CInt] = [],
    arguments: (_ profile: URL) throws -> [String]
  ) throws {
    folder = try URL.newFolder("browser")
    let profile = folder.appendingPathComponent("profile")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    let own = [
      "HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path,
      "XDG_DATA_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path,
      "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    ]
    process = try ChildProcess.start(
      try arguments(profile), output: folder.appendingPathComponent("log"),
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 }
        .merging(environment) { $1 },
      descriptors: descriptors)
  }

  /// The standard output and errors up to now.
  var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  deinit {
    kill(process.id, SIGKILL)
    process.wait()
    // The processes that it started end when they notice its end, and may still be writing.
    for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
      try? FileManager.default.removeItem(at: folder)
      usleep(10_000)
    }
  }
}
