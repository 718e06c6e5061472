import Foundation
import ProcessTesting

/// A real kitty on a display of its own, with a shell in it, which the test types into and reads by
/// remote control.
final class Kitty {
  let display: VirtualDisplay
  /// The folder for the test's files; removed at the end.
  let folder: URL
  private let terminal: ChildProcess
  private let control: URL
  private var connection: UnixSocket?

  private var log: URL { folder.appendingPathComponent("log") }

  init(columns: Int, rows: Int) throws {
    display = try VirtualDisplay(width: 860, height: 640)
    folder = try URL.newFolder("m")
    control = folder.appendingPathComponent("control")
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
        "unix:" + control.path, "-o", "allow_remote_control=yes",
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

  /// - Parameter text: may contain control characters.
  func type(_ text: String) throws {
    // The one command without an answer.
    try request("send-text", ["data": "base64:" + Data(text.utf8).base64EncodedString()])
  }

  func resize(columns: Int, rows: Int) throws {
    _ = try control(
      "resize-os-window",
      ["action": "resize", "unit": "cells", "width": columns, "height": rows])
  }

  /// Returns the text on its screen.
  func text() throws -> String { try control("get-text") }

  /// Waits until its text fulfils the condition.
  func wait(for situation: String, until isWanted: (String) -> Bool) async throws {
    var last = ""
    func report() -> String {
      let log = try? String(contentsOf: log, encoding: .utf8)
      return "\(situation) isn't seen in kitty:\n\(last)\n\(log ?? "")"
    }
    try await MatineeProcess.wait(report()) {
      // kitty takes a moment before it listens.
      guard let text = try? text() else { return false }
      last = text
      return isWanted(text)
    }
  }

  private func control(_ command: String, _ payload: [String: Any] = [:]) throws -> String {
    try request(command, payload)
    guard let answer = connection?.read(until: "\u{1B}\\"),
      let start = answer.firstIndex(of: UInt8(ascii: "{")),
      let fields = try JSONSerialization.jsonObject(with: Data(answer[start...]))
        as? [String: Any], fields["ok"] as? Bool == true
    else { throw ChildProcess.Failure("kitty doesn't carry out \(command)") }
    return fields["data"] as? String ?? ""
  }

  /// Sends a command in kitty's protocol for remote control. Its own program for that takes 0.4 s of CPU each time.
  private func request(_ command: String, _ payload: [String: Any]) throws {
    let connection = try connection ?? UnixSocket(path: control.path, patience: 20)
    self.connection = connection
    let request = try JSONSerialization.data(withJSONObject: [
      "cmd": command, "version": [0, 26, 0], "payload": payload,
    ])
    connection.write(
      "\u{1B}P@kitty-cmd" + String(decoding: request, as: UTF8.self) + "\u{1B}\\")
  }
}
