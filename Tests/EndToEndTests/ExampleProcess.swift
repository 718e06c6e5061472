import Foundation
import ProcessTesting

/// One of the examples, or another program, as a process whose lines are read.
final class ExampleProcess: Sendable {
  private let child: ChildProcess
  private let output: URL
  /// Both ends of a pipe with a name, so that a test never waits for its other end.
  private let input: FileHandle

  convenience init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    try self.init(command: [BuiltProgram.url(name).path] + arguments, environment: environment)
  }

  init(command: [String], environment: [String: String] = [:]) throws {
    output = Clips.folder.appendingPathComponent("lines-\(UUID().uuidString)")
    let pipe = output.path + ".input"
    guard mkfifo(pipe, 0o600) == 0 else { throw MatineeProcess.Missing(description: "no pipe") }
    input = FileHandle(fileDescriptor: open(pipe, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    child = try ChildProcess.start(
      ["sh", "-c", "exec \"$@\" < '\(pipe)'", "sh"] + command, output: output,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
  }

  deinit {
    child.terminate()
    child.wait()
  }

  /// Writes a line for the program to read.
  func send(_ line: String) throws {
    try input.write(contentsOf: Data((line + "\n").utf8))
  }

  var lines: [String] {
    get throws {
      try String(contentsOf: output, encoding: .utf8).components(separatedBy: "\n")
    }
  }

  /// Waits until the lines fulfil the condition.
  func wait<Found>(for wanted: ([String]) throws -> Found?) async throws -> Found {
    try await MatineeProcess.find("the line never came; the last were \(try lines.suffix(6))") {
      try wanted(try lines)
    }
  }

  func line(_ prefix: String) async throws -> String {
    try await wait { $0.first { $0.hasPrefix(prefix) } }
  }
}
