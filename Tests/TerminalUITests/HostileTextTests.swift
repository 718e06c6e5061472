import Foundation
import Testing

@testable import TerminalUI

/// Names, messages and titles with control sequences, through the real program on a real terminal.
@Suite("Hostile text on a terminal", .serialized)
struct HostileTextTests {
  /// Possible names of a file: anything but a slash and a zero byte.
  static let weapons: [String] = [
    "\u{1B}[2J\u{1B}[H\u{1B}[31mred", "\u{1B}]0;OWNED\u{7}\u{1B}]2;OWNED\u{1B}\\",
    "\u{9B}31m\u{9D}0;OWNED\u{9C}",
    "\u{1B}[?1049l\u{1B}[?1000h\u{1B}c", "\u{1B}P+q544e\u{1B}\\\u{1B}_Gx\u{1B}\\",
    "a\u{8}\u{8}\u{8}b\r\nc\td\u{B}e",
    "\u{202E}gnp.exe\u{202C}", "\u{2066}a\u{2067}b\u{2068}c\u{2069}",
    "\u{200B}\u{200D}\u{FEFF}\u{2060}x\u{E0041}\u{E007F}",
    "Z" + String(repeating: "\u{301}", count: 80),
    "e" + String(repeating: "\u{FE0F}", count: 60) + "\u{20E3}",
    "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽", "﷽꧅𒐫", "\u{E000}\u{10FFFF}\u{FFFE}", "${path}${=pause} {\\an8\\fs99}{\\p1}m 0 0",
  ]

  /// Returns the column of the frame's last line in a row; nil if there is none.
  private func edge(of row: String) -> Int? {
    row.lastIndex { "│┤".contains($0) }.map { TerminalText(String(row[..<$0])).width }
  }

  @Test("A film, a name and messages with control sequences change only their own cells")
  func weapons() async throws {
    try await Tmux.run(columns: 100, rows: 30) { terminal in
      let program = try ProgramTests.program
      let tone = try ProgramTests.film(in: terminal.folder)
      var films: [String] = []
      for (number, weapon) in Self.weapons.enumerated() {
        let name = "\(number) \(weapon)"
        // A name may have 255 bytes.
        let file = terminal.folder.appendingPathComponent(
          String(decoding: name.utf8.prefix(240), as: UTF8.self) + ".wav")
        // Each has another sound, or they would all be one film.
        try (Data(contentsOf: URL(fileURLWithPath: tone)) + [UInt8(number)]).write(to: file)
        films.append(file.path)
      }
      // A script passes the arguments, since the shell's line can't have such bytes.
      let script = terminal.folder.appendingPathComponent("run")
      let quoted = films.map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }
      let name = Self.weapons[0] + Self.weapons[1] + Self.weapons[6] + "Ana"
      try Data(
        "exec '\(program)' host \(ProgramTests.options) --listen 127.0.0.1:0 --name '\(name)' \(quoted.joined(separator: " "))\n"
          .utf8
      ).write(to: script)
      try terminal.type("sh '\(script.path)'")
      try terminal.press("Enter")
      // The title may be there before the invite: Escape would be too early.
      try await terminal.wait("the invite") { $0.joined().contains("Anyone with") }
      try terminal.press("Escape")
      try await terminal.wait("the invite to be closed") { !$0.joined().contains("Anyone with") }
      for number in Self.weapons.indices {
        try await terminal.wait("film \(number)") { $0[0].hasPrefix(" matinee   \(number)") }
        try terminal.press("t")
        try terminal.type("line \(number).")
        try terminal.press("Enter")
        try await terminal.wait("line \(number)") { $0.joined().contains("line \(number).") }
        let screen = try terminal.screen()
        let edges = Set(screen.dropFirst(2).prefix(15).map(edge))
        // All rows have the same edge: no text has shifted it.
        #expect(
          edges.count == 1 && !edges.contains(nil),
          "film \(number):\n\(screen.joined(separator: "\n"))")
        #expect(!screen.joined().unicodeScalars.contains { (0x80...0x9F).contains($0.value) })
        // The terminal's title is Matinee's, with the film's in it as text.
        let title = try terminal.format("#{pane_title}")
        #expect(title.hasPrefix("\(number)") && title.hasSuffix(" - matinee"), "\(title)")
        #expect(try terminal.format("#{alternate_on}") == "1")
        guard number + 1 < Self.weapons.count else { break }
        try terminal.press("t")
        try terminal.type("/next")
        try terminal.press("Enter")
      }
      try terminal.press("q")
      try await terminal.waitForPrompt()
      #expect(try terminal.format("#{alternate_on}#{mouse_any_flag}") == "00")
    }
  }
}
