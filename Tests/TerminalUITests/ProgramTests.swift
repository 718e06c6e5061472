import Foundation
import ProcessTesting
import Testing

/// Two instances of the real program in real terminals, driven by keys.
@Suite("The program in a terminal", .serialized)
struct ProgramTests {
  /// The program's path, beside the tests.
  static var program: String { get throws { try BuiltProgram.url("matinee").path } }

  static let options = "--video none --no-config --mpv ao=null"

  /// Makes two minutes of tone, which mpv plays as a film without a picture.
  static func film(in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("Tone.wav").path
    try makeTone(file, frequency: 440)
    return file
  }

  private static func invite(of host: Tmux) -> String {
    host.folder.appendingPathComponent("invite").path
  }

  /// Ana opens a party.
  private static func host(in terminal: Tmux, _ film: String) throws {
    try terminal.type(
      "'\(try program)' host \(options) --name Ana --listen 127.0.0.1:0 "
        + "--invite-file '\(invite(of: terminal))' '\(film)'")
    try terminal.press("Enter")
  }

  /// Ben joins it.
  private static func join(
    in terminal: Tmux, invitedBy host: Tmux, _ film: String, _ more: String = ""
  ) throws {
    try terminal.type(
      "'\(try program)' join \(options) \(more) --name Ben \"$(cat '\(invite(of: host))')\" '\(film)'"
    )
    try terminal.press("Enter")
  }

