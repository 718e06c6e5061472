import ScreenDemo
import Screening
import Testing

@testable import TerminalUI

@Suite("Commands after a slash")
struct SlashCommandsTests {
  private func screen() -> TestScreen {
    var screen = TestScreen(model: Samples.playing, size: ScreenSize(columns: 100, rows: 30))
    screen.model.slashHelp = [
      SlashCommand("next", "", "next video"), SlashCommand("ready-check", "", "ask everyone"),
      SlashCommand("remove", "NAME", "remove somebody"),
    ]
    screen.model.slashCommands = screen.model.slashHelp.map(\.name)
    return screen
  }

  @Test("A slash shows the commands with their help, and typing reduces them to those that match")
  func list() {
    var screen = screen()
    screen.press("t")
    #expect(!screen.text.contains("ask everyone"))
    screen.press("/")
    #expect(screen.text.contains("/next") && screen.text.contains("/remove NAME"))
    #expect(screen.text.contains("ask everyone"))
    screen.press("r")
    #expect(!screen.text.contains("next video"))
    screen.press("e", "m")
    #expect(screen.text.contains("remove somebody") && !screen.text.contains("ask everyone"))
    screen.press("TAB")
    #expect(screen.machine.state.prompt?.editor.text == "/remove ")
    #expect(screen.text.contains("/remove NAME"), "while its argument is typed")
  }

  @Test("Two slashes are no command, and /help shows the list")
  func help() {
    var screen = screen()
    screen.press("t", "/", "/")
    #expect(!screen.text.contains("ask everyone"))
    screen.press("ESC", "t")
    #expect(screen.press("/", "h", "e", "l", "p", "ENTER") == [])
    #expect(screen.machine.state.prompt?.editor.text == "/")
    #expect(screen.text.contains("ask everyone"))
  }

  @Test("The invite and the playlist are shown by commands too")
  func ofScreen() {
    for (name, words) in [("invite", "Anyone with this link"), ("playlist", "Playlist")] {
      #expect(SlashCommand.all.contains { $0.name == name })
      var screen = screen()
      screen.press("t")
      screen.type("/" + name)
      #expect(screen.press("ENTER") == [])
      #expect(screen.text.contains(words))
    }
  }

  @Test("The list fits on a small screen")
  func small() {
    for size in [ScreenSize(columns: 40, rows: 10), ScreenSize(columns: 40, rows: 9)] {
      var screen = screen()
      screen.size = size
      screen.press("t", "/")
      #expect(screen.canvas().text.count == size.rows)
    }
    var screen = screen()
    screen.size = ScreenSize(columns: 30, rows: 10)
    screen.press("t", "/")
    #expect(screen.text.contains("remove some…"), "cut with a sign")
  }
}
