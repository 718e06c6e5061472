import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The user's own keys")
struct KeyBindingsTests {
  private func problem(_ text: String) -> String? {
    do {
      _ = try KeyBindings(parsing: text)
      return nil
    } catch { return error.description }
  }

  @Test("A line of mpv's input.conf means what it means there")
  func mpvsWords() throws {
    let user = try KeyBindings(
      parsing: """
        # mine
        h   seek -10
        l   seek 10   # on
        Shift+RIGHT add chapter 1
        UP  add volume 5
        WHEEL ignore
        """.replacing("WHEEL", with: "w"))
    let map = KeyMap.standard.applying(user)
    func command(_ name: String) -> Command? {
      map.command(for: KeyPress(mpvName: name)!)
    }
    #expect(command("h") == .intent(.skip(by: .seconds(-10))))
    #expect(command("l") == .intent(.skip(by: .seconds(10))))
    #expect(command("Shift+RIGHT") == .chapterOrLongSeek(1))
    #expect(command("w") == nil, "taken away")
    #expect(command("RIGHT") == .intent(.skip(by: .seconds(5))), "as it was")
    #expect(
      map.command(for: KeyPress(mpvName: "UP")!, in: .library) == .select(by: -1),
      "the library keeps its own")
  }

  @Test("The help and the hints say what the user's keys do")
  func help() throws {
    let user = try KeyBindings(parsing: "c chat\nx seek 90\nENTER ignore\nt ignore")
    let map = KeyMap.standard.applying(user)
    var state = ScreenState()
    func text() -> String {
      ScreenView(model: Samples.playing, state: state, keyMap: map)
        .canvas(size: ScreenSize(columns: 130, rows: 60), symbols: .unicode).text
        .joined(separator: "\n")
    }
    #expect(text().contains("c chat"))
    state.overlay = .help(scroll: 0)
    #expect(text().contains("Your own"))
    #expect(text().contains("x  seek 90"))
  }

  @Test("Every command can be named, but for those of the library and of the mouse")
  func names() {
    for (name, command) in Command.named {
      #expect(Command(words: name.split(separator: " ").map(String.init)) == command)
    }
    let names = Command.named.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(
    "What can't be understood is said with its line and what would be right",
    arguments: [
      ("x sek 5", "line 1: there is no command “sek 5”; did you mean “seek 5”?"),
      ("\n\nx cycle pose", "line 3: there is no command “cycle pose”; did you mean “cycle pause”?"),
      (
        "Ctl+x quit", "line 1: no key is called “Ctl+x”; examples: SPACE, Shift+LEFT, ctrl+l, SHARP"
      ),
      ("x", "line 1: “x” is to do what? KEY COMMAND, as in: x cycle pause"),
      ("x zzzzzzzzzzz", "line 1: there is no command “zzzzzzzzzzz”"),
      ("x seek nan", "line 1: there is no command “seek nan”"),
      ("x seek 1e300", "line 1: there is no command “seek 1e300”"),
    ])
  func problems(text: String, words: String) { #expect(problem(text) == words) }

  @Test("Remarks, blank lines and the end of a line in the style of Windows are nothing")
  func nothing() throws {
    #expect(try KeyBindings(parsing: "# all\r\n\r\n   \n").bindings.isEmpty)
    #expect(try KeyBindings(parsing: "x quit\r\n").bindings.count == 1)
  }
}
