import Screening
import TerminalUI
import Testing
import Timekeeping

@testable import Faces
@testable import MPVPlayer
@testable import MatineeCommands

@Suite("The text over the picture in mpv's window")
struct WindowSceneTests {
  private func at(_ milliseconds: Int64) -> HostTime {
    HostTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("A line stays for eight seconds and fades in the last")
  func life() {
    var scene = WindowScene()
    scene.add(.init(author: "Ben", text: "hello"), at: at(0))
    #expect(scene.text(at: at(100)).text.lines.first?.opacity == 1)
    #expect(scene.text(at: at(100)).next == at(7000))
    #expect(scene.text(at: at(7500)).text.lines.first?.opacity == 0.5)
    let end = scene.text(at: at(8000))
    #expect(end.text.lines.isEmpty)
    #expect(end.next == nil)
  }

  @Test("No line disappears while the user types an answer")
  func typing() {
    var scene = WindowScene()
    scene.add(.init(text: "what time is it?"), at: at(0))
    scene.input = .init(label: "say:", before: "ei", after: "")
    let text = scene.text(at: at(60_000))
    #expect(text.text.lines.count == 1)
    #expect(text.text.lines.first?.opacity == 1)
    #expect(text.next == nil)
    scene.input = nil
    #expect(scene.text(at: at(60_001)).text.lines.isEmpty)
  }

  @Test("A reaction rises for three seconds")
  func signs() {
    var scene = WindowScene()
    scene.add(.love, by: "Ben", color: 1, at: at(0))
    scene.add(.fire, by: "Ana", color: 2, at: at(0))
    let half = scene.text(at: at(1600)).text.signs
    #expect(half.map(\.height) == [0.5, 0.5])
    #expect(half[0].column != half[1].column)
    #expect(scene.text(at: at(3200)).text.signs.isEmpty)
    for (motion, heights) in [(Reaction.Motion.stay, [0.0]), (.off, [])] {
      var scene = WindowScene(reactions: motion)
      scene.clear()
      scene.add(.love, by: "Ben", color: 1, at: at(0))
      #expect(scene.text(at: at(1600)).text.signs.map(\.height) == heights)
    }
  }

  @Test("The awaited participants are shown with the seconds left, and a question goes before them")
  func waiting() {
    var scene = WindowScene()
    scene.wait = .init(names: ["Chi"], until: at(3000))
    #expect(scene.text(at: at(500)).text.notice == "Waiting for Chi (3 s left)")
    #expect(scene.text(at: at(500)).next == at(1500))
    scene.wait = .init(names: ["Ana", "Ben", "Chi", "Dee", "Eve"], until: nil)
    #expect(scene.text(at: at(500)).text.notice == "Waiting for Ana, Ben and 3 others")
    scene.question = "yes?"
    #expect(scene.text(at: at(500)).text.notice == "yes?")
    scene.question = nil
    scene.wait = .init(names: [], until: nil)
    #expect(scene.text(at: at(500)).text.notice == nil)
  }

  @Test("Drawing is announced before the first line, together with its keys")
  func drawing() {
    var scene = WindowScene()
    scene.state = "Stepped away"
    scene.awaitsFirstLine = true
    let notice = scene.text(at: at(0)).text.notice ?? ""
    #expect(notice.hasPrefix("Drawing") && notice.contains("esc"))
    scene.question = "yes?"
    #expect(scene.text(at: at(0)).text.notice == "yes?")
    scene.question = nil
    scene.awaitsFirstLine = false
    #expect(scene.text(at: at(0)).text.notice == "Stepped away")
  }
}

@Suite("Keys in mpv's window")
struct WindowInputTests {
  private func key(
    _ binding: String, _ name: String = "", text: String? = nil,
    phase: WindowKey.Phase = .pressed
  ) -> WindowKey { WindowKey(binding: binding, phase: phase, name: name, text: text) }

