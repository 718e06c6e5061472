import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Reactions")
struct ReactionTests {
  private func playing() -> TestScreen {
    var screen = TestScreen()
    screen.model.reactionSigns = [
      ReactionSign(symbol: "👍", word: "like"), ReactionSign(symbol: "👏", word: "applause"),
    ]
    return screen
  }

  @Test("r offers the reactions, and a number sends one; any other key sends none")
  func giving() {
    var screen = playing()
    #expect(screen.press("r") == [])
    #expect(screen.canvas().text.last?.contains("1 👍  2 👏  esc cancel") == true)
    #expect(screen.press("2") == [.user(.react(.laugh))])
    #expect(screen.canvas().text.last?.contains("space pause") == true)
    for key in ["ESC", "3", "0", "SPACE"] {
      #expect(screen.press("r") + screen.press(key) == [])
    }
    screen.model.party = nil
    _ = screen.press("r")
    #expect(screen.canvas().text.last?.contains("1 👍") == false, "there is nobody to see it")
  }

  @Test("A reaction rises over the pane with its author's name, and disappears")
  func rising() throws {
    var screen = playing()
    screen.give()
    func row() -> Int? { screen.canvas().text.firstIndex { $0.contains("👏 Ben") } }
    let first = try #require(row())
    screen.wait(.milliseconds(1600))
    let later = try #require(row())
    #expect(later < first - 3)
    screen.wait(.seconds(2))
    #expect(row() == nil)
    #expect(screen.machine.nextDeadline == nil, "nothing is left to draw")
  }

  @Test("Reactions stay in place or aren't shown if the user wants that")
  func motion() throws {
    var screen = playing()
    func row() -> Int? { screen.canvas().text.firstIndex { $0.contains("👏 Ben") } }
    screen.machine.state.reactions.motion = .stay
    screen.give()
    let first = try #require(row())
    screen.wait(.milliseconds(1600))
    #expect(row() == first)
    screen.wait(.seconds(2))
    #expect(row() == nil)
    screen.machine.state.reactions.motion = .off
    screen.give()
    #expect(row() == nil && screen.machine.nextDeadline == nil)
  }

  @Test(
    "The number of reactions is limited, and none breaks a frame or reaches the chat",
    arguments: [40, 80, 120])
  func flood(columns: Int) {
    var screen = playing()
    screen.size.columns = columns
    let before = screen.canvas().text
    for _ in 0..<200 { screen.give(by: "Somebody with a very long name") }
    #expect(screen.machine.state.reactions.floats.count <= 12)
    screen.wait(.milliseconds(800))
    let text = screen.canvas().text
    #expect(text.allSatisfy { TerminalText($0).width == columns })
    let layout = ScreenLayout(
      size: screen.size, model: screen.model, state: screen.machine.state)
    for (row, line) in text.enumerated() where line != before[row] {
      #expect(row >= layout.paneRows.row && row < layout.paneRows.endRow)
      if columns == 120 { #expect(line.hasSuffix(before[row].suffix(31)), "the chat beside it") }
    }
  }

  @Test("Without Unicode the reaction is a word")
  func ascii() {
    var screen = playing()
    screen.give()
    #expect(screen.canvas(.ascii).text.contains { $0.contains("applause Ben") })
  }
}

extension TestScreen {
  fileprivate mutating func give(by author: TerminalText = "Ben") {
    change {
      $0.reactions.append(
        ReactionEntry(id: ($0.reactions.last?.id ?? 0) + 1, $0.reactionSigns[1], by: author))
    }
  }
}
