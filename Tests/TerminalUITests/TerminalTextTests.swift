import Testing

@testable import TerminalUI

@Suite("Text that is safe to show")
struct TerminalTextTests {
  @Test("No text can control a terminal or has an unknown width")
  func cleansEverything() {
    // Every scalar. Han and Hangul, nine tenths of them, are sampled.
    let all = Array(UInt32(0)...0x10FFFF).filter {
      !(0x4E10..<0x9F00).contains($0) && !(0xAC10..<0xD700).contains($0)
        && !(0x2_0010..<0x3_3000).contains($0)
    }
    for value in all {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if value > 0x3_4000, value < 0xE_0000 || value > 0xE_1000, value % 257 != 0 { continue }
      // After a letter marks count, too.
      for glyph in Glyph.glyphs(for: Character(scalar)) + TerminalText("a" + String(scalar)).glyphs
      {
        let isClean =
          glyph.text.unicodeScalars.allSatisfy(isShowable) && (1...2).contains(glyph.width)
        if !isClean { Issue.record("U+\(String(value, radix: 16)) gives \(glyph)") }
      }
    }
  }

  private func isShowable(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20...0x7E).contains(scalar.value) { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      return false
    default: return true
    }
  }

  @Test(
    "Escape sequences lose their control characters",
    arguments: [
      ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"), ("\u{1B}]0;title\u{7}x", "]0;titlex"),
      ("\u{9B}2Jx", "2Jx"), ("a\u{85}b", "a b"), ("a\r\nb\tc", "a b c"), ("\u{0}\u{7F}", ""),
      ("\u{202E}abc\u{202C}", "abc"), ("\u{2066}a\u{2069}\u{200F}", "a"),
      ("\u{FEFF}a\u{200B}b", "ab"),
      ("\u{E0041}a", "a"), ("\u{2028}", " "), ("\u{F8FF}", "\u{FFFD}"),
    ])
  func stripsControls(text: String, cleaned: String) {
    #expect(TerminalText(text).description == cleaned)
  }

  @Test(
    "Widths agree with terminals",
    arguments: [
      ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧‍👦", 8), ("👍🏽", 2), ("🇩🇪", 2), ("❤️", 1), ("1️⃣", 1),
      ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾊﾝ", 2), ("（", 2), ("\u{3000}", 2), ("क्षि", 3),
      ("🫨", 2), ("−±×…●◐◌━", 8),
    ])
  func widths(text: String, width: Int) {
    #expect(TerminalText(text).width == width)
  }

  @Test(
    "Composed emoji show each of their parts, and flags their letters",
    arguments: [
      ("👩‍👩‍👧‍👦", "👩👩👧👦"), ("🏳️‍🌈", "🏳🌈"), ("👩🏽‍🚀", "👩🚀"), ("🇩🇪", "DE"), ("👍🏽", "👍"), ("🤷‍♀️", "🤷♀"),
      ("1️⃣", "1"),
    ])
  func emoji(text: String, shown: String) {
    let text = TerminalText("a" + text + "b")
    #expect(text.description == "a\(shown)b")
    // They stay together when lines are wrapped.
    let following = text.glyphs.dropFirst(2).dropLast()
    #expect(following.allSatisfy { $0.continues })
  }

  @Test("Excessive marks are limited, and marks without a letter are removed")
  func marks() {
    let tower = "o" + String(repeating: "\u{301}", count: 500)
    #expect(TerminalText(tower).description.unicodeScalars.count == 1 + Glyph.maximumMarks)
    #expect(TerminalText("\u{301}\u{301}").isEmpty)
  }

  @Test("A huge text costs no more than a long one")
  func bounded() {
    #expect(TerminalText(String(repeating: "x", count: 100_000)).width == 4096)
    #expect(TerminalText(String(repeating: "\u{301}", count: 100_000) + "x").isEmpty)
  }

  @Test("Clipping never cuts a wide character in half, and adds a sign")
  func clips() {
    #expect(TerminalText("日本語").clipped(to: 5, with: "…").description == "日本…")
    #expect(TerminalText("日本語").clipped(to: 4, with: "…").description == "日…")
    #expect(TerminalText("日本語").clipped(to: 6, with: "…").description == "日本語")
    #expect(TerminalText("ab cd").clipped(to: 4, with: "…").description == "ab…")
    #expect(TerminalText("abc").clipped(to: 1, with: "…").description == "…")
    #expect(TerminalText("abc").clipped(to: 0, with: "…").isEmpty)
    #expect(TerminalText("🇩🇪").prefix(columns: 1).width <= 1)
    #expect(TerminalText("a🇩🇪").prefix(columns: 2).description == "a")
    #expect(TerminalText("日本語").suffix(columns: 5).description == "本語")
  }

  @Test("Wrapping breaks at blanks, splits only words without room, and loses nothing else")
  func wraps() {
    let text = TerminalText("the quick brown fox")
    #expect(text.wrapped(to: 10).map(\.description) == ["the quick", "brown fox"])
    #expect(text.wrapped(to: 9).map(\.description) == ["the quick", "brown fox"])
    #expect(text.wrapped(to: 10, first: 4).map(\.description) == ["the", "quick", "brown fox"])
    #expect(TerminalText("abcdefgh").wrapped(to: 3).map(\.description) == ["abc", "def", "gh"])
    #expect(TerminalText("").wrapped(to: 3) == [.empty])
    #expect(TerminalText("日本語").wrapped(to: 1).allSatisfy { $0.width <= 1 })
  }

  @Test("Lines are never wider than requested", arguments: 1...40)
  func wrapsWithin(columns: Int) {
    let text = TerminalText("日本語 and a verylongwordwithoutblanks 👩‍👩‍👧‍👦 🇩🇪🇫🇷   end  of\tit")
    for first in [columns, max(0, columns - 3), 0] {
      let lines = text.wrapped(to: columns, first: first)
      #expect(lines.allSatisfy { $0.width <= columns })
      #expect(lines[0].width <= first)
      if columns >= 2 {
        let shown = lines.flatMap(\.glyphs).filter { $0 != .space }
        #expect(shown == text.glyphs.filter { $0 != .space })
      }
    }
    if columns > 1 {
      let chopped = text.chopped(to: columns)
      #expect(chopped.flatMap(\.glyphs) == text.glyphs)
      #expect(chopped.allSatisfy { $0.width <= columns })
    }
  }
}
