import Testing

@testable import TerminalUI

@Suite("Subtitles")
struct SubtitlesTests {
  @Test(
    "keep the lines of their author",
    arguments: [
      ("“Who’s there?”\nNobody answered.", ["“Who’s there?”", "Nobody answered."]),
      ("– Yes?\r\n– No.", ["– Yes?", "– No."]),
      ("First\n\n  Second  \n", ["First", "Second"]), ("a\u{2028}b", ["a", "b"]), ("", []),
      (" \n ", []), ("C:\\New", ["C:\\New"]),
    ])
  func lines(text: String, lines: [String]) {
    #expect(Subtitles(text: text).lines.map(\.description) == lines)
  }

  private func rows(_ text: String, columns: Int, limit: Int) -> [String] {
    Subtitles(text: text).rows(columns: columns, limit: limit, ellipsis: "…").map(\.description)
  }

  @Test("are wrapped only if a line is too long, into rows of similar length")
  func wraps() {
    let long = "It was the best of times, it was the worst of times"
    #expect(rows("Short\nlines", columns: 40, limit: 4) == ["Short", "lines"])
    #expect(
      rows(long, columns: 48, limit: 4) == [
        "It was the best of times,", "it was the worst of times",
      ])
    #expect(
      rows("– Ah.\n" + long, columns: 48, limit: 4)
        == ["– Ah.", "It was the best of times,", "it was the worst of times"])
  }

  @Test("leave out the first lines if there is no room, never a part of the last, and show it")
  func tooMany() {
    #expect(rows("one\ntwo\nthree\nfour", columns: 20, limit: 2) == ["…three", "four"])
    #expect(
      rows("an old long line here\nthe last long line", columns: 12, limit: 3)
        == ["…the last", "long line"])
    #expect(rows("aaaa bbbb cccc dddd", columns: 4, limit: 2) == ["…cccc", "dddd"])
    #expect(rows("one", columns: 0, limit: 2).isEmpty && rows("one", columns: 9, limit: 0).isEmpty)
  }

  @Test("have fitting rows and all their words at every width", arguments: 5...60)
  func fits(columns: Int) {
    let text = Subtitles(text: "– It was the best of times, wasn’t it?\n– 日本語 and 👩‍🚀 say so.")
    let rows = text.rows(columns: columns, limit: 100, ellipsis: "…")
    #expect(rows.allSatisfy { $0.width <= columns })
    let shown = rows.flatMap(\.glyphs).filter { $0 != .space }
    #expect(shown == text.lines.flatMap(\.glyphs).filter { $0 != .space })
  }

  @Test("are bounded if they are malicious")
  func bounded() {
    let text = Subtitles(text: String(repeating: "x\n", count: 10_000) + "\u{1B}[2J")
    #expect(text.lines.count == Subtitles.maximumLines)
    #expect(Subtitles(text: String(repeating: "x", count: 10_000)).lines[0].width == 500)
  }
}
