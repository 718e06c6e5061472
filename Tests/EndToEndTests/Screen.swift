import Foundation
import ProcessTesting

/// A tmux server with one program in it.
struct Screen {
  let socket: String

  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    let environment = ProcessInfo.processInfo.environment.filter { $0.key != "TMUX" }
    return try ChildProcess.run(["tmux", "-S", socket] + arguments, environment: environment)
  }

  func type(_ text: String) throws { try command(["send-keys", "-l", "--", text]) }

  /// The first row that contains `text`, once there is one.
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
}
