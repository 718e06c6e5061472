import Foundation
import ProcessTesting
import Testing

@testable import TerminalUI

/// A paused film shows faults that a moving one hides: cells that were overwritten and not drawn
/// again.
@Suite("A paused picture beside the rest of the screen", .serialized)
struct StillPictureTests {
  enum Film: String, CaseIterable {
    case oneColor = "color=0x204060:s=320x180:r=1:d=1"
    case photograph = "mandelbrot=s=320x180:r=1"
  }

  /// Escape as a sequence of its own (`CSI 27 u`), which can't be taken for alt with the next key.
  private static let escape = "\u{1B}[27u"

  private static let films = Result {
    var files: [Film: String] = [:]
    for (index, film) in Film.allCases.enumerated() {
      let file = Clips.folder.appendingPathComponent("still-\(index).mkv").path
      // The same frame for ten minutes.
      try Clips.ffmpeg([
        "-f", "lavfi", "-i", film.rawValue, "-vf", "trim=end_frame=1,loop=600:1,fps=1", "-t", "600",
        "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-g", "30", "-pix_fmt", "yuv444p",
        file,
      ])
      files[film] = file
    }
    return files
  }

  /// A tmux screen of 120×40 cells with a party's host in it, the film paused and the invite closed.
  private struct Party {
    let screen: Screen
    /// The screen with nothing over the picture.
    private(set) var whole = TerminalCells("")

    init(_ screen: Screen) async throws {
      self.screen = screen
      // The invite and its QR code may cover the picture.
      _ = try await screen.row(containing: "matinee://")
      try screen.type(StillPictureTests.escape)
      try await settle("the invite is closed") { !$0.contains("matinee://") }
      try screen.type("\u{0C}")
      whole = try await settle("the screen is drawn again")
    }

    /// Waits until the picture has no hole and the screen fulfils the condition.
    @discardableResult
    func settle(
      _ situation: String = "", until isWanted: (String) -> Bool = { _ in true }
    ) async throws -> TerminalCells {
      try await wait(situation) { cells, text in
        cells.pictureCells > 0 && cells.holes == 0 && isWanted(text)
      }
    }

    /// Waits until the picture has no hole, and is the same when the whole screen has been drawn
    /// again.
    func expectWhole(_ situation: String) async throws {
      var last: TerminalCells?
      try await wait(situation) { cells, _ in
        guard cells.holes == 0, cells.pictureCells > 0 else {
          last = nil
          return false
        }
        if let last, last.picture == cells.picture { return true }
        last = cells
        try screen.type("\u{0C}")
        return false
      }
    }

