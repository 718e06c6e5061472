import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The film first")
struct FilmFirstTests {
  private func party(width: Int = 1920, height: Int = 1080) -> ScreenModel {
    var model = Samples.playing
    model.picture = PictureModel(width: width, height: height)
    return model
  }

  private func layout(
    _ columns: Int, _ rows: Int, _ model: ScreenModel, state: ScreenState = ScreenState(),
    cellRatio: Double = 2
  ) -> ScreenLayout {
    ScreenLayout(
      size: ScreenSize(columns: columns, rows: rows), model: model, state: state,
      cellRatio: cellRatio)
  }

  private func picture(
    _ columns: Int, _ rows: Int, _ model: ScreenModel, cellRatio: Double = 2
  ) throws -> Rect {
    let view = PictureView(picture: try #require(model.picture), cellRatio: cellRatio)
    return view.pictureArea(in: layout(columns, rows, model, cellRatio: cellRatio).paneRows)
  }

  @Test("In a tall terminal the chat is below, and the film has the whole width")
  func tall() throws {
    let area = try picture(85, 46, party())
    #expect(layout(85, 46, party()).form == .below)
    #expect(area.width == 85 && (23...24).contains(area.height), "\(area)")
  }

  @Test(
    "The chat has the position that leaves the larger picture, for every size and shape",
    arguments: [(1920, 1080), (4, 3), (2390, 1000), (9, 16), (1, 1)], [1.6, 2, 2.4])
  func larger(shape: (Int, Int), cellRatio: Double) throws {
    let model = party(width: shape.0, height: shape.1)
    let view = PictureView(picture: try #require(model.picture), cellRatio: cellRatio)
    for columns in stride(from: 66, through: 240, by: 6) {
      for rows in stride(from: 16, through: 80, by: 4) {
        let layout = layout(columns, rows, model, cellRatio: cellRatio)
        let area = view.pictureArea(in: layout.paneRows)
        let body = rows - 4
        let side = min(max(columns / 4, 30), 36)
        let beside = view.pictureArea(
          in: Rect(column: 0, row: 0, width: columns - side - 1, height: body))
        let below = view.pictureArea(
          in: Rect(
            column: 0, row: 0, width: columns, height: body - max(6, (rows - 3) / 3)))
        #expect(
          area.width * area.height
            >= max(beside.width * beside.height, below.width * below.height),
          "\(columns)×\(rows)")
        #expect(layout.form == .below || layout.chatRows.width <= 36)
      }
    }
  }

  @Test("Without a party the film has everything between the lines")
  func alone() throws {
    var model = party()
    model.party = nil
    model.roster = []
    for (columns, rows) in [(80, 24), (85, 46), (120, 40), (200, 60)] {
      let layout = layout(columns, rows, model)
      #expect(layout.pane == Rect(column: 0, row: 1, width: columns, height: rows - 4))
      #expect(layout.chatRows.isEmpty && layout.rosterRows.isEmpty && layout.chatPrompt.isEmpty)
    }
  }

  @Test("Up to 100 columns the chat lies over the film if that makes the film larger")
  func narrow() throws {
    #expect(layout(101, 30, party()).form == .beside)
    #expect(layout(85, 46, party()).form == .below, "the film has the whole width anyway")
    for (columns, rows) in [(80, 24), (100, 30)] {
      let film = layout(columns, rows, party())
      #expect(film.pane == Rect(column: 0, row: 1, width: columns, height: rows - 4))
      var library = ScreenState()
      library.isLibraryWanted = true
      #expect(layout(columns, rows, party(), state: library).form == .beside)
      var screen = TestScreen()
      screen.model = party()
      screen.size = ScreenSize(columns: columns, rows: rows)
      #expect(screen.text.contains("● Ben  ◐ Chi") && !screen.text.contains("look at that!"))
      screen.change {
        $0.chat += (100...130).map {
          ChatEntry(
            id: $0, hour: 22, minute: 1,
            .said("line \(TerminalText("\($0)"))", by: "Ben", isOwn: false))
        }
      }
      #expect(screen.text.contains("line 130"))
      screen.wait(.seconds(10))
      #expect(!screen.text.contains("line 130") && screen.text.contains("space pause"))
      // The messages to answer, and earlier ones.
      screen.press("t")
      #expect(screen.text.contains("line 130") && !screen.text.contains("everybody got popcorn?"))
      screen.press("PGUP", "PGUP", "PGUP", "PGUP", "PGUP", "PGUP")
      #expect(screen.text.contains("everybody got popcorn?"))
      screen.press("ESC", "f")
      screen.wait(.seconds(10))
      #expect(!screen.text.contains("space pause"), "the lines hide")
    }
  }

  @Test("A picture that is coarser than wanted says why in the title, if there is room")
  func coarser() {
    var screen = TestScreen()
    screen.model = party()
    screen.size = ScreenSize(columns: 120, rows: 40)
    let note = "coarser: the terminal is slow"
    #expect(!screen.text.contains(note))
    screen.model.isPictureCoarser = true
    #expect(screen.text.contains(note))
    screen.size = ScreenSize(columns: 60, rows: 20)
    #expect(!screen.text.contains(note))
  }

  @Test("The film has no frame, and the cells around it are black")
  func letterbox() {
    for arrangement in [ScreenState.Arrangement.standard, .picture, .compact] {
      var state = ScreenState()
      state.arrangement = arrangement
      let canvas = ScreenView(model: party(width: 4, height: 3), state: state)
        .canvas(size: ScreenSize(columns: 120, rows: 40), symbols: .unicode)
      let pane = layout(120, 40, party(width: 4, height: 3), state: state).free
      for row in pane.row..<pane.endRow {
        for column in pane.column..<pane.endColumn {
          let cell = canvas.cells[row * 120 + column]
          #expect(cell.glyph == .picture || (cell.glyph == .space && cell.style == .letterbox))
        }
      }
    }
  }

  @Test("A short notice, a state or a newcomer moves nothing; a long notice doesn't move the film")
  func steady() throws {
    for (columns, rows) in [(60, 20), (80, 24), (85, 46), (120, 40), (200, 60)] {
      let plain = layout(columns, rows, party())
      var notified = party()
      notified.message = MessageModel("volume 80 %")
      #expect(layout(columns, rows, notified).pane == plain.pane)
      var crowd = party()
      crowd.roster += (1...20).map { RosterEntry(name: "Guest \($0)", state: .ready) }
      #expect(layout(columns, rows, crowd).pane == plain.pane)
      notified.message = MessageModel(
        TerminalText(String(repeating: "a long story ", count: 60)), severity: .error)
      let long = layout(columns, rows, notified)
      #expect(long.form == plain.form)
      #expect(plain.form == .beside || long.pane == plain.pane)
    }
  }

  @Test("Chat over the full picture is above the subtitles, and these above the controls")
  func subtitles() throws {
    var screen = TestScreen()
    screen.model = party()
    screen.press("f")
    screen.wait(.seconds(4))
    screen.change {
      $0.picture?.subtitles = Subtitles(markup: "What is that light?\nNobody knows.")
      $0.chat.append(
        ChatEntry(id: 99, hour: 22, minute: 1, .said("look there", by: "Ben", isOwn: false)))
      $0.chat.append(
        ChatEntry(id: 100, hour: 22, minute: 1, .said("and there", by: "Ben", isOwn: false)))
    }
    func row(_ text: String) -> Int? { screen.canvas().text.firstIndex { $0.contains(text) } }
    #expect(row("Nobody knows.") == 22)
    #expect(row("and there") == 20)
    screen.press("RIGHT")
    #expect(row("What is that light?") == 20)
    #expect(row("Nobody knows.") == 21)
    #expect(row("and there") == 19)
    #expect(row("0:12:41") == 22)
  }

  @Test("A message is typed in the whole lowest line, and the library has no line for it")
  func prompts() {
    for (columns, rows) in [(60, 20), (80, 24), (85, 46), (120, 40)] {
      let layout = layout(columns, rows, party())
      #expect(layout.prompt == layout.hints && layout.prompt.width == columns)
    }
    var screen = TestScreen()
    #expect(screen.text.contains("write to everyone"))
    screen.press("o")
    #expect(!screen.text.contains("write to everyone"))
  }
}
