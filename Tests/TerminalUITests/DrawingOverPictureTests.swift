import ScreenDemo
import Screening
import TerminalVideo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Drawing over the picture")
struct DrawingOverPictureTests {
  /// Returns Ana's screen, with the film's picture in the pane; she draws or not.
  private func screen(isDrawing: Bool = true) -> TestScreen {
    var screen = TestScreen()
    screen.change { $0.picture = PictureModel(width: 1600, height: 900) }
    screen.change { $0.sketch = SketchModel(isDrawing: isDrawing) }
    return screen
  }

  private func point(_ effect: InputMachine.Effect?) -> Sketch.Point? {
    switch effect {
    case .user(.drawing(.press(at: let point))), .user(.drawing(.move(to: let point))):
      Sketch.Point(x: Float(point.fractions.x), y: Float(point.fractions.y))
    default: nil
    }
  }

  @Test("D begins it; then the keys are the pen's until escape")
  func beginning() {
    var screen = TestScreen()
    #expect(screen.press("D") == [.user(.drawing(.draw([])))])
    screen.change { $0.sketch = SketchModel(isDrawing: true) }
    #expect(screen.canvas().text.last?.contains("space pen") == true)
    #expect(screen.canvas().text.last?.contains("space pause") == false)
    #expect(screen.press("u") == [.user(.drawing(.undo))])
    #expect(screen.press("R") == [.user(.drawing(.reset))])
    #expect(screen.press("p") == [.user(.playPause)], "what the pen doesn't need")
    #expect(screen.press("ESC") == [.user(.drawing(.leave))])
    screen.change { $0.sketch = nil }
    #expect(screen.canvas().text.last?.contains("space pause") == true)
    #expect(screen.press("RIGHT") == [.user(.skip(by: .seconds(5)))])
  }

  @Test("Arrows move the pen one cell, or five with shift; a pen that is down draws")
  func keys() throws {
    var screen = screen()
    let width = Float(try #require(screen.canvas().pictureArea).width)
    #expect(screen.press("RIGHT", "RIGHT") == [], "the pen is up")
    let first = try #require(point(screen.press("SPACE").first))
    #expect(abs(first.x - (0.5 + 2 / width)) < 0.001 && abs(first.y - 0.5) < 0.001)
    let next = try #require(point(screen.press("Shift+LEFT").first))
    #expect(abs(next.x - (first.x - 5 / width)) < 0.001)
    #expect(screen.press("SPACE") == [.user(.drawing(.lift))])
    #expect(screen.press("UP") == [])
    for _ in 0..<100 { screen.press("Shift+UP", "Shift+LEFT") }
    #expect(point(screen.press("SPACE").first) == Sketch.Point(x: 0, y: 0), "no further")
    #expect(screen.press("ESC") == [.user(.drawing(.lift)), .user(.drawing(.leave))])
  }

  @Test("The mouse draws in the picture, and beyond its edge along it")
  func mouse() throws {
    var screen = screen()
    let area = try #require(screen.canvas().pictureArea)
    let first = try #require(point(screen.mouse(.press, area.column, area.row).first))
    #expect(first.x > 0 && first.x < 1 / Float(area.width) && first.y < 1 / Float(area.height))
    let beyond = try #require(point(screen.mouse(.drag, area.endColumn + 9, area.endRow).first))
    #expect(beyond.x >= 1 && beyond.y >= 1)
    #expect(screen.mouse(.release, 0, 0) == [.user(.drawing(.lift))])
    #expect(screen.mouse(.drag, area.column + 3, area.row + 3) == [], "nothing is pressed")
    let bar = screen.size.rows - 3
    #expect(screen.mouse(.press, 2, bar) == [.user(.playPause)], "the rest is as it was")
    // For a participant who doesn't draw, the mouse has its usual effect.
    screen.change { $0.sketch?.isDrawing = false }
    #expect(screen.mouse(.press, area.column, area.row) == [])
  }

  @Test("The keys of the library, a prompt and a page take precedence over the pen's")
  func precedence() {
    var screen = screen()
    screen.press("o")
    #expect(screen.press("DOWN", "UP") == [])
    #expect(screen.canvas().text.last?.contains("enter open") == true)
    screen.press("o", "ENTER")
    #expect(screen.press("u") == [] && screen.text.contains("u"))
    screen.press("ESC")
    screen.size = ScreenSize(columns: 130, rows: 60)
    screen.press("?")
    #expect(screen.text.contains("Drawing on the film"))
    #expect(screen.press("SPACE") == [])
    #expect(screen.text.contains("Keys"), "a page further")
  }

  @Test("Each participant's strokes have the colour of the roster")
  func colors() throws {
    var screen = screen(isDrawing: false)
    let inks = Theme.standard.inks
    #expect(Set(inks).count == Style.personColors)
    screen.change {
      $0.sketch?.strokes = ["Ana", "Ben", "Ana"].map {
        .init(author: $0, points: [.init(x: 0.1, y: 0.1), .init(x: 0.4, y: 0.6)])
      }
    }
    let sketch = ScreenView(model: screen.model, state: screen.machine.state).sketch(inks: inks)
    let colors = sketch.lines.map(\.color)
    #expect(colors[0] == colors[2] && colors[0] != colors[1] && sketch.pen == nil)
    let people = PersonColors(screen.model.roster)
    #expect(colors[1] == inks[people.number("Ben")])
    screen.change { $0.sketch?.isDrawing = true }
    #expect(
      ScreenView(model: screen.model, state: screen.machine.state).sketch(inks: inks).pen?.color
        == colors[0])
  }

  @Test("If the picture is elsewhere, strokes are cells", arguments: [true, false])
  func cells(isUnicode: Bool) {
    var screen = screen()
    screen.change {
      $0.picture = nil
      $0.sketch?.strokes = [
        .init(author: "Ben", points: [.init(x: 0, y: 0.01), .init(x: 1, y: 0.01)])
      ]
    }
    let text = screen.canvas(isUnicode ? .unicode : .ascii).text
    let bar = String(repeating: isUnicode ? "▀" : "#", count: 40)
    #expect(text.contains { $0.contains(bar) }, "\(text.joined(separator: "\n"))")
    #expect(text.contains { $0.contains("+") })
    #expect(text.allSatisfy { TerminalText($0).width == 80 }, "no frame is broken")
  }

  @Test("It works in a terminal of any size", arguments: [20, 40, 66, 80, 300])
  func sizes(columns: Int) {
    for rows in [1, 3, 10, 24, 100] {
      var screen = screen()
      screen.size = ScreenSize(columns: columns, rows: rows)
      screen.change {
        $0.sketch?.strokes = [.init(author: "Ben", points: [.init(x: 0, y: 0), .init(x: 1, y: 1)])]
      }
      screen.press("RIGHT", "SPACE", "DOWN")
      screen.mouse(.press, columns / 2, rows / 2)
      screen.mouse(.drag, 0, 0)
      screen.mouse(.release, 0, 0)
      #expect(screen.canvas().text.count == rows)
      screen.change { $0.picture = nil }
      #expect(screen.canvas().text.count == rows)
    }
  }
}