    @discardableResult
    func wait(
      _ situation: String, until isWanted: (TerminalCells, String) throws -> Bool
    ) async throws -> TerminalCells {
      let deadline = ContinuousClock.now + MatineeProcess.deadline
      var (last, cells) = ("", TerminalCells(""))
      while true {
        // With the blanks at the ends of rows: they are the picture where it has one colour.
        let text = try screen.command(["capture-pane", "-e", "-p", "-N"])
        if text != last { (last, cells) = (text, TerminalCells(text)) }
        if try isWanted(cells, text) { return cells }
        guard ContinuousClock.now < deadline else {
          let plain = try screen.command(["capture-pane", "-p"])
          throw ChildProcess.Failure(
            """
            \(situation): \(cells.pictureCells) of \(whole.pictureCells) cells show the picture, \
            \(cells.holes) are holes
            \(plain)
            """)
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func run(
    _ film: Film, _ blocks: String, _ body: (Party) async throws -> Void
  ) async throws {
    try await Screen.run { screen, folder in
      let file = try #require(try Self.films.get()[film])
      let words = [
        "env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-u", "NO_COLOR", "LC_ALL=C.UTF-8",
        "COLORTERM=truecolor", "PS1=$ ", "XDG_STATE_HOME=\(folder.path)/state",
        "XDG_CONFIG_HOME=\(folder.path)/config", "sh",
      ]
      try screen.command(
        ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "120", "-y", "40"] + words)
      try screen.command(["set-option", "-g", "status", "off"])
      try screen.command(["resize-window", "-x", "120", "-y", "40"])
      try screen.type(
        "'\(try MatineeProcess.executable.path)' host '\(file)' --video terminal --blocks \(blocks) "
          + "--no-config --mpv ao=null --mpv 'screenshot-directory=\(folder.path)'\n")
      try await body(try await Party(screen))
    }
  }

  /// Commands that end the program, show the picture elsewhere, or have a test of their own.
  private static let others: [Command] = [
    .user(.quit), .user(.cycleVideo), .suspend,
  ]
  /// Commands that change the screen until they are given again.
  private static let toggles: [Command] = [
    .togglePicture, .toggleCompact, .toggleSync, .toggleLibrary, .stepAwayOrRejoin,
    .user(.toggleReady), .user(.toggleMute), .openPartyOrPictureInPicture,
  ]

  @Test(
    "Every command of the key map leaves the picture whole",
    arguments: [(Film.oneColor, "halves"), (.photograph, "halves"), (.photograph, "quadrants")])
  func commands(film: Film, blocks: String) async throws {
    try await run(film, blocks) { party in
      for entry in KeyMap.standard.entries where !entry.section.isForOneThing {
        for binding in entry.bindings where !Self.others.contains(binding.command) {
          let key = try #require(binding.keys.first)
          try party.screen.type(key.bytes)
          if Self.toggles.contains(binding.command) { try party.screen.type(key.bytes) }
          // Escape closes an open dialog, and has no effect otherwise.
          try party.screen.type(Self.escape)
          try await party.expectWhole("after \(entry.help)")
        }
      }
    }
  }

  @Test("The picture returns after every way to leave the screen, and at every size")
  func absence() async throws {
    try await run(.photograph, "halves") { party in
      let screen = party.screen
      try screen.type("\u{1A}")
      _ = try await screen.row(containing: "Stopped")
      try screen.type("fg\n")
      try await party.expectWhole("after ctrl-z and fg")

      let shell = try screen.command(["display-message", "-p", "#{pane_pid}"])
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let children = try String(
        contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
      let program = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
      #expect(kill(program, SIGSTOP) == 0)
      // The shell has the terminal then, in its former mode: without an echo.
      try await party.wait("the shell has the terminal") { _, _ in
        let status = try String(contentsOfFile: "/proc/\(shell)/stat", encoding: .utf8)
        // The terminal's foreground process group (proc(5), tpgid).
        return status.split(separator: " ")[7] == shell
      }
      // The program may not have read the last key: that is the shell's input now.
      try screen.type("\nclear\n")
      try await party.wait("the shell's screen") { cells, _ in cells.pictureCells == 0 }
      try screen.type("fg\n")
      try await party.expectWhole("after SIGSTOP and fg")

      var before = party.whole.pictureCells
      for (columns, rows) in [("140", "45"), ("80", "24"), ("120", "40")] {
        try screen.command(["resize-window", "-x", columns, "-y", rows])
        let cells = try await party.wait("at \(columns)×\(rows)") { cells, _ in
          cells.pictureCells > 0 && cells.pictureCells != before && cells.holes == 0
        }
        before = cells.pictureCells
      }
      try await party.expectWhole("at its first size")
      try screen.type("\u{0C}")
      try await party.expectWhole("drawn again")
    }
  }
}

extension KeyPress {
  /// The bytes that xterm sends for the key.
  fileprivate var bytes: String {
    let modifier = modifiers.isEmpty ? "" : "1;\(modifiers.rawValue + 1)"
    func tilde(_ number: Int) -> String {
      "\u{1B}[\(number)\(modifiers.isEmpty ? "" : ";\(modifiers.rawValue + 1)")~"
    }
    switch key {
    case .character(let character):
      if modifiers.contains(.control), let byte = character.asciiValue {
        return String(UnicodeScalar(byte & 0x1F))
      }
      return modifiers.contains(.alt) ? "\u{1B}\(character)" : String(character)
    case .up: return "\u{1B}[\(modifier)A"
    case .down: return "\u{1B}[\(modifier)B"
    case .right: return "\u{1B}[\(modifier)C"
    case .left: return "\u{1B}[\(modifier)D"
    case .home: return "\u{1B}[\(modifier)H"
    case .end: return "\u{1B}[\(modifier)F"
    case .pageUp: return tilde(5)
    case .pageDown: return tilde(6)
    case .insert: return tilde(2)
    case .delete: return tilde(3)
    case .backspace: return "\u{7F}"
    case .enter: return "\r"
    case .tab: return "\t"
    case .escape: return "\u{1B}"
    case .function(let number): return tilde(10 + number)
    case .mouse(let button): preconditionFailure("the standard keys include \(button.rawValue)")
    }
  }
}
