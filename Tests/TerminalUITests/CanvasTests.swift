import Testing

@testable import TerminalUI

@Suite("The canvas")
struct CanvasTests {
  private let line = Rect(column: 0, row: 0, width: 6, height: 1)

  @Test("Drawing over half of a wide character blanks the other half")
  func wideHalves() {
    var canvas = Canvas(size: ScreenSize(columns: 6, rows: 1))
    canvas.draw("日本語", in: line)
    #expect(canvas.text == ["日本語"])
    canvas.draw("x", in: Rect(column: 1, row: 0, width: 1, height: 1))
    #expect(canvas.text == [" x本語"])
    canvas.draw("y", in: Rect(column: 2, row: 0, width: 1, height: 1))
    #expect(canvas.text == [" xy 語"])
    canvas.draw("字", in: Rect(column: 3, row: 0, width: 2, height: 1))
    #expect(canvas.text == [" xy字 "])
  }

  @Test("A wide character that doesn't fit is left out")
  func noRoom() {
    var canvas = Canvas(size: ScreenSize(columns: 6, rows: 1))
    let end = canvas.draw("a日", in: Rect(column: 4, row: 0, width: 2, height: 1))
    #expect(end == 5)
    #expect(canvas.text == ["    a "])
  }

  @Test("Nothing is drawn outside the canvas")
  func clipped() {
    var canvas = Canvas(size: ScreenSize(columns: 3, rows: 1))
    canvas.draw("日本語", in: Rect(column: -1, row: 0, width: 9, height: 1))
    canvas.draw("abc", in: Rect(column: 0, row: 1, width: 3, height: 1))
    canvas.draw("abc", in: Rect(column: 0, row: -1, width: 3, height: 1))
    canvas.fill(Rect(column: 2, row: 0, width: 9, height: 9), with: "─")
    #expect(canvas.text == ["  ─"])
    #expect(TerminalText(canvas.text[0]).width == 3)
  }

  @Test("Without Unicode every cell is ASCII and as wide as before")
  func ascii() {
    var canvas = Canvas(size: ScreenSize(columns: 12, rows: 3), symbols: .ascii)
    canvas.drawFrame(Rect(column: 0, row: 0, width: 12, height: 3), title: "é")
    canvas.draw("日“a”…é", in: Rect(column: 1, row: 1, width: 10, height: 1))
    #expect(canvas.text == ["+- ? ------+", "|??\"a\"~?   |", "+----------+"])
  }

  @Test("A frame has its title and its corners", arguments: 2...20)
  func frame(width: Int) {
    var canvas = Canvas(size: ScreenSize(columns: width, rows: 3))
    canvas.drawFrame(canvas.bounds, title: "Watching")
    #expect(canvas.text.allSatisfy { TerminalText($0).width == width })
    #expect(canvas.text[0].first == "╭" && canvas.text[0].last == "╮")
    #expect(canvas.text[2].first == "╰" && canvas.text[2].last == "╯")
  }

  @Test("Changes reach from a row's first different cell to its end")
  func changes() {
    let before = Canvas(size: ScreenSize(columns: 6, rows: 3))
    var after = before
    #expect(after.changes(from: before) == nil)
    after.draw("ab", in: Rect(column: 3, row: 1, width: 2, height: 1))
    // One more on the left: half of a wide character may be there.
    #expect(
      after.changes(from: before)
        == ScreenChanges(areas: [Rect(column: 2, row: 1, width: 4, height: 1)]))
    var moved = before
    moved.cursor = ScreenPoint(column: 1, row: 1)
    #expect(moved.changes(from: before) == ScreenChanges())
  }

  @Test("The picture's cells keep their style when the rest of the screen is dimmed")
  func restyling() {
    var canvas = Canvas(size: ScreenSize(columns: 6, rows: 2))
    canvas.reservePicture(Rect(column: 1, row: 0, width: 4, height: 1))
    let before = canvas
    canvas.restyle(canvas.bounds) { $0 = .quiet }
    #expect(canvas.row(0)[1...4] == before.row(0)[1...4])
    #expect(canvas.row(0)[5].style == .quiet)
  }
}
