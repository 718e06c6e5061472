import Foundation
import ProcessTesting

/// A tmux server with one program in it.
struct Screen {
  let socket: String

  /// Runs `body` with a screen whose server hasn't started yet, and a folder of its own; both are
  /// removed afterwards.
  static func run(_ body: (Screen, URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let screen = Screen(socket: folder.appendingPathComponent("tmux").path)
    defer { _ = try? screen.command(["kill-server"]) }
    try await body(screen, folder)
  }

  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    let environment = ProcessInfo.processInfo.environment.filter { $0.key != "TMUX" }
    return try ChildProcess.run(["tmux", "-S", socket] + arguments, environment: environment)
  }

  func type(_ text: String) throws { try command(["send-keys", "-l", "--", text]) }

  /// Returns the first row that contains `text`, once there is one.
  func row(containing text: String) async throws -> String {
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while true {
      let screen = try command(["capture-pane", "-p"])
      if let row = screen.split(separator: "\n").first(where: { $0.contains(text) }) {
        return String(row)
      }
      guard ContinuousClock.now < deadline else {
        throw ChildProcess.Failure("“\(text)” never appeared on the screen:\n\(screen)")
      }
      try await Task.sleep(for: .milliseconds(40))
    }
  }

  /// Waits until the screen doesn't contain the text.
  func wait(untilGone text: String) async throws {
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while try command(["capture-pane", "-p"]).contains(text) {
      guard ContinuousClock.now < deadline else {
        throw ChildProcess.Failure("“\(text)” didn't leave the screen")
      }
      try await Task.sleep(for: .milliseconds(40))
    }
  }
}
