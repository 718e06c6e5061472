import Testing

@testable import TerminalUI

@Suite("Right-to-left text")
struct BidirectionalTests {
  private func visual(_ text: String) -> String {
    VisualLine(TerminalText(text)).glyphs.map(\.text).joined()
  }

  @Test(
    "is shown in the order of the Unicode Bidirectional Algorithm",
    arguments: [
      // A line of Hebrew: the last word is at the left, and so is the full stop.
      ("שלום עולם.", ".םלוע םולש"),
      // Numbers and foreign words in it keep their order; brackets open towards their contents.
      ("שלום 123 (abc) עולם", "םלוע (abc) 123 םולש"),
      // Hebrew in a line of English.
      ("He said שלום עולם, twice.", "He said םלוע םולש, twice."),
      ("price: 25 שקל (בערך)", "price: 25 (ךרעב) לקש"), ("plain text", "plain text"),
      ("日本 שלום", "日本 םולש"), ("", ""),
      // A letter keeps its marks.
      ("שָׁלוֹם", "םוֹלשָׁ"),
    ])
  func order(text: String, seen: String) {
    #expect(visual(text) == seen)
  }

  @Test("has Arabic letters in their joined forms")
  func arabic() {
    // From the left: final meem, medial lam, initial seen.
    #expect(visual("سلم") == "\u{FEE2}\u{FEE0}\u{FEB3}")
    // No ligature: every letter keeps its column.
    #expect(visual("لا") == "\u{FE8E}\u{FEDF}")
    // Persian separates two letters of a word by a sign that isn't shown.
    #expect(visual("می\u{200C}خ") == "\u{FEA5}\u{FBFD}\u{FEE3}")
    #expect(visual("میخ") == "\u{FEA6}\u{FBFF}\u{FEE3}")
  }

  @Test("keeps its width for every text", arguments: HostileTextTests.weapons)
  func hostile(text: String) {
    for text in [TerminalText(text), TerminalText("שלום " + text + " سلام")] {
      let line = VisualLine(text)
      #expect(line.glyphs.reduce(0) { $0 + $1.width } == text.width)
      #expect(line.indices.sorted() == Array(text.glyphs.indices))
    }
  }

  private let row = Rect(column: 0, row: 0, width: 20, height: 1)

  private func canvas(order: TextOrder = .visual) -> Canvas {
    var symbols = GlyphSet.unicode
    symbols.order = order
    return Canvas(size: ScreenSize(columns: 20, rows: 2), symbols: symbols)
  }

  @Test("doesn't reorder the text beside it")
  func isolation() {
    var canvas = canvas()
    canvas.draw(StyledLine("עומר 2", .strong).adding(": ").adding("12 (ok)"), in: row)
    #expect(canvas.text[0].hasPrefix("2 רמוע: 12 (ok)"))
    // The blank between a name and Matinee's words.
    canvas.draw(StyledLine("עומר ", .strong).adding("opened"), in: row)
    #expect(canvas.text[0].hasPrefix("רמוע opened"))
  }

  @Test("isn't reordered for terminals that order text themselves")
  func logical() {
    var canvas = canvas(order: .logical)
    canvas.draw("שלום", in: row)
    #expect(canvas.text[0].hasPrefix("שלום"))
  }

  @Test("is cut at its end, which is on the left")
  func clipping() {
    var canvas = canvas()
    let narrow = Rect(column: 0, row: 0, width: 6, height: 1)
    canvas.draw("אבגדהוזח", in: narrow)
    #expect(canvas.text[0].hasPrefix("והדגבא "))
    canvas.draw(TerminalText("אבגדהוזח").clipped(to: 6, with: "…"), in: narrow)
    #expect(canvas.text[0].hasPrefix("…הדגבא "))
  }

  @Test("is wrapped before it is ordered, and every line has the direction of the whole")
  func wrapping() {
    var canvas = canvas()
    let lines = TerminalText("אחת שתיים VLC שלוש.").wrapped(to: 10)
    #expect(lines.map(\.description) == ["אחת שתיים", "VLC שלוש."])
    for (index, line) in lines.enumerated() {
      canvas.draw(line, in: Rect(column: 0, row: index, width: 20, height: 1))
    }
    #expect(canvas.text[0].hasPrefix("םייתש תחא"))
    #expect(canvas.text[1].hasPrefix(".שולש VLC"))
  }

