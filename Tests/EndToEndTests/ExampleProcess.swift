import Foundation
import ProcessTesting

/// One of the examples, or another program, as a process whose lines are read.
final class ExampleProcess: Sendable {
  private let child: ChildProcess
  private let output: URL

  convenience init(_ name: String, _ arguments: [String]) throws {
    try self.init(command: [BuiltProgram.url(name).path] + arguments)
  }

  init(command: [String]) throws {
    output = Clips.folder.appendingPathComponent("lines-\(UUID().uuidString)")
    child = try ChildProcess.start(command, output: output)
  }

  deinit {
    child.terminate()
    child.wait()
  }

  var lines: [String] {
    get throws {
      try String(contentsOf: output, encoding: .utf8).components(separatedBy: "\n")
    }
  }

  /// Waits until the lines fulfil the condition.
  func wait<Found>(for wanted: ([String]) -> Found?) async throws -> Found {
    try await MatineeProcess.find("the line never came; the last were \(try lines.suffix(6))") {
      wanted(try lines)
    }
  }

  func line(_ prefix: String) async throws -> String {
    try await wait { $0.first { $0.hasPrefix(prefix) } }
  }
}
