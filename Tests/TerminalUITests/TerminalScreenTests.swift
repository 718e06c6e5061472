import Foundation
import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

/// The shell around the screen, in a real terminal.
@Suite("In a terminal", .serialized)
struct TerminalScreenTests {
  /// The demo's path, beside the program that runs the tests.
  private static let demo = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("ScreenDemo").path

  /// The shell's status of a program that a trap of Swift's has ended.
  #if arch(arm64)
    private static let trapStatus = 128 + Int(SIGTRAP)
  #else
    private static let trapStatus = 128 + Int(SIGILL)
  #endif

  /// Starts the demo from the shell and waits until it is ready.
  private func start(_ tmux: Tmux, _ arguments: String = "", prefix: String = "") async throws {
    try tmux.type("\(prefix) \(Self.demo) \(tmux.folder.path)/log \(arguments); echo status $?\n")
    try await tmux.wait("the demo") { _ in tmux.log().contains { $0.hasPrefix("ready") } }
  }

  private func processID(_ tmux: Tmux) throws -> Int32 {
    let line = try #require(tmux.log().last { $0.hasPrefix("ready") })
    return try #require(Int32(line.dropFirst(6)))
  }

  private func rows(_ model: ScreenModel, _ columns: Int, _ rows: Int) -> [String] {
    model.text(size: ScreenSize(columns: columns, rows: rows))
  }

  @Test("Pictures continue while the interface is blocked")
  func stalledInterface() async throws {
    try await Tmux.run(columns: 120, rows: 40) { tmux in
      try await start(tmux)
      try tmux.type("tstall")
      try tmux.press("Enter")
      try await tmux.wait("its end") { _ in tmux.log().contains { $0.hasPrefix("stalled") } }
      let line = try #require(tmux.log().last { $0.hasPrefix("stalled") })
      let counts = line.split(separator: " ").compactMap { Int($0) }
      try #require(counts.count == 2)
      // All of them, if tmux shows each one in time for the next.
      #expect(counts[0] >= counts[1] / 2 && counts[1] >= 3, "\(line)")
      try tmux.press("q")
      try await tmux.wait("the demo's end") { $0.contains { $0.hasSuffix("status 0") } }
    }
  }

