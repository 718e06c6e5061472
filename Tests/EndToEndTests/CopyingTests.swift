import Foundation
import ProcessTesting
import Testing

/// Copying and saving the invite, with and without a report from the terminal about the clipboard.
@Suite("Copying the invite, end to end", .serialized)
struct CopyingTests {
  private let film: String

  init() throws { film = try Clips.film.get() }

  /// Runs a host's screen with the invite on it.
  ///
  /// - Parameters:
  ///   - setting: tmux's `set-clipboard`.
  ///   - body: receives the screen, the invite and the folder of the host's state.
  private func host(
    _ setting: String = "external", environment: [String]? = nil,
    _ body: (Screen, String, URL) async throws -> Void
  ) async throws {
    try await Screen.run { screen, folder in
      let file = folder.appendingPathComponent("invite").path
      try screen.open(
        [
          "host", "--listen", "127.0.0.1:0", "--name", "Ana", "--invite-file", file, "--video",
          "none", film,
        ], in: folder, settings: "set-option -s set-clipboard \(setting)\n",
        environment: ["-u", "SSH_CONNECTION", "-u", "SSH_TTY"] + (environment ?? ["-u", "DISPLAY"]))
      _ = try await screen.row(containing: "matinee://")
      let invite = try String(contentsOfFile: file, encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      try await body(screen, invite, folder)
      try screen.type("q")
      try screen.type("q")
    }
  }

  @Test(
    "If tmux accepts the clipboard, it returns it, and the notice says so; of a terminal that doesn't answer it claims no copy",
    arguments: ["on", "external", "off"])
  func tmux(setting: String) async throws {
    try await host(setting) { screen, invite, _ in
      try screen.type("c")
      if setting == "on" {
        _ = try await screen.row(containing: "Copied to tmux")
        #expect(try screen.command(["show-buffer"]) == invite)
      } else {
        _ = try await screen.row(containing: "If pasting fails, press s")
        #expect(throws: ChildProcess.Failure.self) { try screen.command(["show-buffer"]) }
      }
    }
  }

  @Test("On a desktop the invite is in the desktop's clipboard")
  func desktop() async throws {
    let display = try VirtualDisplay()
    try await host(environment: ["DISPLAY=\(display.name)"]) { screen, invite, _ in
      try screen.type("c")
      _ = try await screen.row(containing: "Copied to the clipboard.")
      // xclip continues in the background, and owns the clipboard a moment after it has returned.
      func pasted() -> String? { try? display.run(["xclip", "-selection", "clipboard", "-o"]) }
      let end = ContinuousClock.now + .seconds(20)
      while pasted() != invite, .now < end { try await Task.sleep(for: .milliseconds(20)) }
      #expect(pasted() == invite)
    }
  }

  @Test("The saved invite is in a file that only its owner can read")
  func file() async throws {
    try await host { screen, invite, folder in
      try screen.type("s")
      _ = try await screen.row(containing: "read it.")
      let state = folder.appendingPathComponent("state/matinee")
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: state.path)
          .first { $0.hasSuffix(".invite") })
      let path = state.appendingPathComponent(name).path
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == invite)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }
}
