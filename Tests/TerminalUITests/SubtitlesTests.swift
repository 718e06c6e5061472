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
      (" \n ", []), ("C:\\Old", ["C:\\Old"]),
    ])
  func lines(text: String, lines: [String]) {
    #expect(Subtitles(markup: text).lines.map(\.text.description) == lines)
  }

  private func rows(_ text: String, columns: Int, limit: Int) -> [String] {
    Subtitles(markup: text).rows(columns: columns, limit: limit, ellipsis: "…").map(\.description)
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
    let text = Subtitles(markup: "– It was the best of times, wasn’t it?\n– 日本語 and 👩‍🚀 say so.")
    let rows = text.rows(columns: columns, limit: 100, ellipsis: "…")
    #expect(rows.allSatisfy { $0.width <= columns })
    let shown = rows.flatMap(\.glyphs).filter { $0 != .space }
    #expect(shown == text.lines.flatMap(\.text.glyphs).filter { $0 != .space })
  }

  @Test("are bounded if they are malicious")
  func bounded() {
    let text = Subtitles(markup: String(repeating: "x\n", count: 10_000) + "\u{1B}[2J")
    #expect(text.lines.count == Subtitles.maximumLines)
    #expect(Subtitles(markup: String(repeating: "x", count: 10_000)).lines[0].text.width == 500)
  }

  @Test("keep the colours, the weight and the slant of their tags, and nothing else of them")
  func looks() {
    typealias Look = Glyph.Look
    func parts(_ markup: String) -> [(String, Look?)] {
      let glyphs = Subtitles(markup: markup).lines.flatMap(\.text.glyphs)
      return glyphs.filter { $0 != .space }.map { ($0.text, $0.look) }
    }
    for (markup, look) in [
      (#"{\c&HFFFF&}a"#, Look(color: 3)),
      (#"{\1c&H0000FF&\b1}a"#, Look(color: 1, isBold: true)),
      (#"{\i1}{\u1}a"#, Look(isItalic: true, isUnderlined: true)),
      (#"{\b700}a"#, Look(isBold: true)),
      (#"{\c&HFFFFFF&}a"#, nil), (#"{\c&H808080&}a"#, nil), (#"{\c&HFF0000&}{\c}a"#, nil),
      (#"{\i1}{\i0}a"#, nil), (#"{\i1\rTop}a"#, nil),
      (#"{\bord4\blur2\pos(1,2)\clip(1,2,3,4)}a"#, nil),
      (#"{\alpha&HFF&\an7\fnArial\k20}a"#, nil), (#"{a remark}a"#, nil),
    ] as [(String, Look?)] {
      let parts = parts(markup)
      #expect(parts.map(\.0) == ["a"] && parts.first?.1 == look, "\(markup): \(parts)")
    }
    #expect(Subtitles(markup: #"{\p1}m 0 0 l 9 9{\p0}b"#).lines.map(\.text.description) == ["b"])
    #expect(Subtitles(markup: #"{\p1}m 0 0 l 9 9"#).lines.isEmpty, "a drawing only")
    #expect(
      Subtitles(markup: #"{\i1}one\Ntwo\h\{3\}"#).lines.map(\.text.description) == [
        "one", "two {3}",
      ])
    #expect(Subtitles(markup: "{never closed").lines.map(\.text.description) == ["{never closed"])
    // An event doesn't change the next one.
    #expect(parts("{\\i1}a\nb").map(\.1) == [Look(isItalic: true), nil])
  }

  @Test("with many braces are read in one pass", .timeLimit(.minutes(1)))
  func braces() {
    #expect(Subtitles(markup: String(repeating: "{", count: 100_000)).lines.count == 1)
    #expect(Subtitles(markup: String(repeating: "{}\n", count: 100_000) + "late").lines.isEmpty)
  }

  @Test("are wrapped with their looks")
  func wrapsLooks() {
    let rows = Subtitles(markup: #"{\c&HFF&}red words that wrap"#)
      .rows(columns: 10, limit: 4, ellipsis: "…")
    #expect(
      rows.count == 2 && rows.flatMap(\.glyphs).allSatisfy { $0 == .space || $0.look?.color == 1 })
  }

  @Test("with styles or another size are drawn into pictures in which their letters can be read")
  func drawn() {
    func areDrawn(_ scale: Double, _ height: Int, areStyled: Bool = false) -> Bool {
      Subtitles.areDrawn(scale: scale, areStyled: areStyled, height: height)
    }
    #expect(!areDrawn(1, 1080), "text of the terminal is sharper")
    #expect(areDrawn(1.2, 270) && areDrawn(2, 112) && areDrawn(1, 270, areStyled: true))
    #expect(!areDrawn(2, 88) && !areDrawn(0.5, 270) && !areDrawn(1, 112, areStyled: true))
  }

  @Test("leave the rows free that drawn ones cover")
  func drawnRows() {
    var subtitles = Subtitles(markup: "one\\Ntwo\n{\\an8}a sign")
    #expect(subtitles.drawnRows(of: 40) == 0, "they are text")
    subtitles.drawnScale = 1.5
    #expect(subtitles.drawnRows(of: 40) == 13)
    #expect(subtitles.drawnRows(of: 2) == 1)
  }
}
