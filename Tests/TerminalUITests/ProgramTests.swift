import Foundation
import ProcessTesting
import Testing

/// The real program, two of it, in real terminals, driven by keys.
@Suite("The program in a terminal", .serialized)
struct ProgramTests {
  /// Beside the tests, where it was built.
  static var program: String {
    get throws {
      var folder = Bundle.main.bundleURL
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent("matinee").path
        if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        folder.deleteLastPathComponent()
      }
      throw Tmux.Failure(description: "matinee isn't built beside the tests")
    }
  }

  static let options = "--video none --no-config --mpv ao=null"

  /// Half a minute of tone, which mpv plays as a film without a picture.
  static func film(in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("Tone.wav").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "sine=440:d=120", "-ar",
      "8000", file,
    ]
    try process.run()
    try #require(process.waitForEnd() == 0, "ffmpeg is needed: make test installs it")
    return file
  }

  func rows(_ screen: [String], contain texts: String...) -> Bool {
    let screen = screen.joined(separator: "\n")
    return texts.allSatisfy(screen.contains)
  }

  @Test("Two people open a party, play, talk, and get their terminals back")
  func party() async throws {
    try await Tmux.run(columns: 80, rows: 24) { ana in
      try await Tmux.run(columns: 120, rows: 40) { ben in
        let program = try Self.program
        let film = try Self.film(in: ana.folder)
        let invite = ana.folder.appendingPathComponent("invite").path
        try ana.type(
          "'\(program)' host \(Self.options) --name Ana --listen 127.0.0.1:0 "
            + "--invite-file '\(invite)' '\(film)'")
        try ana.press("Enter")
        try await ana.wait("the film in Ana's terminal") {
          rows($0, contain: "Tone", "Ana (you)", "1 watching", "sealed", "‖ 0:00")
        }
        try await ana.wait("the invite") { rows($0, contain: "Whoever has this", "matinee://127.") }
        try ben.type(
          "'\(program)' join \(Self.options) --name Ben \"$(cat '\(invite)')\" '\(film)'")
        try ben.press("Enter")
        try await ben.wait("both in Ben's roster") {
          rows($0, contain: "Ben (you)", "Ana", "host", "2 watching")
        }

        try ben.press("Space")
        for terminal in [ana, ben] {
          try await terminal.wait("playing") { rows($0, contain: "▶ 0:0", "Ben pressed play") }
        }
        try ana.press("t")
        try ana.type("hello Ben 👋")
        try ana.press("Enter")
        try await ben.wait("Ana's words") { rows($0, contain: "Ana: hello Ben 👋") }

        try ana.press("Space")
        for terminal in [ana, ben] {
          try await terminal.wait("paused") { rows($0, contain: "Ana paused at", "‖ 0:") }
        }
        try ana.press("q")
        try await ana.waitForPrompt()
        #expect(try ana.format("#{alternate_on}#{mouse_any_flag}") == "00")
        try await ben.wait("Ana gone") { rows($0, contain: "Ana left", "1 watching") }
        try ben.press("q")
        try await ben.waitForPrompt()
      }
    }
  }

  @Test("An invite that leads nowhere is told on the plain terminal")
  func unreachable() async throws {
    try await Tmux.run(columns: 80, rows: 24) { terminal in
      let program = try Self.program
      try terminal.type(
        "'\(program)' join 'matinee://127.0.0.1:1/00112233445566778899aabbccddeeff"
          + "#AAAAAAAAAAAAAAAAAAAAAA'; echo \"code $?\"")
      try terminal.press("Enter")
      try await terminal.wait("the error") {
        rows($0, contain: "127.0.0.1:1: nobody answers", "code 69")
      }
      #expect(try terminal.format("#{alternate_on}") == "0")
    }
  }
}
