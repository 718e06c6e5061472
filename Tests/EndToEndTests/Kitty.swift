import Foundation
import ProcessTesting

/// A real kitty on a display of its own, with a shell in it: typed into and read by its remote control.
final class Kitty {
  let display: VirtualDisplay
  /// For files of the test; removed at the end.
  let folder: URL
  private let terminal: ChildProcess

  private var socket: String { "unix:" + folder.appendingPathComponent("control").path }
  private var log: URL { folder.appendingPathComponent("log") }

  init(columns: Int, rows: Int) throws {
    display = try VirtualDisplay(width: 860, height: 640)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("m-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment
    for name in [
      "WAYLAND_DISPLAY", "COLORTERM", "TMUX", "STY", "TERM", "SSH_CONNECTION", "SSH_TTY",
    ] {
      environment[name] = nil
    }
    environment["DISPLAY"] = display.name
    environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
    environment["LC_ALL"] = "C.UTF-8"
    environment["PS1"] = "$ "
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
      environment[name] = folder.path
    }
    terminal = try ChildProcess.start(
      [
        "kitty", "--config", "NONE", "--listen-on",
        "unix:" + folder.appendingPathComponent("control").path, "-o", "allow_remote_control=yes",
        "-o", "remember_window_size=no", "-o", "initial_window_width=\(columns)c", "-o",
        "initial_window_height=\(rows)c", "-o", "update_check_interval=0", "-o", "font_size=9",
        "-o", "shell_integration=disabled", "-o", "cursor_blink_interval=0", "sh",
      ], output: folder.appendingPathComponent("log"), environment: environment)
  }

  deinit {
    terminal.terminate()
    terminal.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  /// - Parameter text: with control characters as Swift writes them.
  func type(_ text: String) throws {
    let escaped = text.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar == "\\"
        ? "\\x" + String(scalar.value + 0x100, radix: 16).dropFirst() : String(scalar)
    }
    try control(["send-text", escaped.joined()])
  }

  func resize(columns: Int, rows: Int) throws {
    try control([
      "resize-os-window", "--unit", "cells", "--width", "\(columns)", "--height", "\(rows)",
    ])
  }

  /// The text on its screen.
  func text() throws -> String { try control(["get-text"]) }

  /// Waits until its text is as wanted.
  func wait(for situation: String, until isWanted: (String) -> Bool) async throws {
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    var last = ""
    while true {
      // It takes a moment before kitty listens.
      if let text = try? text() {
        if isWanted(text) { return }
        last = text
      }
      guard ContinuousClock.now < deadline else {
        let log = try? String(contentsOf: log, encoding: .utf8)
        throw ChildProcess.Failure("\(situation) isn't seen in kitty:\n\(last)\n\(log ?? "")")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @discardableResult
  private func control(_ command: [String]) throws -> String {
    try ChildProcess.run(["timeout", "20", "kitty", "@", "--to", socket] + command)
  }
}