  @Test("Every bound key has an effect, and only when it goes down")
  func bindings() {
    for binding in WindowInput.standing.bindings {
      var input = WindowInput()
      let released = input.handle(key(binding.name, phase: .released), isInParty: true)
      #expect(released.isEmpty)
      let pressed = input.handle(key(binding.name), isInParty: true)
      #expect(pressed.count == 1, "\(binding.key)")
    }
  }

  @Test("A line is typed, edited and sent")
  func chat() {
    var input = WindowInput()
    #expect(input.line == nil)
    #expect(input.handle(key("chat"), isInParty: true) == [.rebind])
    for letter in ["h", "i", "?"] {
      #expect(input.handle(key("type", letter, text: letter), isInParty: true).isEmpty)
    }
    _ = input.handle(key("type", "LEFT"), isInParty: true)
    _ = input.handle(key("type", "BS"), isInParty: true)
    #expect(input.line?.before == "h" && input.line?.after == "?")
    #expect(input.handle(key("send"), isInParty: true) == [.rebind, .line("h?")])
    #expect(input.line == nil)
  }

  @Test("A key that arrives before mpv has changed its mode has the meaning of the new mode")
  func fast() {
    var input = WindowInput()
    _ = input.handle(key("resume-or-chat"), isInParty: true)
    #expect(input.handle(key("play-pause", "SPACE", text: " "), isInParty: true).isEmpty)
    #expect(input.handle(key("play-pause", "p", text: "p"), isInParty: true).isEmpty)
    #expect(input.line?.text == " p")
    _ = input.handle(key("cancel", "ESC"), isInParty: true)
    #expect(input.handle(key("type", "SPACE", text: " "), isInParty: true) == [.user(.playPause)])
    #expect(input.handle(key("type", "x", text: "x"), isInParty: true).isEmpty)
    #expect(input.handle(key("send", "ENTER"), isInParty: true) == [.rebind])
    #expect(input.line != nil)
  }

  @Test("Without a party there is no chat, and the party's end discards an unfinished line")
  func alone() {
    var input = WindowInput()
    // mpv is in text mode already: it has to leave that mode.
    #expect(input.handle(key("chat"), isInParty: false) == [.rebind])
    #expect(input.line == nil)
    _ = input.handle(key("chat"), isInParty: true)
    _ = input.handle(key("type", "a", text: "a"), isInParty: true)
    #expect(input.partyEnded() == [.rebind])
    #expect(input.line == nil)
    #expect(input.partyEnded().isEmpty)
  }

  @Test("Enter resumes a film for as long as that is offered, and t opens the chat")
  func resuming() {
    let position = MediaTime(seconds: 51)
    var input = WindowInput()
    #expect(
      input.handle(key("resume-or-chat"), isInParty: true, offered: position)
        == [.rebind, .user(.seek(to: position))])
    #expect(input.line == nil)
    #expect(input.handle(key("chat"), isInParty: true, offered: position) == [.rebind])
    #expect(input.line != nil)
  }

  @Test("While the user draws the mouse is a pen")
  func pen() {
    var input = WindowInput()
    #expect(input.point(x: 0.25, y: 0.5).isEmpty)
    #expect(input.drawingChanged(true) == [.rebind])
    #expect(input.isDrawing)
    let first = UserCommand.Point(x: 0.25, y: 0.5)
    let second = UserCommand.Point(x: 0.5, y: 0.5)
    #expect(input.handle(key("pen"), isInParty: true) == [.user(.drawing(.press(at: first)))])
    #expect(input.point(x: 0.5, y: 0.5) == [.user(.drawing(.move(to: second)))])
    #expect(input.handle(key("pen", phase: .released), isInParty: true) == [.user(.drawing(.lift))])
    #expect(input.point(x: 0.75, y: 0.5).isEmpty)
    #expect(input.handle(key("pen", phase: .released), isInParty: true).isEmpty)
    #expect(input.handle(key("leave-drawing"), isInParty: true) == [.user(.drawing(.leave))])
    #expect(input.drawingChanged(false) == [.rebind])
    #expect(!input.isDrawing)
  }
}
