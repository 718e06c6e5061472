import Foundation
import ProcessTesting
import Testing

/// A tmux server with one program in it.
struct Screen {
  let socket: String

  /// Runs `body` with a screen whose server hasn't started yet, and a folder of its own; both are
  /// removed afterwards.
  static func run(_ body: (Screen, URL) async throws -> Void) async throws {
    let folder = try URL.newFolder("matinee")
    defer { try? FileManager.default.removeItem(at: folder) }
    let screen = Screen(socket: folder.appendingPathComponent("tmux").path)
    defer { screen.end() }
    try await body(screen, folder)
  }

  /// Runs the program in a new session with truecolor, whose last output stays on the screen. The terminal's modes before
  /// and after it are in files of that name.
  ///
  /// - Parameters:
  ///   - folder: for these files, and for the program's own.
  ///   - settings: lines of tmux's configuration.
  ///   - environment: words for env(1); without a display if nil.
  ///   - prefix: the command that runs the program.
  func open(
    _ arguments: [String], in folder: URL, columns: Int = 100, rows: Int = 30,
    settings: String = "", environment: [String]? = nil, prefix: [String] = []
  ) throws {
    let configuration = folder.appendingPathComponent("tmux.conf")
    try Data(settings.utf8).write(to: configuration)
    let words =
      ["env", "-u", "WAYLAND_DISPLAY"] + (environment ?? ["-u", "DISPLAY"]) + [
        "LC_ALL=C.UTF-8", "TERM=tmux-256color", "COLORTERM=truecolor",
        "SWIFT_BACKTRACE=enable=no", "XDG_STATE_HOME=\(folder.path)/state",
        "XDG_CONFIG_HOME=\(folder.path)/config",
      ] + prefix + [try MatineeProcess.executable.path] + arguments + [
        "--no-config", "--mpv", "ao=null",
      ]
    let program = words.map { "'\($0)'" }.joined(separator: " ")
    try command([
      "-f", configuration.path, "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
      "stty -a > '\(folder.path)/before'; \(program); code=$?; stty -a > '\(folder.path)/after'; "
        + "echo ended $code; exec sleep 60",
    ])
  }

  /// Ends the server, and waits until Matinee in it has ended as well: a display or a relay that ends
  /// before it would leave it busy with the error for half a minute.
  func end() {
    let shells = (try? command(["list-panes", "-a", "-F", "#{pane_pid}"])) ?? ""
    let sessions = Set(shells.split(separator: "\n").compactMap { pid_t($0) })
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var programs = processes.compactMap { pid_t($0) }
      .filter { sessions.contains(getsid($0)) && Self.isMatinee($0) }
    _ = try? command(["kill-server"])
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while true {
      programs.removeAll { !Self.isMatinee($0) }
      if programs.isEmpty { return }
      guard .now < deadline else {
        Issue.record("still running without their terminal: \(programs)")
        for program in programs { kill(program, SIGKILL) }
        return
      }
      usleep(5000)
    }
  }

  /// Returns whether Matinee runs as the process. A process that has ended has no executable.
  private static func isMatinee(_ process: pid_t) -> Bool {
    let executable = try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(process)/exe")
    return executable?.hasSuffix("/matinee") ?? false
  }

  @discardableResult
  func command(_ arguments: [String]) throws -> String {
    let environment = ProcessInfo.processInfo.environment.filter { $0.key != "TMUX" }
    return try ChildProcess.run(["tmux", "-S", socket] + arguments, environment: environment)
  }

  func type(_ text: String) throws { try command(["send-keys", "-l", "--", text]) }

  /// Returns the first row that contains `text`, once there is one.
  func row(containing text: String) async throws -> String {
    var screen = ""
    return try await MatineeProcess.find("“\(text)” never appeared on the screen:\n\(screen)") {
      screen = try command(["capture-pane", "-p"])
      return screen.split(separator: "\n").first { $0.contains(text) }.map(String.init)
    }
  }

}
