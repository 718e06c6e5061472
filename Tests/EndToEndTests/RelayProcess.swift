import Foundation
import ProcessTesting

/// `matinee relay` in a process of its own, which ends with its last reference.
final class RelayProcess: Sendable {
  let child: ChildProcess
  let port: Int
  private let file: URL

  /// Returns once the relay listens.
  init(_ more: [String] = []) async throws {
    let file = Clips.folder.appendingPathComponent("relay-\(UUID().uuidString)")
    let child = try ChildProcess.start(
      [try MatineeProcess.executable.path, "relay", "--listen", "127.0.0.1:0"] + more, output: file)
    (self.file, self.child) = (file, child)
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while true {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      // The last of its first lines.
      if text.contains("relay: use it for a party"),
        let port = text.firstMatch(of: /listening on .*:([0-9]+)\n/).flatMap({ Int($0.output.1) })
      {
        self.port = port
        return
      }
      guard ContinuousClock.now < deadline else {
        kill(child.id, SIGKILL)
        child.wait()
        throw ChildProcess.Failure("the relay never listened: \(text)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  // A test may have waited for its end.
  deinit { if kill(child.id, SIGKILL) == 0 { child.wait() } }

  /// Waits until the relay has printed `text`.
  func says(_ text: String) async throws {
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while try !output().contains(text) {
      guard ContinuousClock.now < deadline else {
        throw ChildProcess.Failure("the relay never said \(text): \(try output())")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
