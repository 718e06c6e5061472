import Foundation
import ProcessTesting
import Testing

/// A paused film shows faults that a moving one hides: pixels that the terminal has lost and that
/// weren't sent again.
///
/// The tests use screenshots of the display: four colours, each of which has to be as large and in
/// the same place after each drawing over the picture.
@Suite("A paused picture of pixels in kitty", .serialized)
struct StillPixelsTests {
  private static let escape = "\u{1B}[27u"
  private static let colors = [[32, 64, 96], [96, 64, 32], [32, 96, 64], [96, 32, 96]]

  private static let film = Result {
    let file = Clips.folder.appendingPathComponent("still-quarters.mkv").path
    let sources = colors.flatMap { color in
      let name = color.map { String($0 + 0x100, radix: 16).dropFirst() }.joined()
      return ["-f", "lavfi", "-i", "color=0x\(name):s=160x90:r=1:d=600"]
    }
    try Clips.ffmpeg(
      sources + [
        "-filter_complex", "[0][1]hstack[a];[2][3]hstack[b];[a][b]vstack,format=yuv444p", "-c:v",
        "libx264", "-preset", "ultrafast", "-qp", "0", "-g", "30", file,
      ])
    return file
  }

  /// The size and the place of each colour on the display.
  private struct Shares: Equatable, CustomStringConvertible {
    private(set) var all: [(share: Double, column: Double, row: Double)]

    init(_ screenshot: Screenshot) {
      all = StillPixelsTests.colors.map { screenshot.area(of: $0) }
    }

    var isThere: Bool { all.allSatisfy { $0.share > 0.015 } }
    var isGone: Bool { all.allSatisfy { $0.share < 0.001 } }
    var description: String { "\(all)" }

    static func == (a: Shares, b: Shares) -> Bool {
      zip(a.all, b.all).allSatisfy { a, b in
        abs(a.share - b.share) <= 0.0005 * b.share && abs(a.column - b.column) <= 0.2
          && abs(a.row - b.row) <= 0.2
      }
    }
  }

  /// A party's host in kitty, the film paused and the invite closed.
  private struct Party {
    let kitty: Kitty
    private(set) var whole = Shares(Screenshot(width: 1, pixels: []))

    init() async throws {
      kitty = try Kitty(columns: 110, rows: 38)
      let script = kitty.folder.appendingPathComponent("run")
      try """
      exec '\(try MatineeProcess.executable.path)' host '\(try StillPixelsTests.film.get())' \
      --video terminal --no-config --mpv ao=null
      """.write(to: script, atomically: true, encoding: .utf8)
      try await kitty.wait(for: "the shell") { $0.contains("$ ") }
      try kitty.type("sh \(script.path)\r")
      try await kitty.wait(for: "the invite") { $0.contains("matinee://") }
      try kitty.type(StillPixelsTests.escape)
      try await kitty.wait(for: "the closed invite") { !$0.contains("matinee://") }
      try redraw()
      whole = try await seen("the whole picture") { $0.isThere }
      // Drawn again, so that this is the final picture.
      try redraw()
      whole = try await seen("the whole picture") { $0.isThere && $0.all[0].share > 0.05 }
    }

    func redraw() throws { try kitty.type("\u{0C}") }

    func type(_ text: String) throws { try kitty.type(text) }

    @discardableResult
    func seen(_ situation: String, until isWanted: (Shares) -> Bool) async throws -> Shares {
      var shares: Shares?
      return try await MatineeProcess.find(
        "\(situation): \(shares, default: "-") instead of \(whole)\n\(try kitty.text())"
      ) {
        let now = Shares(try kitty.display.screenshot())
        shares = now
        return isWanted(now) ? now : nil
      }
    }

    func wait(for words: String) async throws {
      try await kitty.wait(for: words) { $0.contains(words) }
    }

    func expectWhole(_ situation: String) async throws {
      try await seen("after \(situation)") { $0 == whole }
    }
  }

  @Test("The picture is whole after other text is drawn over it, and after its removal")
  func drawnOver() async throws {
    let party = try await Party()
    for (key, words) in [("I", "matinee://"), ("?", "Keys"), ("l", "Playlist")] {
      try party.type(key)
      try await party.wait(for: words)
      try await party.seen("\(key) covers it") { $0 != party.whole }
      try party.type(Self.escape)
      try await party.expectWhole(words)
    }
    for number in 1...40 { try party.type("tline \(number)\r") }
    try await party.wait(for: "line 40")
    try await party.expectWhole("40 lines of chat")

    // The chat message after the reactions appears after them.
    try party.type("r1r4tafter both\r")
    try await party.wait(for: "after both")
    try await party.expectWhole("reactions")

    try party.type("D")
    try await party.wait(for: "pen")
    try party.type(" " + String(repeating: "\u{1B}[C", count: 20) + " ")
    try await party.seen("a line over it") { $0 != party.whole }
    try party.type("u\(Self.escape)")
    try await party.expectWhole("a drawing")

    try party.type("\u{0C}")
    try await party.expectWhole("ctrl-l")
  }

  @Test("The picture returns after a resize and from the shell, and leaves no trace there")
  func absence() async throws {
    let party = try await Party()
    try party.kitty.resize(columns: 60, rows: 21)
    try await party.seen("a smaller picture") {
      $0.isThere && $0.all[0].share < 0.8 * party.whole.all[0].share
    }
    try party.kitty.resize(columns: 110, rows: 38)
    try await party.expectWhole("the old size")
    try party.type("\u{1A}")
    try await party.wait(for: "Stopped")
    try await party.seen("the shell alone") { $0.isGone }
    try party.type("fg\r")
    try await party.expectWhole("fg")
    try party.type("q")
    try await party.kitty.wait(for: "the shell") { $0.contains("$ ") }
    try await party.seen("the shell alone") { $0.isGone }
  }
}
