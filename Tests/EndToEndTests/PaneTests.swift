import Foundation
import ProcessTesting
import Testing

/// mpv's picture in a real terminal.
@Suite("The film in the pane", .serialized)
struct PaneTests {
  /// Red, green, blue and white, a quarter each, with a subtitle.
  static let film = Result {
    let subtitles = Clips.folder.appendingPathComponent("quarters.srt")
    try Data("1\n00:00:00,000 --> 00:01:00,000\nGood evening.\n".utf8).write(to: subtitles)
    let file = Clips.folder.appendingPathComponent("quarters.mkv").path
    let quarters = ["red", "lime", "blue", "white"].flatMap {
      ["-f", "lavfi", "-i", "color=\($0):s=160x90:r=25:d=60"]
    }
    try Clips.ffmpeg(
      quarters + [
        "-i", subtitles.path, "-filter_complex",
        "[0][1]hstack[top];[2][3]hstack[bottom];[top][bottom]vstack", "-c:v", "libx264",
        "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv444p", "-c:s", "srt", file,
      ])
    return file
  }

  private func run(_ body: (Screen) async throws -> Void) async throws {
    try await Screen.run { screen, folder in
      try screen.open(["--video", "terminal", try Self.film.get()], in: folder)
      try await body(screen)
    }
  }

  /// Waits until the screen, its SGR sequences included, fulfils the condition.
  ///
  /// - Returns: its rows.
  @discardableResult
  private func wait(on screen: Screen, until isWanted: (String) -> Bool) async throws -> [String] {
    var text = ""
    return try await MatineeProcess.find("the picture isn't as wanted:\n\(text)") {
      text = try screen.command(["capture-pane", "-e", "-p"])
      return isWanted(text) ? text.components(separatedBy: "\n") : nil
    }
  }

  private let quarters = ["48;2;25[45];0;0", "48;2;0;25[45];[01]", "48;2;0;0;25[45]"]

  private func colors(_ text: String) -> [Bool] {
    quarters.map { text.range(of: $0, options: .regularExpression) != nil }
  }

  @Test("The pane shows the film's colours in their places, and its subtitles as text")
  func quarters() async throws {
    try await run { screen in
      _ = try await screen.row(containing: "Good evening.")
      let rows = try await wait(on: screen) { colors($0).allSatisfy { $0 } }
      // Red and green in the upper half, blue in the lower.
      let red = try #require(rows.firstIndex { colors($0)[0] })
      let blue = try #require(rows.firstIndex { colors($0)[2] })
      #expect(red < blue)
      #expect(colors(rows[red])[1])
      #expect(!colors(rows[red])[2])
    }
  }

  @Test(
    "A crash while the picture plays restores the terminal",
    arguments: [
      (SIGSEGV, 128 + SIGSEGV), (SIGABRT, 128 + SIGABRT),
      // SIGTERM ends the program in an orderly way.
      (SIGTERM, 0),
    ] as [(Int32, Int32)])
  func crash(signal: Int32, code: Int32) async throws {
    try await run { screen in
      try await wait(on: screen) { colors($0).allSatisfy { $0 } }
      func format(_ format: String) throws -> String {
        try screen.command(["display-message", "-p", format])
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
      #expect(try format("#{alternate_on} #{mouse_any_flag} #{cursor_flag}") == "1 1 0")
      let shell = try format("#{pane_pid}")
      let children = try String(
        contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
      let program = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
      #expect(kill(program, signal) == 0)
      let last = try await screen.row(containing: "ended")
      #expect(last.contains("ended \(code)"))
      #expect(
        try format(
          "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{cursor_flag} #{keypad_flag}")
          == "0 0 0 1 0")
      let folder = URL(fileURLWithPath: screen.socket).deletingLastPathComponent()
      #expect(
        try Data(contentsOf: folder.appendingPathComponent("before"))
          == Data(contentsOf: folder.appendingPathComponent("after")))
    }
  }
}
