import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Full picture and compact")
struct ArrangementTests {
  private func playing() -> TestScreen {
    var screen = TestScreen()
    screen.model.picture = PictureModel(width: 1600, height: 900)
    return screen
  }

  // MARK: - The full picture

  @Test("f shows the picture on the full screen, in its shape, and ends that")
  func fullPicture() throws {
    var screen = playing()
    let before = screen.text
    screen.press("f")
    screen.wait(.seconds(5))
    let area = try #require(screen.canvas().pictureArea)
    #expect(area.width == 80 && area.height == 23, "16:9 in cells twice as high as wide: \(area)")
    #expect(screen.canvas().pictureCovers.isEmpty)
    screen.press("f")
    #expect(screen.text == before)
  }

  @Test("A key or the mouse shows the controls over it, which fade and disappear")
  func fading() throws {
    var screen = playing()
    screen.press("f")
    let controls = "space pause"
    #expect(screen.text.contains(controls) && screen.text.contains("● Ben"))
    #expect(screen.canvas().row(22).contains { $0.style == .accent })
    screen.wait(.milliseconds(2600))
    // Fading: all in one weak colour.
    #expect(screen.text.contains(controls))
    #expect(screen.canvas().row(22).allSatisfy { $0.style == .quiet })
    screen.wait(.milliseconds(700))
    #expect(!screen.text.contains(controls))
    #expect(screen.machine.nextDeadline == nil, "nothing is left to change")
    #expect(screen.press("RIGHT") == [.user(.skip(by: .seconds(5)))])
    #expect(screen.text.contains(controls))
    screen.wait(.seconds(4))
    screen.mouse(.press, 10, 10)
    #expect(screen.text.contains(controls))
  }

  @Test("The controls stay while a line is typed, a message is shown, or the group waits")
  func staying() {
    var screen = playing()
    screen.press("f", "t")
    screen.wait(.seconds(60))
    #expect(screen.text.contains("to everyone in the party"))
    screen.press("ESC")
    screen.wait(.seconds(4))
    screen.change { $0.message = MessageModel("the relay is away", severity: .warning) }
    #expect(screen.text.contains("the relay is away"))
    screen.change { $0.message = nil }
    #expect(!screen.text.contains("space pause"))
    screen.change { $0.waiting = WaitingModel(waitingFor: ["Chi"], remaining: .seconds(3)) }
    #expect(screen.text.contains("Waiting for Chi (3 s left)"))
  }

  @Test("New messages show over it for some seconds, three lines at most")
  func freshChat() {
    var screen = playing()
    screen.press("f")
    screen.wait(.seconds(4))
    #expect(!screen.text.contains("look at that!"), "that was before")
    for number in 1...4 { screen.say(TerminalText("line \(number)")) }
    #expect(!screen.text.contains("Ben: line 1") && screen.text.contains("Ben: line 2"))
    #expect(screen.text.contains("Ben: line 4"))
    #expect(!screen.canvas().pictureCovers.isEmpty, "it covers the picture")
    screen.wait(.seconds(9))
    #expect(!screen.text.contains("Ben: line"))
    #expect(screen.canvas().pictureCovers.isEmpty)
  }

  @Test("Two clicks count as a double click only at the same position within a moment")
  func doubleClick() throws {
    var screen = playing()
    func isFull() -> Bool { screen.machine.state.arrangement == .picture }
    screen.mouse(.press, 20, 10)
    screen.now = screen.now + .milliseconds(500)
    screen.mouse(.press, 20, 10)
    #expect(!isFull())
    screen.mouse(.press, 21, 10)
    #expect(!isFull())
    screen.now = screen.now + .milliseconds(200)
    screen.mouse(.press, 21, 10)
    #expect(isFull())
    screen.now = screen.now + .milliseconds(200)
    // The third click of a series isn't the first of another double click.
    screen.mouse(.press, 21, 10)
    #expect(isFull())
  }

  @Test("Over the picture the wheel changes the volume, and the right button pauses, as in mpv")
  func pictureMouse() {
    var screen = playing()
    screen.size = ScreenSize(columns: 120, rows: 40)
    #expect(screen.mouse(.wheelUp, 20, 10) == [.user(.changeVolume(by: 2))])
    #expect(screen.mouse(.wheelDown, 20, 10) == [.user(.changeVolume(by: -2))])
    #expect(screen.mouse(.secondaryPress, 20, 10) == [.user(.playPause)])
    #expect(screen.mouse(.secondaryPress, 110, 20) == [], "that is the chat")
  }

  @Test("The bar can be dragged while it is visible")
  func dragging() {
    var screen = playing()
    screen.press("f")
    let bar = TransportView.barArea(
      in: ScreenLayout(size: screen.size, model: screen.model, state: screen.machine.state)
        .transport, screen.model.transport)
    screen.mouse(.press, bar.column, bar.row)
    #expect(screen.mouse(.release, bar.column, bar.row) == [.user(.seek(to: .zero))])
    screen.wait(.seconds(4))
    screen.mouse(.press, bar.column, bar.row)
    #expect(screen.mouse(.release, bar.column, bar.row) == [], "there is none")
  }

  @Test("The library takes the pane back")
  func library() {
    var screen = playing()
    screen.press("f", "o")
    #expect(screen.text.contains("Library: Media"))
    #expect(screen.text.contains("People"))
  }

  // MARK: - Compact

