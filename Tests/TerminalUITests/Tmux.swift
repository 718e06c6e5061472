import Foundation
import Testing

/// A terminal for a test: a tmux server of its own, with a shell in its only pane.
///
/// Everything waits by looking again until a deadline that is generous, since it is only reached when
/// something is wrong.
struct Tmux: Sendable {
  static let patience = Duration.seconds(30)

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The folder for what the test writes; removed at the end.
  let folder: URL
  private let socket: String

  /// Runs `body` with a terminal that is gone afterwards, whatever happens.
  static func run(
    columns: Int, rows: Int, environment: [String: String] = [:],
    _ body: @Sendable (Tmux) async throws -> Void
  ) async throws {
    let name = "matinee-\(UUID().uuidString)"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tmux = Tmux(folder: folder, socket: folder.appendingPathComponent("tmux").path)
    // A crash of the demo is part of a test: nobody is there to read backtraces.
    var variables = ["PS1": "$ ", "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C.UTF-8"]
    variables.merge(environment) { $1 }
    let settings = variables.map { "\($0)='\($1)'" }.joined(separator: " ")
    defer { _ = try? tmux.command(["kill-server"]) }
    try tmux.command(
      ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
        + ["env -u NO_COLOR -u LANG TERM=tmux-256color \(settings) sh"])
    try tmux.command(["set-option", "-g", "status", "off"])
    try tmux.command(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    try await tmux.waitForPrompt()
    try await body(tmux)
  }

  /// - Returns: what tmux printed.
  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Foundation learns of a child's end by a socket that the child holds, and so would the tmux
    // server, which outlives it: everything but the standard streams is closed first.
    let closing =
      "for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -gt 2 ] && eval \"exec $n>&-\"; done; "
      + "exec tmux \"$@\""
    process.arguments = ["bash", "-c", closing, "tmux", "-S", socket] + arguments
    // Inside tmux it would talk to the tmux that it is in.
    var environment = ProcessInfo.processInfo.environment
    environment["TMUX"] = nil
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure(description: "tmux \(arguments) (is it installed?): \(text)")
    }
    return text
  }

  /// Presses keys, by tmux's names.
  func press(_ keys: String...) throws { try command(["send-keys"] + keys) }

  /// Sends the bytes of `text` as they are.
  func type(_ text: String) throws { try command(["send-keys", "-l", text]) }

  /// The screen's rows, without the blanks at their ends, as tmux gives them.
  func screen() throws -> [String] {
    try command(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  func format(_ format: String) throws -> String {
    try command(["display-message", "-p", format]).trimmingCharacters(in: .newlines)
  }

  /// Waits until `condition` holds of the screen.
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: ([String]) throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + Self.patience
    while try !condition(screen()) {
      guard ContinuousClock.now < deadline else {
        let shown = try screen().joined(separator: "\n")
        Issue.record(
          "waited in vain for \(what); the screen:\n\(shown)\nthe log:\n\(log())",
          sourceLocation: sourceLocation)
        throw Failure(description: what)
      }
      try await Task.sleep(for: .milliseconds(40))
    }
  }

  func waitForScreen(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let expected = expected.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    try await wait(
      "the screen\n\(expected.joined(separator: "\n"))", sourceLocation: sourceLocation
    ) {
      Array($0.prefix(expected.count)) == expected
    }
  }

  /// Waits until the shell is ready for a command.
  func waitForPrompt(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait("the prompt", sourceLocation: sourceLocation) { rows in
      rows.last { !$0.isEmpty } == "$"
    }
  }

  /// Runs a command in the shell and waits until it is done.
  func shell(_ line: String) async throws {
    try press("C-l")
    try await waitForPrompt()
    try type(line + "\n")
    try await wait("\(line) to be done") { rows in
      rows.contains { $0.contains(line.prefix(30)) } && rows.last { !$0.isEmpty } == "$"
    }
  }

  /// What the demo has written so far.
  func log() -> [String] {
    let text = try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  func waitForLog(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait("\"\(line)\" in the log", sourceLocation: sourceLocation) { _ in
      log().contains(line)
    }
  }
}
