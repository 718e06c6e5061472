import Foundation
import ProcessTesting
import Testing

/// A terminal for a test: a tmux server of its own, with a shell in its only pane.
///
/// Every wait polls until a deadline. The deadline is generous, since it is only reached in case of a failure.
struct Tmux: Sendable {
  static let patience = Duration.seconds(60)

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The folder for the test's files; removed at the end.
  let folder: URL
  private let socket: String

  /// Runs `body` with a terminal that is removed afterwards, whatever happens.
  static func run(
    columns: Int, rows: Int, environment: [String: String] = [:],
    _ body: @Sendable (Tmux) async throws -> Void
  ) async throws {
    let name = "matinee-\(UUID().uuidString)"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tmux = Tmux(folder: folder, socket: folder.appendingPathComponent("tmux").path)
    // A crash of the demo is part of a test, and needs no backtrace.
    var variables = [
      "PS1": "$ ", "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C.UTF-8",
      // The user's own memory and settings are neither read nor changed.
      "XDG_CONFIG_HOME": folder.appendingPathComponent("config").path,
      "XDG_STATE_HOME": folder.appendingPathComponent("state").path,
    ]
    variables.merge(environment) { $1 }
    let settings = variables.map { "\($0)='\($1)'" }.joined(separator: " ")
    defer { tmux.end() }
    try tmux.command(
      ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
        + ["env -u NO_COLOR -u LANG TERM=tmux-256color \(settings) sh"])
    try tmux.command(["set-option", "-g", "status", "off"])
    try tmux.command(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    try await tmux.waitForPrompt()
    try await body(tmux)
  }

  /// Ends the server, its shell and the shell's programs; by force if necessary.
  private func end() {
    let processes = (try? command(["display-message", "-p", "#{pid} #{pane_pid}"])) ?? ""
    _ = try? command(["kill-server"])
    let demo = log().compactMap { $0.hasPrefix("ready ") ? Int32($0.dropFirst(6)) : nil }
    for process in processes.split(whereSeparator: \.isWhitespace).compactMap({ Int32($0) }) + demo
    {
      kill(process, SIGKILL)
    }
  }

  /// Runs a command of tmux's.
  ///
  /// - Returns: tmux's output.
  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    // Inside tmux it would connect to the outer tmux.
    let environment = ProcessInfo.processInfo.environment.filter { $0.key != "TMUX" }
    return try ChildProcess.run(["tmux", "-S", socket] + arguments, environment: environment)
  }

  /// Presses keys, by tmux's names.
  func press(_ keys: String...) throws { try command(["send-keys"] + keys) }

  /// Sends the bytes of `text` unchanged.
  func type(_ text: String) throws { try command(["send-keys", "-l", "--", text]) }

  /// The screen's rows, without the blanks at their ends, as reported by tmux.
  func screen() throws -> [String] {
    try command(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  func format(_ format: String) throws -> String {
    try command(["display-message", "-p", format]).trimmingCharacters(in: .newlines)
  }

  /// Waits until `condition` holds for the screen.
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: ([String]) throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + Self.patience
    while try !condition((try? screen()) ?? []) {
      guard ContinuousClock.now < deadline else {
        let shown = ((try? screen()) ?? []).joined(separator: "\n")
        Issue.record(
          "waited in vain for \(what); the screen:\n\(shown)\nthe log:\n\(log())",
          sourceLocation: sourceLocation)
        throw Failure(description: what)
      }
      try await Task.sleep(for: .milliseconds(100))
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

  /// Runs a command in the shell and waits until it has ended.
  func shell(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    // The shell composes the text, so that the echoed line isn't mistaken for its output.
    let mark = UInt32.random(in: 100_000...999_999)
    try type("\(line); echo do''ne \(mark)\n")
    try await wait("\(line) to be done", sourceLocation: sourceLocation) { rows in
      rows.contains { $0.hasSuffix("done \(mark)") } && rows.last { !$0.isEmpty } == "$"
    }
  }

  /// The demo's output so far.
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
