import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Reactions")
struct ReactionTests {
  private struct Screen {
    var machine = InputMachine()
    var model: ScreenModel
    var size = ScreenSize(columns: 80, rows: 24)
    var now = HostTime(nanoseconds: 0)

    init() {
      model = Samples.playing
      model.reactionSigns = [
        .init(symbol: "👍", word: "like"), .init(symbol: "👏", word: "applause"),
      ]
    }

    mutating func press(_ name: String) -> [InputMachine.Effect] {
      machine.handle(.key(KeyPress(mpvName: name)!), model: model, size: size, at: now)
    }

    mutating func give(by author: TerminalText = "Ben") {
      var new = model
      new.reactions.append(
        ReactionEntry(
          id: (model.reactions.last?.id ?? 0) + 1, model.reactionSigns[1], by: author))
      _ = machine.modelChanged(from: model, to: new, size: size, at: now)
      model = new
    }

    mutating func wait(_ duration: Duration) {
      let end = now + duration
      while let next = machine.nextChange, next <= end { machine.advance(to: next) }
      now = end
    }

    func text(isUnicode: Bool = true) -> [String] {
      ScreenView(model: model, state: machine.state)
        .canvas(size: size, symbols: isUnicode ? .unicode : .ascii).text
    }
  }

  @Test("r offers the signs, and a number gives one; any other key none")
  func giving() {
    var screen = Screen()
    #expect(screen.press("r") == [])
    #expect(screen.text().last?.contains("1 👍  2 👏  esc: none") == true)
    #expect(screen.press("2") == [.intent(.react(1))])
    #expect(screen.text().last?.contains("space play") == true)
    for key in ["ESC", "3", "0", "SPACE"] {
      #expect(screen.press("r") + screen.press(key) == [])
    }
    screen.model.party = nil
    _ = screen.press("r")
    #expect(screen.text().last?.contains("1 👍") == false, "there is nobody to see it")
  }

  @Test("It rises over the pane with its author's name, and is gone")
  func rising() throws {
    var screen = Screen()
    screen.give()
    func row() -> Int? { screen.text().firstIndex { $0.contains("👏 Ben") } }
    let first = try #require(row())
    screen.wait(.milliseconds(1600))
    let later = try #require(row())
    #expect(later < first - 3)
    screen.wait(.seconds(2))
    #expect(row() == nil)
    #expect(screen.machine.nextChange == nil, "nothing is left to draw")
  }

  @Test(
    "A flood of them is bounded, and none breaks a frame or reaches the chat",
    arguments: [40, 80, 120])
  func flood(columns: Int) {
    var screen = Screen()
    screen.size.columns = columns
    let before = screen.text()
    for _ in 0..<200 { screen.give(by: "Somebody with a very long name") }
    #expect(screen.machine.state.reactions.floats.count <= 12)
    screen.wait(.milliseconds(800))
    let text = screen.text()
    #expect(text.allSatisfy { TerminalText($0).width == columns })
    let layout = ScreenLayout(
      size: screen.size, model: screen.model, state: screen.machine.state)
    for (row, line) in text.enumerated() where line != before[row] {
      #expect(row >= layout.paneRows.row && row < layout.paneRows.endRow)
      if columns == 120 { #expect(line.hasSuffix(before[row].suffix(40)), "the chat beside it") }
    }
  }

  @Test("Where there is no Unicode the sign is a word")
  func ascii() {
    var screen = Screen()
    screen.give()
    #expect(screen.text(isUnicode: false).contains { $0.contains("applause Ben") })
  }
}
