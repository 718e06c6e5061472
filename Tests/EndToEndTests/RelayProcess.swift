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
    do {
      // The last of its first lines.
      let text = try await ChildProcess.output(
        in: file, containing: "relay: use it for a party", within: MatineeProcess.deadline)
      guard
        let port = text.firstMatch(of: /listening on .*:([0-9]+)\n/).flatMap({ Int($0.output.1) })
      else { throw ChildProcess.Failure("the relay named no port: \(text)") }
      self.port = port
    } catch {
      kill(child.id, SIGKILL)
      child.wait()
      throw error
    }
  }

  // A test may have waited for its end.
  deinit { if kill(child.id, SIGKILL) == 0 { child.wait() } }

  /// Waits until the relay has printed `text`.
  func says(_ text: String) async throws {
    _ = try await ChildProcess.output(in: file, containing: text, within: MatineeProcess.deadline)
  }

  func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