  @Test("as a name doesn't change the direction of a sentence that it begins")
  func sentences() {
    let name = TerminalText("עומר")
    for text in [name + " joined", "\(name) joined", TerminalText("\(name) joined")] {
      #expect(text.direction == .leftToRight)
      #expect(VisualLine(text).glyphs.map(\.text).joined() == "רמוע joined")
    }
    #expect(TerminalText("“\(name)”").direction == .rightToLeft)
  }

  @Test("can be edited with the cursor on the right letter")
  func prompt() throws {
    var editor = LineEditor("abc")
    #expect(try cursor(editor) == (3, "abc "))
    editor = LineEditor("אבג")
    // At the end, which is on the left.
    #expect(try cursor(editor) == (0, " גבא"))
    editor.moveLeft()
    #expect(try cursor(editor) == (1, " גבא"))
    editor.moveToStart()
    #expect(try cursor(editor) == (3, " גבא"))
    editor = LineEditor("ab אב")
    #expect(try cursor(editor) == (5, "ab בא "))
    editor.moveLeft()
    #expect(try cursor(editor) == (3, "ab בא "))
    // A long line: the cursor stays visible.
    editor = LineEditor(String(repeating: "אבג ", count: 30))
    #expect(try cursor(editor).0 == 0)
    editor.moveToStart()
    #expect(try cursor(editor).1.hasSuffix("אבג גבא") == false)
  }

  /// The cursor's column from the prompt's sign, and the text after it.
  private func cursor(_ editor: LineEditor) throws -> (Int, String) {
    var prompt = Prompt(.chat)
    prompt.editor = editor
    var canvas = Canvas(size: ScreenSize(columns: 40, rows: 1))
    PromptView(prompt: prompt).draw(in: canvas.bounds, on: &canvas)
    let cursor = try #require(canvas.cursor)
    let start = TerminalText(canvas.text[0].components(separatedBy: "› ")[0]).width + 2
    let rest = canvas.text[0].components(separatedBy: "› ")[1]
    let length = editor.text.count + 1
    return (cursor.column - start, String(rest.prefix(length)))
  }

  @Test("has the letters of each word reversed for kitty, which reverses them again")
  func kitty() {
    var canvas = canvas(order: .visualWords)
    canvas.draw("a שלום, עולם 12", in: row)
    let cells = VisualWords.turned(canvas.row(0))
    let sent = cells.compactMap { $0.glyph?.text }.joined()
    #expect(sent.hasPrefix("a 12 עולם ,שלום"))
    // The comma has no word's font, so that no reversal includes it.
    #expect(cells.filter { $0.style.attributes.contains(.italic) }.map { $0.glyph?.text } == [","])
  }

  @Test(
    "is ordered by Matinee unless the terminal always does it",
    arguments: [
      ("xterm-256color", [:], TextOrder.visual), ("foot", [:], .visual),
      ("xterm-256color", ["VTE_VERSION": "7006"], .visual),
      ("tmux-256color", ["VTE_VERSION": "7006", "TMUX": "/tmp/x"], .logical),
      ("tmux-256color", ["VTE_VERSION": "5202", "TMUX": "/tmp/x"], .visual),
      ("xterm-256color", ["KONSOLE_VERSION": "221203"], .logical), ("mlterm", [:], .logical),
      ("xterm-256color", ["TERM_PROGRAM": "Apple_Terminal"], .logical),
      ("xterm-kitty", [:], .visualWords),
      ("xterm-256color", ["KITTY_WINDOW_ID": "1"], .visualWords),
    ])
  func terminals(type: String, variables: [String: String], order: TextOrder) {
    let environment = TerminalEnvironment(
      type: type, variables: { variables[$0] }, codeset: "UTF-8")
    #expect(environment.textOrder == order)
    let modes = TerminalModes(environment: environment)
    // The terminal is asked not to order text, and allowed to do so at the end.
    #expect(
      String(decoding: modes.enter, as: UTF8.self).contains("\u{1B}[8l") == (order != .logical))
    #expect(
      String(decoding: modes.leave, as: UTF8.self).contains("\u{1B}[8h") == (order != .logical))
    #expect(
      String(decoding: modes.reset, as: UTF8.self).contains("\u{1B}[8h") == (order != .logical))
  }
}
