import Testing

@testable import TerminalUI

@Suite("The picture's area in the pane")
struct PictureViewTests {
  private func canvas(
    _ columns: Int, _ rows: Int, width: Int = 1920, height: Int = 1080,
    subtitles: Subtitles = Subtitles(), overlay: ScreenState.Overlay? = nil,
    symbols: GlyphSet = .unicode
  ) -> Canvas {
    let model = ScreenModel(
      item: ItemModel(title: "Countdown"),
      picture: PictureModel(width: width, height: height, subtitles: subtitles))
    var state = ScreenState()
    state.overlay = overlay
    return ScreenView(model: model, state: state)
      .canvas(size: ScreenSize(columns: columns, rows: rows), symbols: symbols)
  }

  @Test(
    "has the film's shape and lies in the pane",
    arguments: [(80, 24), (120, 40), (200, 60), (66, 20), (48, 30), (300, 100)])
  func shape(columns: Int, rows: Int) throws {
    for (width, height) in [(1920, 1080), (4, 3), (1, 2), (2390, 1000)] {
      let canvas = canvas(columns, rows, width: width, height: height)
      let area = try #require(canvas.pictureArea)
      let layout = ScreenLayout(
        size: canvas.size,
        model: ScreenModel(
          item: ItemModel(title: "Countdown"), picture: PictureModel(width: width, height: height)),
        state: ScreenState())
      #expect(layout.paneRows.intersection(area) == area)
      let wanted = Double(width) / Double(height)
      let most = Double(area.width + 1) / (2 * Double(max(1, area.height - 1)))
      let least = Double(area.width - 1) / (2 * Double(area.height + 1))
      #expect((least...most).contains(wanted), "\(area) for \(width):\(height)")
      #expect(area.width == layout.paneRows.width || area.height == layout.paneRows.height)
      #expect(canvas.pictureCovers.isEmpty)
    }
  }

  @Test("is replaced by the card if there is no room, or only ASCII")
  func noRoom() {
    #expect(canvas(40, 8).pictureArea == nil)
    #expect(canvas(80, 24, symbols: .ascii).pictureArea == nil)
    #expect(canvas(80, 24, symbols: .ascii).text.joined().contains("Countdown"))
  }

  @Test("is covered only by the parts that lie over it")
  func covers() throws {
    let plain = canvas(120, 40)
    let help = canvas(120, 40, overlay: .help(scroll: 0))
    #expect(help.pictureArea == plain.pictureArea)
    let covers = help.pictureCovers
    #expect(!covers.isEmpty)
    let area = try #require(help.pictureArea)
    for row in area.row..<area.endRow {
      for column in area.column..<area.endColumn {
        let isFree = help.cells[row * 120 + column].glyph == .picture
        let point = ScreenPoint(column: column, row: row)
        #expect(covers.contains { $0.contains(point) } == !isFree)
      }
    }
  }

  @Test("has subtitles below it if there is room, else on its lowest rows")
  func subtitles() throws {
    let wide = canvas(
      120, 40, width: 2390, height: 1000, subtitles: Subtitles(markup: "Good evening.\nYes?"))
    let area = try #require(wide.pictureArea)
    #expect(wide.text[area.endRow].contains("Good evening."))
    #expect(wide.text[area.endRow + 1].contains("Yes?"))
    #expect(wide.pictureCovers.isEmpty)

    let tall = canvas(120, 40, width: 9, height: 16, subtitles: Subtitles(markup: "Good evening."))
    let narrow = try #require(tall.pictureArea)
    #expect(tall.text[narrow.endRow - 1].contains("Good evening."))
    #expect(tall.pictureCovers.count == 1)
  }

  @Test("shows each line of the subtitles in a row of its own")
  func subtitleLines() throws {
    for size in [(120, 40), (80, 24), (66, 20)] {
      let text = Subtitles(markup: "– Who’s there?\n– Nobody.\n[thunder]")
      let canvas = canvas(size.0, size.1, subtitles: text)
      let rows = canvas.text.filter { row in
        ["Who’s", "– Nobody", "[th"].contains { row.contains($0) }
      }
      #expect(rows.count == 3, "\(size): \(rows)")
    }
  }

  @Test("draws subtitles on exactly the rows that it reports")
  func subtitleArea() throws {
    let picture = PictureModel(width: 16, height: 9, subtitles: Subtitles(markup: "One\nTwo"))
    let view = PictureView(picture: picture, cellRatio: 2)
    var canvas = Canvas(size: ScreenSize(columns: 80, rows: 24))
    view.draw(in: canvas.bounds, on: &canvas)
    let area = view.subtitleArea(in: canvas.bounds, ellipsis: canvas.symbols.ellipsis)
    #expect(area.height == 2)
    #expect(canvas.text[area.row].contains("One") && canvas.text[area.row + 1].contains("Two"))
  }

  @Test("has subtitles at the top, in the middle, or higher than usual where they say so")
  func places() throws {
    let lines = #"""
      {\an8}A sign
      {\an5}Midway
      Spoken
      """#
    var subtitles = Subtitles(markup: lines)
    func row(_ text: String, _ canvas: Canvas) throws -> Int {
      try #require(canvas.text.firstIndex { $0.contains(text) })
    }
    let wide = canvas(120, 40, width: 2390, height: 1000, subtitles: subtitles)
    let area = try #require(wide.pictureArea)
    #expect(try row("A sign", wide) == area.row)
    #expect(try row("Midway", wide) == area.row + (area.height - 1) / 2)
    #expect(try row("Spoken", wide) == area.endRow)
    for (position, expected) in [
      (90.0, area.row + Int(Double(area.height) * 0.9) - 1), (0, area.row), (150, area.endRow),
    ] {
      subtitles.position = position
      let moved = canvas(120, 40, width: 2390, height: 1000, subtitles: subtitles)
      #expect(try row("Spoken", moved) == expected)
    }
  }
}