  @Test("i keeps the film, with three lines below it: position, news and keys")
  func compact() throws {
    var screen = playing()
    screen.press("i")
    let area = try #require(screen.canvas().pictureArea)
    #expect(area.height == 21 && area.row == 0)
    #expect(
      screen.canvas().text.suffix(3) == [
        " Countdown ▶ 0:12:41 ━━━━━━●╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌──────────────────────── 1:42:10 1× ",
        " 21:41 Chi: the shot over the harbour was all done in one take, if you believe  ",
        " space pause  ←→ seek  [ ] speed  enter chat  w catch up  q quit  ? keys        ",
      ])
    screen.press("i")
    #expect(screen.text.contains("● Ben"))
  }

  @Test("A small terminal is compact without a request, and nothing overlaps", arguments: 1...9)
  func small(rows: Int) {
    for columns in [20, 30, 40, 66, 120] {
      var screen = playing()
      screen.size = ScreenSize(columns: columns, rows: rows)
      #expect(screen.text.contains("0:12:41"), "\(columns)×\(rows)")
      screen.press("t")
      _ = screen.send(.paste("good evening"))
      #expect(screen.text.contains("evening"), "\(columns)×\(rows)")
      #expect(screen.press("ENTER") == [.user(.say("good evening"))])
      screen.change { $0.waiting = WaitingModel(waitingFor: ["Chi"], remaining: .seconds(3)) }
      #expect(screen.text.contains("p start"), "\(columns)×\(rows)")
      #expect(screen.press("L") == [])
      #expect(screen.text.contains("y leave  n stay"), "\(columns)×\(rows)")
      #expect(screen.press("y") == [.user(.leave)])
    }
  }

  @Test("If a page has no room, the screen says so, and how to return")
  func noRoom() {
    var screen = playing()
    screen.size = ScreenSize(columns: 60, rows: 3)
    for key in ["?", "Y"] {
      screen.press(key)
      #expect(screen.text.contains("Needs 40 columns and 10 rows  esc back"))
      screen.press("ESC")
      #expect(screen.text.contains("space pause"))
    }
    screen.press("I")
    #expect(screen.text.contains("c copy the invite"))
    #expect(screen.press("c") == [.copy(Samples.invite), .screen(.copiedInvite)])
  }

  // MARK: - News

  @Test("The others' unread messages begin with a mark, until the user answers")
  func unread() {
    var screen = playing()
    screen.size = ScreenSize(columns: 120, rows: 40)
    screen.send(.focus(false))
    screen.say("are you there?")
    screen.say("hello?", by: "Chi")
    screen.send(.focus(true))
    let lines = screen.canvas().text
    let mark = lines.firstIndex { $0.contains("── new ") }
    let first = lines.firstIndex { $0.contains("are you there?") }
    #expect(mark != nil && first == mark.map { $0 + 2 }, "under the author's name")
    screen.press("t")
    _ = screen.send(.paste("yes"))
    screen.press("ENTER")
    #expect(!screen.text.contains("── new "))
  }

  @Test("A participant who is mentioned is notified unless the terminal has the keyboard")
  func mention() {
    var screen = playing()
    screen.model.ownName = "Ana"
    #expect(screen.say("ana, look!") == [.notify("Ben: ana, look!")])
    #expect(screen.say("Savannah is warm") == [])
    #expect(screen.say("(Ana?)") == [.notify("Ben: (Ana?)")])
    #expect(screen.say("it's me, Ana", by: "Ana", isOwn: true) == [])
    screen.send(.focus(true))
    #expect(screen.say("Ana?") == [])
    screen.send(.focus(false))
    #expect(screen.say("Ana!") == [.notify("Ben: Ana!")])
  }

  @Test("A question alerts the user unless the terminal has the keyboard")
  func alert() {
    var screen = playing()
    #expect(screen.machine.attentionNeeded("Ready?") == [.notify("Ready?")])
    screen.send(.focus(true))
    #expect(screen.machine.attentionNeeded("Ready?") == [])
  }

  @Test("Tab completes names, one after another, and slash commands")
  func completion() {
    var screen = playing()
    screen.model.roster += [RosterEntry(name: "Berta", state: .ready)]
    screen.model.slashCommands = ["next", "ready-check", "remove"]
    func typed() -> String { screen.machine.state.prompt?.editor.text ?? "" }
    screen.press("t", "b", "TAB")
    #expect(typed() == "Ben: ")
    screen.press("TAB")
    #expect(typed() == "Berta: ")
    screen.press("TAB")
    #expect(typed() == "Ben: ")
    screen.press("c", "TAB")
    #expect(typed() == "Ben: Chi ", "not at the beginning: no colon")
    screen.press("ctrl+u", "x", "TAB")
    #expect(typed() == "x", "nobody is called that")
    screen.press("ctrl+u", "/", "r", "TAB", "TAB")
    #expect(typed() == "/remove ")
  }

  @Test("Events don't count as unread, nor do the participant's own messages")
  func noNews() {
    var screen = playing()
    screen.press("i")
    screen.say("me again", by: "Ana", isOwn: true)
    screen.change {
      $0.chat.append(ChatEntry(id: 1000, hour: 22, minute: 2, .did("paused", by: "Ben")))
    }
    #expect(!screen.text.contains(" new"))
    screen.say("look!")
    #expect(screen.text.contains("1 new"))
  }
}

extension TestScreen {
  @discardableResult
  fileprivate mutating func say(
    _ text: TerminalText, by author: TerminalText = "Ben", isOwn: Bool = false
  ) -> [InputMachine.Effect] {
    change {
      let id = ($0.chat.last?.id ?? 0) + 1
      $0.chat.append(
        ChatEntry(id: id, hour: 22, minute: 1, .said(text, by: author, isOwn: isOwn)))
    }
  }
}