  static func makeTone(_ file: String, frequency: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "sine=\(frequency):d=120",
      "-ar", "8000", file,
    ]
    try process.run()
    try #require(process.waitForEnd() == 0, "ffmpeg is needed: make test installs it")
  }

  func rows(_ screen: [String], contain texts: String...) -> Bool {
    let screen = screen.joined(separator: "\n")
    return texts.allSatisfy(screen.contains)
  }

  @Test("A size of the terminal that the environment invents is ignored")
  func inventedSize() async throws {
    try await Tmux.run(columns: 80, rows: 24) { terminal in
      let film = try Self.film(in: terminal.folder)
      try terminal.type(
        "LINES=99999999 COLUMNS=99999999 '\(try Self.program)' \(Self.options) '\(film)'")
      try terminal.press("Enter")
      try await terminal.wait("the film") { rows in
        !rows.contains { $0.contains("LINES=") } && rows.contains { $0.contains("Tone") }
      }
      try terminal.press("q")
      try await terminal.waitForPrompt()
    }
  }

  @Test("Two people open a party, play and chat, and their terminals are restored")
  func party() async throws {
    try await Tmux.run(columns: 80, rows: 24) { ana in
      try await Tmux.run(columns: 120, rows: 40) { ben in
        let film = try Self.film(in: ana.folder)
        try Self.host(in: ana, film)
        try await ana.wait("the film in Ana's terminal") {
          rows($0, contain: "Tone", "Ana (you)", "encrypted", "‖ 0:00")
        }
        try await ana.wait("the invite") {
          rows($0, contain: "Anyone with this link", "matinee://127.")
        }
        // Ben's relay would take over from Ana's, and her program wouldn't ask.
        try Self.join(in: ben, invitedBy: ana, film, "--no-standby")
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
        try await ben.wait("Ana's words") { rows($0, contain: " hello Ben 👋") }

        try ana.press("Space")
        for terminal in [ana, ben] {
          try await terminal.wait("paused") { rows($0, contain: "Ana paused at", "‖ 0:") }
        }
        try ana.press("q")
        try await ana.wait("the question") {
          rows($0, contain: "Quit and close the party for 1 other?")
        }
        try ana.press("y")
        try await ana.waitForPrompt()
        #expect(try ana.format("#{alternate_on}#{mouse_any_flag}") == "00")
        try await ben.wait("the state") { rows($0, contain: "Ana closed the party.") }
        try ben.press("q")
        try await ben.waitForPrompt()
      }
    }
  }

  @Test(
    "Everyone sees a drawing, and a participant who leaves it sees the film again")
  func drawing() async throws {
    try await Tmux.run(columns: 100, rows: 30) { ana in
      try await Tmux.run(columns: 100, rows: 30) { ben in
        let film = try Self.film(in: ana.folder)
        try Self.host(in: ana, film)
        try await ana.wait("the invite") { rows($0, contain: "Anyone with this link") }
        try Self.join(in: ben, invitedBy: ana, film)
        try await ben.wait("both") { rows($0, contain: "2 watching", "Tone") }
        try await ana.wait("no page is open") { !rows($0, contain: "Anyone with this link") }

        try ana.press("D")
        try await ana.wait("the pen") { rows($0, contain: "space pen") }
        try ana.press("Space")
        for _ in 0..<12 { try ana.press("Right") }
        func isDrawn(_ screen: [String]) -> Bool {
          screen.contains { $0.contains("▀▀▀▀▀▀▀") || $0.contains("▄▄▄▄▄▄▄") }
        }
        try await ben.wait("Ana's line") {
          isDrawn($0) && rows($0, contain: "Ana started to draw", "space p")
        }
        try ben.press("D")
        try await ben.wait("Ben's pen") { rows($0, contain: "space pen") }
        try ben.press("Escape")
        try await ben.wait("nothing is drawn") { !isDrawn($0) && rows($0, contain: "space p") }
        try ben.press("D")
        try await ben.wait("all of it again") { isDrawn($0) }
        try ana.press("u")
        try await ben.wait("it is taken back") { !isDrawn($0) }
        for terminal in [ben, ana] {
          try terminal.press("q")
          try await terminal.waitForPrompt()
        }
      }
    }
  }

  @Test("The library shows lengths and positions of films, and resumes there")
  func library() async throws {
    try await Tmux.run(columns: 100, rows: 30) { terminal in
      let film = try Self.film(in: terminal.folder)
      let folder = URL(fileURLWithPath: film).deletingLastPathComponent().path
      let start = "'\(try Self.program)' \(Self.options) '\(folder)'"
      try terminal.type(start)
      try terminal.press("Enter")
      try await terminal.wait("its length") { rows($0, contain: "Tone   ", " 2:00 │") }
      try terminal.press("End")
      try terminal.press("d")
      try await terminal.wait("its page") {
        rows($0, contain: "Library: details", "Length", "Audio", "pcm_s16le mono", "Source")
      }
      try terminal.press("Enter")
      try await terminal.wait("the film") { rows($0, contain: "▶ 0:0") }
      try terminal.press("Space")
      try terminal.press("g")
      try terminal.type("1:00")
      try terminal.press("Enter")
      try await terminal.wait("a minute on") { rows($0, contain: "‖ 1:00") }
      try terminal.press("q")
      try await terminal.waitForPrompt()

      try terminal.type(start)
      try terminal.press("Enter")
      try await terminal.wait("where it was left") {
        rows($0, contain: "Recently watched", "1:00 of 2:00")
      }
      try terminal.press("Enter")
      try await terminal.wait("what was watched") { rows($0, contain: "Library: Recently watched") }
      try terminal.press("Enter")
      try await terminal.wait("it goes on") { rows($0, contain: "▶ 1:0", "Resuming at 1:00") }
      try terminal.press("o")
      try terminal.press("b")
      try await terminal.wait("it begins anew") { rows($0, contain: "▶ 0:0") }
      try terminal.press("q")
      try await terminal.waitForPrompt()
    }
  }

  @Test("In a party the user chooses for whom a film is; “Just me” doesn't move the others")
  func forWhom() async throws {
    try await Tmux.run(columns: 100, rows: 30) { ana in
      try await Tmux.run(columns: 100, rows: 30) { ben in
        let film = try Self.film(in: ana.folder)
        let other = ana.folder.appendingPathComponent("Other.wav").path
        try Self.makeTone(other, frequency: 880)
        try Self.host(in: ana, film)
        try await ana.wait("the invite") { rows($0, contain: "Anyone with this link") }
        try Self.join(in: ben, invitedBy: ana, film)
        try await ben.wait("both") { rows($0, contain: "2 watching", "Tone") }

        try ben.press("u")
        try ben.type(other)
        try ben.press("Enter")
        try await ben.wait("the question") {
          rows($0, contain: "Watch “Other”?", "For everyone", "Just me", "Cancel")
        }
        try ben.press("m")
        try await ben.wait("his own film") { rows($0, contain: " matinee   Other") }
        try await ana.wait("where Ben is") {
          rows($0, contain: "watching alone", " matinee   Tone")
        }
        // Ben returns to the others.
        try ben.press("b")
        try await ben.wait("the party's film") { rows($0, contain: " matinee   Tone") }
        try await ana.wait("Ben is back") { !rows($0, contain: "watching alone") }

        try ben.press("u")
        try ben.type(other)
        try ben.press("Enter")
        try await ben.wait("the question again") { rows($0, contain: "Watch “Other”?") }
        try ben.press("c")
        try await ben.wait("nothing changed") {
          rows($0, contain: " matinee   Tone") && !rows($0, contain: "Watch “Other”?")
        }
        for terminal in [ben, ana] {
          try terminal.press("q")
          try await terminal.waitForPrompt()
        }
      }
    }
  }

  @Test("The user's keys apply; a mistake in the colours is reported, and the program continues")
  func userFiles() async throws {
    try await Tmux.run(columns: 160, rows: 30) { terminal in
      let folder = terminal.folder.appendingPathComponent("config/matinee")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("x cycle mute\nq ignore\nctrl+x quit\n".utf8)
        .write(to: folder.appendingPathComponent("keys.conf"))
      try Data("# mine\nacent = red\n".utf8)
        .write(to: folder.appendingPathComponent("theme.conf"))
      try terminal.type(
        "'\(try Self.program)' \(Self.options) '\(try Self.film(in: terminal.folder))'")
      try terminal.press("Enter")
      try await terminal.wait("the mistake") {
        rows($0, contain: "line 2: there is no role “acent”; did you mean “accent”?")
      }
      try await terminal.wait("the film") { rows($0, contain: "▶ 0:0") }
      try terminal.press("x")
      try await terminal.wait("silence") { rows($0, contain: "muted") }
      try terminal.press("q")
      try terminal.press("?")
      try await terminal.wait("the help") { rows($0, contain: "Keys") }
      try terminal.press("Escape")
      try await terminal.wait("the film again") { !rows($0, contain: "Keys") }
      try terminal.press("C-x")
      try await terminal.waitForPrompt()
    }
  }

  @Test("For a screen reader everything is a sentence on a line of its own")
  func screenReader() async throws {
    try await Tmux.run(columns: 100, rows: 30) { terminal in
      let film = try Self.film(in: terminal.folder)
      try terminal.type(
        "'\(try Self.program)' host --screen-reader --listen 127.0.0.1:0 --no-port-mapping "
          + "--name Ana --no-config --mpv ao=null '\(film)'")
      try terminal.press("Enter")
      try await terminal.wait("the invite") { rows($0, contain: "Anyone with this link can join") }
      try await terminal.wait("the film") { rows($0, contain: "Tone is open") }
      func say(_ line: String) throws {
        try terminal.type(line)
        try terminal.press("Enter")
      }
      try say("seek 30")
      try await terminal.wait("the position") { rows($0, contain: "Ana went to 0:30") }
      try say("state")
      try await terminal.wait("the state") {
        rows($0, contain: "Tone: paused at 0:30 of 2:00", "You are alone in the party")
      }
      try say("who")
      try await terminal.wait("the roster") { rows($0, contain: "Ana, you, host") }
      try say("plai")
      try await terminal.wait("the mistake") { rows($0, contain: "“plai” isn't a command") }
      try say("quit")
      try await terminal.waitForPrompt()
    }
  }

  @Test("An invite is pasted at a prompt that hides its secret, and ctrl-c restores the terminal")
  func prompt() async throws {
    try await Tmux.run(columns: 80, rows: 24) { ana in
      let film = try Self.film(in: ana.folder)
      try Self.host(in: ana, film)
      try await ana.wait("the party") { rows($0, contain: "Ana (you)") }
      let invite = try String(contentsOfFile: Self.invite(of: ana), encoding: .utf8)
        .trimmingCharacters(in: .newlines)
      let secret = try #require(invite.split(separator: "#").last)
      try await Tmux.run(columns: 80, rows: 24) { ben in
        func ask() async throws {
          try ben.type("clear; '\(try Self.program)' join \(Self.options) --name Ben '\(film)'\n")
          try await ben.wait("the question") { $0.contains("Invite:") }
        }
        try await ask()
        try ben.type(String(invite.dropLast()))
        try await ben.wait("the hidden secret") {
          rows($0, contain: "#" + String(repeating: "*", count: 21))
        }
        try ben.press("C-c")
        try await ben.waitForPrompt()
        try ben.type("clear; echo \"off: $(stty -a | grep -c -e ' -echo ' -e '-icanon')\"\n")
        try await ben.wait("the terminal's settings") { $0.contains("off: 0") }
        try await ask()
        try ben.type(invite)
        try await ben.wait("the hidden secret") { rows in
          let screen = rows.joined()
          #expect(!screen.contains(secret.prefix(4)))
          return screen.contains("Invite: matinee://127.0.0.1:")
            && screen.contains("#" + String(repeating: "*", count: 22))
        }
        try ben.press("Enter")
        try await ben.wait("the film in Ben's terminal") { rows($0, contain: "Tone", "Ben (you)") }
        try ben.press("q")
        try await ben.waitForPrompt()
      }
      try ana.press("q")
    }
  }

  @Test("An invite that can't be reached is reported on the plain terminal")
  func unreachable() async throws {
    try await Tmux.run(columns: 80, rows: 24) { terminal in
      let program = try Self.program
      try terminal.type(
        "'\(program)' join 'matinee://127.0.0.1:1/00112233445566778899aabbccddeeff"
          + "#AAAAAAAAAAAAAAAAAAAAAA'; echo \"code $?\"")
      try terminal.press("Enter")
      try await terminal.wait("the error") {
        rows($0, contain: "127.0.0.1:1 doesn't answer", "code 69")
      }
      #expect(try terminal.format("#{alternate_on}") == "0")
    }
  }
}