  @Test("Escape works in GNU screen, which delays it while the mouse is in use")
  func screenMultiplexer() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      let sockets = tmux.folder.appendingPathComponent("s").path
      try await tmux.shell("mkdir -m 700 '\(sockets)'")
      try tmux.type("env -u TMUX SCREENDIR='\(sockets)' screen -U -T screen-256color sh\n")
      try await tmux.waitForPrompt()
      try await start(tmux)
      try tmux.press("?")
      try await tmux.wait("the keys") { $0.contains { $0.contains("Keys") } }
      try tmux.press("Escape")
      try await tmux.wait("the screen") { !$0.contains { $0.contains("Keys") } }
      try tmux.press("q")
      try await tmux.wait("the demo's end") { $0.contains { $0.contains("status 0") } }
      try tmux.type("exit\n")
    }
  }

  /// Records the terminal's settings, runs `body`, and checks that the demo has ended with `status` and restored the
  /// terminal.
  private func expectRestored(
    columns: Int = 80, rows: Int = 24, status: Int, arguments: String = "", prefix: String = "",
    lastWords: String? = nil, _ body: @Sendable (Tmux) async throws -> Void
  ) async throws {
    try await Tmux.run(columns: columns, rows: rows) { tmux in
      try await tmux.shell("stty -a > '\(tmux.folder.path)/before'")
      try await tmux.shell("echo still here")
      try await start(tmux, arguments, prefix: prefix)
      try await tmux.waitForScreen(self.rows(Samples.playing, columns, rows))
      #expect(try tmux.format("#{alternate_on} #{mouse_any_flag} #{cursor_flag}") == "1 1 0")
      try await body(tmux)
      if status == 128 + Int(SIGINT) {
        // The shell drops the rest of the line, as for any program that Ctrl-C has ended.
        let process = try processID(tmux)
        try await tmux.wait("the demo's end") { _ in kill(process, 0) != 0 }
      } else {
        try await tmux.wait("the demo's end") { rows in
          rows.contains { $0.hasSuffix("status \(status)") }
        }
      }
      if let lastWords {
        let history = try tmux.command(["capture-pane", "-p", "-J", "-S", "-200"])
        #expect(history.contains(lastWords))
      }
      let screen = try tmux.screen()
      // A crash prints many lines below it.
      if lastWords == nil { #expect(screen.contains("still here")) }
      #expect(!screen.contains { $0.contains("Countdown") || $0.contains("▀") })
      try await expectLeft(tmux)
    }
  }

  private func expectLeft(_ tmux: Tmux) async throws {
    #expect(
      try tmux.format(
        "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{cursor_flag} #{keypad_flag} #{keypad_cursor_flag}"
      )
        == "0 0 0 1 0 0")
    // The terminal's late answers to the last pictures of a program that crashed become part of this line.
    try await tmux.shell(":")
    try await tmux.shell("stty -a > '\(tmux.folder.path)/after'")
    let settings = try ["before", "after"].map {
      try String(contentsOf: tmux.folder.appendingPathComponent($0), encoding: .utf8)
    }
    #expect(settings[0].contains("icanon"))
    #expect(settings[0] == settings[1])
  }

  @Test("The terminal shows the expected screen at every size and after every resize")
  func resizes() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux, "waiting")
      try await tmux.waitForScreen(rows(Samples.waiting, 80, 24))
      for (columns, rows) in [(120, 40), (40, 10), (30, 5), (200, 60), (80, 24)] {
        try tmux.command(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
        try await tmux.waitForScreen(self.rows(Samples.waiting, columns, rows))
      }
    }
  }

  @Test(
    "A web address in the chat is a link, in its own cells and colours, and the screen stays the same"
  )
  func links() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      // The bytes that the terminal receives.
      let received = tmux.folder.appendingPathComponent("received")
      try tmux.command(["pipe-pane", "cat > '\(received.path)'"])
      let address = "https://films.example/harbour/take-1"
      var model = Samples.playing
      for text in ["see \(address), Ben", "that's all"] {
        try tmux.type("t\(text)")
        try tmux.press("Enter")
        model.chat.append(
          ChatEntry(
            id: model.chat.count + 1, hour: 21, minute: 42,
            .said(TerminalText(text), by: "Ana", isOwn: true)))
        try await tmux.waitForScreen(rows(model, 80, 24))
      }
      let bytes = try String(contentsOf: received, encoding: .utf8)
      let start = "\u{1B}]8;id=\(address.stableHash);\(address)\u{1B}\\"
      let parts = bytes.components(separatedBy: start).dropFirst().map {
        $0.components(separatedBy: "\u{1B}]8;;\u{1B}\\")[0]
      }
      // The address is cut at the column's end, and has moved up with the second message.
      #expect(parts.count >= 4 && parts.prefix(2).joined() == address, "\(parts)")
      // The pane's text has the terminal's own colours, beside the link as within it.
      let row = try tmux.command(["capture-pane", "-p", "-e"]).split(separator: "\n")
        .first { $0.contains("https") }
      #expect(row?.contains("\u{1B}[39m   \(parts.first ?? "?")") == true, "\(row ?? "")")
    }
  }

  @Test("Keys become intents, and their effects are shown")
  func keys() async throws {
    try await Tmux.run(columns: 120, rows: 40) { tmux in
      try await start(tmux)
      var model = Samples.playing
      try await tmux.waitForScreen(rows(model, 120, 40))
      try tmux.press("Space", "Left", "S-Right", "]", "m")
      model.transport.status = .paused
      model.transport.itemTime = MediaTime(seconds: 757)
      model.transport.rate = 1.1
      model.transport.isMuted = true
      try await tmux.waitForScreen(rows(model, 120, 40))
      try tmux.type("t")
      try tmux.type("grüße 漢字 👍🏽!")
      try await tmux.wait("the line") {
        $0.contains { $0.contains("grüße 漢字 👍!") }
      }
      #expect(try tmux.format("#{cursor_flag}") == "1")
      try tmux.press("Enter")
      try await tmux.wait("the chat") { rows in
        rows.dropLast().contains { $0.contains(" grüße 漢字 👍!") }
      }
      // A lone Escape closes, a question mark opens.
      try tmux.press("?")
      try await tmux.wait("the help") { $0.contains { $0.contains("─ Keys ─") } }
      try tmux.press("Escape")
      try await tmux.wait("the help's end") { !$0.contains { $0.contains("─ Keys ─") } }
      // A paste is text even if it looks like keys.
      try tmux.command(["set-buffer", "qqq"])
      try tmux.command(["paste-buffer", "-p"])
      try tmux.press("w")
      try await tmux.waitForLog("intent whatHappened")
      #expect(!tmux.log().contains("intent quit"))
    }
  }

  @Test("The mouse seeks on the bar")
  func mouse() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      // The bar is on row 22, counted from 1; its first column is 12.
      try tmux.type("\u{1B}[<0;12;22M\u{1B}[<0;12;22m")
      try await tmux.waitForLog("intent seek(to: Timekeeping.MediaTime(nanoseconds: 0))")
      try await tmux.wait("the position") { $0.contains { $0.hasPrefix(" ▶ 0:00:00 ●") } }
    }
  }

  @Test("Output of other code doesn't reach the screen, and is reported")
  func printing() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try tmux.type("tprint\r")
      try await tmux.waitForLog("printed scribble on stderr")
      try await tmux.waitForLog("printed scribble on stdout")
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
    }
  }

  @Test("Text from others can't do anything to the terminal")
  func hostile() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux, "hostile")
      // tmux keeps fewer marks per cell.
      func bare(_ rows: [String]) -> [String] {
        rows.map { row in
          String(
            String.UnicodeScalarView(
              row.unicodeScalars.filter { $0.properties.generalCategory != .nonspacingMark }))
        }
      }
      let expected = bare(rows(Samples.hostile, 80, 24)).map {
        String($0.reversed().drop { $0 == " " }.reversed())
      }
      try await tmux.wait("the screen\n\(expected.joined(separator: "\n"))") {
        bare($0).prefix(24) == expected[...]
      }
      #expect(try !tmux.format("#{pane_title}").hasPrefix("owned"))
    }
  }

  @Test("Ctrl-Z gives the terminal to the shell, and fg takes it again")
  func suspends() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await tmux.shell("stty -a > '\(tmux.folder.path)/before'")
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      for round in 1...2 {
        try tmux.press("C-z")
        try await tmux.wait("the shell") { $0.joined().contains("Stopped") }
        try await expectLeft(tmux)
        try await tmux.shell("echo round \(round)")
        try tmux.type("fg\n")
        try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
        #expect(try tmux.format("#{alternate_on} #{mouse_any_flag} #{cursor_flag}") == "1 1 0")
        // The size may have changed meanwhile, and keys work.
        try tmux.press("w")
        try await tmux.wait("the key") { _ in
          tmux.log().count { $0 == "intent whatHappened" } == round
        }
      }
      try tmux.press("q")
      try await tmux.waitForLog("closed")
      try await expectLeft(tmux)
    }
  }

  @Test("In the background it continues without a screen, and can be asked to end")
  func background() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await tmux.shell("stty -a > '\(tmux.folder.path)/before'")
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      try tmux.press("C-z")
      try await tmux.wait("the shell") { $0.joined().contains("Stopped") }
      try await tmux.shell("bg")
      try await tmux.shell("echo typing is the shell\\'s")
      try await expectLeft(tmux)
      try tmux.type("fg\n")
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      try tmux.press("C-z")
      try await tmux.wait("the shell") { $0.joined().contains("Stopped") }
      #expect(kill(try processID(tmux), SIGTERM) == 0)
      #expect(kill(try processID(tmux), SIGCONT) == 0)
      try await tmux.waitForLog("closed")
      try await expectLeft(tmux)
    }
  }

  @Test("q ends it and leaves nothing behind", arguments: [(80, 24), (120, 40)])
  func quits(columns: Int, rows: Int) async throws {
    try await expectRestored(columns: columns, rows: rows, status: 0) { tmux in
      try tmux.press("q")
      try await tmux.waitForLog("closed")
    }
  }

  @Test(
    "A signal that asks to end is passed on, and the terminal is restored",
    arguments: [SIGTERM, SIGHUP, SIGINT])
  func terminates(signal: Int32) async throws {
    try await expectRestored(status: 128 + Int(signal)) { tmux in
      #expect(kill(try processID(tmux), signal) == 0)
      try await tmux.waitForLog("intent terminate(signal: \(signal))")
      try await tmux.waitForLog("closed")
    }
  }

  @Test("A program that ignores the request is ended by the same signal")
  func deaf() async throws {
    try await expectRestored(status: 128 + Int(SIGTERM), arguments: "deaf") { tmux in
      #expect(kill(try processID(tmux), SIGTERM) == 0)
      try await tmux.waitForLog("intent terminate(signal: 15)")
    }
  }

  @Test("When the terminal is closed there is still time to leave")
  func hangsUp() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      try tmux.command(["kill-server"])
      try await tmux.waitForLog("intent terminate(signal: 1)")
      try await tmux.waitForLog("closed")
    }
  }

  @Test("Ctrl-C three times ends a program that hangs")
  func interrupts() async throws {
    try await expectRestored(status: 128 + Int(SIGINT), arguments: "deaf stuck") { tmux in
      try tmux.press("C-c", "C-c", "C-c")
    }
  }

  @Test(
    "A crash restores the terminal, however the screen is divided, and its reason can be read",
    arguments: [
      ("abort", 128 + Int(SIGABRT), nil), ("trap", trapStatus, "Fatal error: deliberate"),
      ("segfault", 128 + Int(SIGSEGV), nil), ("exit", 3, nil),
    ] as [(String, Int, String?)], ["", "f", "i"])
  func crashes(_ crash: (calamity: String, status: Int, lastWords: String?), mode: String)
    async throws
  {
    let (calamity, status, lastWords) = crash
    try await expectRestored(status: status, lastWords: lastWords) { tmux in
      try tmux.type("\(mode)t\(calamity)\r")
    }
  }

  @Test("After a crash no other thread writes to the terminal", arguments: ["abort", "trap"])
  func crashDuringFilm(calamity: String) async throws {
    let isTrap = calamity == "trap"
    for _ in 0..<3 {
      try await expectRestored(
        columns: 160, rows: 50, status: isTrap ? Self.trapStatus : 128 + Int(SIGABRT),
        lastWords: isTrap ? "deliberate" : "Aborted"
      ) { tmux in
        try tmux.type("tfilm\r")
        try await tmux.wait("the picture") { rows in
          tmux.log().contains("film") && rows.contains { $0.contains("▀") }
        }
        try tmux.type("t\(calamity)\r")
      }
    }
  }

  @Test(
    "A terminal without a second screen, like the Linux console, is empty afterwards",
    arguments: ["q", "tabort\r"])
  func console(keys: String) async throws {
    try await Tmux.run(columns: 80, rows: 24, environment: ["TERM": "linux"]) { tmux in
      try await start(tmux)
      try await tmux.wait("the screen") { $0.joined().contains("People") }
      #expect(try tmux.format("#{alternate_on}") == "0")
      try tmux.type(keys)
      try await tmux.wait("nothing but the shell") { rows in
        rows.last { !$0.isEmpty } == "$" && !rows.joined().contains { "│╭▄".contains($0) }
      }
    }
  }

  @Test("Without a terminal, or with an unknown one, it says what to do")
  func refuses() async throws {
    try await Tmux.run(columns: 100, rows: 30) { tmux in
      let demo = "\(Self.demo) '\(tmux.folder.path)/log'"
      try tmux.type("\(demo) < /dev/null; echo status $?\n")
      try await tmux.wait("the refusal") {
        $0.contains { $0.hasSuffix("status 69") } && $0.joined().contains("isn't a terminal")
      }
      for type in ["dumb", "no-such-terminal", ""] {
        try await tmux.shell("clear")
        try tmux.type("TERM=\(type) \(demo); echo status $?\n")
        try await tmux.wait("the refusal of \(type)") {
          $0.contains { $0.hasSuffix("status 69") } && $0.joined().contains("--screen-reader")
        }
        #expect(try tmux.format("#{alternate_on}") == "0")
      }
    }
  }

  @Test("Without UTF-8 everything is ASCII; without colour there is none")
  func plain() async throws {
    try await Tmux.run(columns: 80, rows: 24, environment: ["LC_ALL": "C", "NO_COLOR": "1"]) {
      tmux in
      try await start(tmux)
      try await tmux.waitForScreen(
        Samples.playing.text(size: ScreenSize(columns: 80, rows: 24), isUnicode: false))
      let escapes = try tmux.command(["capture-pane", "-p", "-e"])
      // Attributes, and only the default colours (39, 49).
      #expect(escapes.contains("\u{1B}[1;7m"))
      let codes = escapes.split(separator: "\u{1B}[").dropFirst()
        .flatMap { $0.prefix { $0 != "m" }.split(separator: ";") }
      #expect(Set(codes).isSubset(of: ["0", "1", "2", "7", "39", "49"]))
    }
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      #expect(try tmux.command(["capture-pane", "-p", "-e"]).contains("38;5;"))
    }
  }

  @Test("Ctrl-L draws overwritten cells again")
  func redraws() async throws {
    try await Tmux.run(columns: 80, rows: 24) { tmux in
      try await start(tmux)
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
      let terminal = try tmux.format("#{pane_tty}")
      try "\u{1B}[5;5Hscribbled over".write(toFile: terminal, atomically: false, encoding: .utf8)
      try await tmux.wait("the damage") { $0.joined().contains("scribbled over") }
      try tmux.press("C-l")
      try await tmux.waitForScreen(rows(Samples.playing, 80, 24))
    }
  }
}
