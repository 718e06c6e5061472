import ScreenDemo
import Testing

@testable import TerminalUI

@Suite("The invite as a QR code")
struct QRCodeTests {
  private func canvas(_ columns: Int, _ rows: Int, _ symbols: GlyphSet = .unicode) -> Canvas {
    var screen = TestScreen()
    screen.size = ScreenSize(columns: columns, rows: rows)
    screen.press("I")
    return screen.canvas(symbols)
  }

  /// The code's cells, row by row.
  private func cells(of canvas: Canvas) -> [[Canvas.Cell]] {
    (0..<canvas.size.rows).map { canvas.row($0).filter { $0.style == .code } }
      .filter { !$0.isEmpty }
  }

  @Test("is below the invite, black on white, with every module and its quiet zone")
  func modules() throws {
    let code = try #require(QRCode(Samples.invite))
    let cells = cells(of: canvas(120, 50))
    #expect(cells.count == (code.size + 1) / 2 && cells.allSatisfy { $0.count == code.size })
    for row in 0..<code.size {
      for column in 0..<code.size {
        let glyph = try #require(cells[row / 2][column].glyph?.text)
        let isDark = glyph == "█" || glyph == (row % 2 == 0 ? "▀" : "▄")
        #expect(isDark == code.isDark(column: column, row: row))
        let isInside = [column, row].allSatisfy { (4..<code.size - 4).contains($0) }
        #expect(isInside || !isDark)
      }
    }
    // The three corners of every code are dark squares of seven modules.
    for (column, row) in [(4, 4), (code.size - 11, 4), (4, code.size - 11)] {
      #expect((0..<7).allSatisfy { code.isDark(column: column + $0, row: row) })
      #expect((0..<7).allSatisfy { code.isDark(column: column, row: row + $0) })
    }
    #expect((code.size - 2 * 4 - 17) % 4 == 0)
  }

  @Test("leaves the invite, the remarks and the keys as they are")
  func screen() throws {
    let text = canvas(120, 50).text
    let row = try #require(text.firstIndex { $0.contains(Samples.invite) })
    #expect(text[row - 2].contains("Anyone with this link can join. Send it to your friends:"))
    let size = try #require(QRCode(Samples.invite)).size
    let keys = row + 1 + 1 + (size + 1) / 2 + 1
    #expect(text[keys].contains("c copy   s save to a file   p for a browser   esc close"))
    #expect(text[row + 3...keys - 3].contains { $0.contains("█▀▀▀▀▀█") })
  }

  @Test("isn't shown in part, nor without Unicode", arguments: [(80, 24), (120, 30), (44, 60)])
  func small(columns: Int, rows: Int) {
    #expect(cells(of: canvas(columns, rows)).isEmpty)
    #expect(cells(of: canvas(120, 50, .ascii)).isEmpty)
    let letters = canvas(columns, rows).text.joined().filter { $0 != " " }
    #expect(letters.contains(Samples.invite))
  }

  @Test("has no form for a text that is too long")
  func tooLong() {
    #expect(QRCode(String(repeating: "a", count: 2953)) != nil)
    #expect(QRCode(String(repeating: "a", count: 2954)) == nil)
  }
}
