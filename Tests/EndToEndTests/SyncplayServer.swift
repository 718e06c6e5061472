import Foundation
import ProcessTesting

/// Syncplay's own server, on this machine.
final class SyncplayServer: @unchecked Sendable {
  static let isInstalled =
    SyncplayClient.isInstalled
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/syncplay-server")

  let port: Int
  // Used by one test at a time.
  private var process: Process

  /// - Parameter options: its options, beside the port.
  init(_ options: [String] = []) async throws {
    port = Loopback.lastingPort()
    process = try await Self.start(port, options)
  }

  deinit { end() }

  var address: String { "127.0.0.1:\(port)" }

  func end() {
    // It may wait for its connections when it is asked to end.
    kill(process.processIdentifier, SIGKILL)
    process.waitForEnd()
  }

  /// Starts the server again, which has forgotten everything.
  func start(_ options: [String] = []) async throws {
    process = try await Self.start(port, options)
  }

  private static func start(_ port: Int, _ options: [String]) async throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/syncplay-server")
    process.arguments = ["--port", "\(port)", "--salt", "ABCDEFGHIJ"] + options
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try await MatineeProcess.wait("the server doesn't listen") {
      (try? Loopback.connect(to: port)).map { close($0) } != nil
    }
    return process
  }
}
