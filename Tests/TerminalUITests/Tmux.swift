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
    defer { tmux.end() }
    try tmux.command(
      ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
        + ["env -u NO_COLOR -u LANG TERM=tmux-256color \(settings) sh"])
    try tmux.command(["set-option", "-g", "status", "off"])
    try tmux.command(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    try await tmux.waitForPrompt()
    try await body(tmux)
  }

  /// Ends the server, its shell and whatever that runs; by force if need be.
  private func end() {
    let processes = (try? command(["display-message", "-p", "#{pid} #{pane_pid}"])) ?? ""
    _ = try? command(["kill-server"])
    let demo = log().compactMap { $0.hasPrefix("ready ") ? Int32($0.dropFirst(6)) : nil }
    for process in processes.split(whereSeparator: \.isWhitespace).compactMap({ Int32($0) }) + demo
    {
      kill(process, SIGKILL)
    }
  }

  /// - Returns: what tmux printed.
  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    // Not Foundation's `Process`: it waits for all who inherited one of its descriptors, and the server that
    // tmux leaves behind does.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let output = folder.appendingPathComponent("output-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // Inside tmux it would talk to the tmux that it is in.
    let environment = ProcessInfo.processInfo.environment.filter { $0.key != "TMUX" }
    var argumentPointers = (["tmux", "-S", socket] + arguments).map { strdup($0) } + [nil]
    var environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argumentPointers + environmentPointers).forEach { free($0) } }
    // Nor may it inherit a dispatch thread's blocked signals, or whatever files other tests have open.
    for descriptor in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let spawned = posix_spawnp(
      &process, "tmux", &actions, &attributes, &argumentPointers, &environmentPointers)
    guard spawned == 0 else {
      throw Failure(description: "tmux can't be started: errno \(spawned)")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    guard status == 0 else {
      throw Failure(description: "tmux \(arguments): \(text)")
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
    while try !condition((try? screen()) ?? []) {
      guard ContinuousClock.now < deadline else {
        let shown = ((try? screen()) ?? []).joined(separator: "\n")
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
  func shell(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    // Put together by the shell, so that the line as it is echoed isn't taken for what it prints.
    let mark = UInt32.random(in: 100_000...999_999)
    try type("\(line); echo do''ne \(mark)\n")
    try await wait("\(line) to be done", sourceLocation: sourceLocation) { rows in
      rows.contains { $0.hasSuffix("done \(mark)") } && rows.last { !$0.isEmpty } == "$"
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
