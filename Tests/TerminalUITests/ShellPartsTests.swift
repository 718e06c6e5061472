import Concurrency
import TerminalVideo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Parts of the shell that need no terminal")
struct ShellPartsTests {
  private let start = HostTime(nanoseconds: 1_000_000_000)

  @Test("A notification begins with the program's name, whatever the participant's name is")
  func notifications() {
    // ConEmu reads a text that begins with "4;" as a command for its progress bar.
    let bytes = TerminalModes.notification("4;1;50: hello")
    #expect(bytes == Array("\u{1B}]9;matinee: 4;1;50: hello\u{1B}\\".utf8))
  }

  @Test("The first request to end is passed on, the second ends")
  func secondRequest() {
    var rule = ExitRule(limit: .seconds(5))
    #expect(rule.deadline == nil)
    #expect(rule.received(15, at: start) == .ask(signal: 15))
    #expect(rule.received(1, at: start + .seconds(1)) == .die(signal: 1))
  }

  @Test("The end of the terminal is one request, though it is noticed twice")
  func hangUp() {
    var rule = ExitRule(limit: .seconds(5))
    #expect(rule.received(1, at: start) == .ask(signal: 1))
    #expect(rule.received(1, at: start + .milliseconds(1)) == .ignore)
    #expect(rule.received(15, at: start + .seconds(1)) == .die(signal: 15))
    #expect(rule.checkDeadline(at: start + .seconds(5)) == .die(signal: 1))
  }

  @Test("A program that doesn't leave in time is ended by the same signal")
  func deadline() {
    var rule = ExitRule(limit: .seconds(5))
    #expect(rule.checkDeadline(at: start) == .ignore)
    _ = rule.received(15, at: start)
    #expect(rule.deadline == start + .seconds(5))
    #expect(rule.checkDeadline(at: start + .milliseconds(4999)) == .ignore)
    #expect(rule.checkDeadline(at: start + .seconds(5)) == .die(signal: 15))
  }

  @Test(
    "A second Ctrl-C soon after the first one asks to end, and a third one ends")
  func interrupts() {
    var rule = ExitRule(limit: .seconds(5))
    #expect(rule.pressedInterrupt(signal: 2, at: start) == .ignore)
    #expect(rule.pressedInterrupt(signal: 2, at: start + .seconds(6)) == .ignore)
    #expect(rule.pressedInterrupt(signal: 2, at: start + .seconds(7)) == .ask(signal: 2))
    #expect(rule.pressedInterrupt(signal: 2, at: start + .seconds(8)) == .die(signal: 2))
  }

  @Test("The output of libraries becomes lines of clean text of limited length")
  func lines() {
    var lines = LineCollector()
    #expect(lines.feed(Array("one\ntw".utf8)) == ["one"])
    #expect(lines.feed(Array("o\r\n\n\u{1B}[31mred\u{1B}[0m\n".utf8)) == ["two", "[31mred[0m"])
    #expect(lines.finish() == nil)
    #expect(lines.feed(repeatElement(0x78, count: 1_000_000)) == [])
    #expect(lines.feed([0x0A]).map(\.count) == [LineCollector.maximumLength])
    #expect(lines.feed([0xFF, 0xC3, 0x0A]) == ["\u{FFFD}\u{FFFD}"])
    _ = lines.feed(Array("rest".utf8))
    #expect(lines.finish() == "rest")
  }

  @Test(
    "Base64 is that of RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"), ("\u{FF}\u{FFF}", "w7/gv78="),
    ])
  func base64(text: String, encoded: String) {
    #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == encoded)
  }

  @Test("Delays in terminfo's sequences are removed")
  func padding() {
    #expect(TerminalModes.withoutPadding("a$<5>b$<10/>c$d") == Array("abc$d".utf8))
  }

  @Test("The environment decides about colour, Unicode, the title and the picture's colours")
  func environment() {
    func make(_ type: String, _ variables: [String: String] = [:], _ codeset: String = "UTF-8")
      -> TerminalEnvironment
    {
      TerminalEnvironment(type: type, variables: { variables[$0] }, codeset: codeset)
    }
    #expect(make("xterm-256color").hasColor)
    #expect(make("xterm", ["NO_COLOR": ""]).hasColor)
    #expect(!make("xterm", ["NO_COLOR": "0"]).hasColor)
    #expect(make("xterm").isUnicode && !make("xterm", [:], "ANSI_X3.4-1968").isUnicode)
    #expect(make("tmux-256color").hasTitle && !make("linux").hasTitle)
    #expect(make("xterm", ["COLORTERM": "truecolor"]).pictureColors == .direct)
    #expect(make("xterm-kitty").pictureColors == .direct)
    #expect(make("xterm-256color").pictureColors == .indexed)
    #expect(make("xterm").answersQuestions && !make("linux").answersQuestions)
    #expect(make("xterm").mayBeAskedAboutPixels && make("xterm-kitty").mayBeAskedAboutPixels)
    for (type, variables) in [
      ("linux", [:]), ("tmux-256color", [:]), ("screen-256color", [:]),
      ("xterm-256color", ["TMUX": "/tmp/x"]), ("xterm-256color", ["STY": "1.pts"]),
    ] {
      #expect(!make(type, variables).mayBeAskedAboutPixels, "they show the question as a title")
    }
    #expect(make("xterm").hasLinks && make("screen", ["TMUX": "/tmp/x"]).hasLinks)
    for (type, variables) in [("linux", [:]), ("screen", [:]), ("xterm", ["STY": "1.pts"])] {
      #expect(!make(type, variables).hasLinks, "they would show the address, or cut it off")
    }
    #expect(make("xterm").hasMouse && !make("screen-256color", ["STY": "1.pts"]).hasMouse)
    #expect(make("tmux-256color", ["STY": "1.pts", "TMUX": "/tmp/x"]).hasMouse)
  }

  @Test("Errors say what to do")
  func errors() {
    let errors: [TerminalError] = [
      .notATerminal, .unknownTerminal(""), .unknownTerminal("x\u{1B}[2J"), .incapableTerminal("x"),
      .system(operation: "pipe2", code: 24),
    ]
    for error in errors {
      #expect(error.description.contains("--screen-reader"))
      #expect(!error.description.contains("\u{1B}"))
    }
  }

  @Test("A thread that hangs takes a limited number of actions, and some more that are essential")
  func actionLimit() async throws {
    let owner = OwnerThread()
    try owner.start(name: "test")
    let (gate, isBusy) = (ThreadFlag(), OneShot<Void>())
    owner.perform {
      isBusy.fulfil(())
      gate.wait()
    }
    await isBusy.certainValue()
    var taken = 0
    for _ in 0..<2 * OwnerThread.actionLimit where owner.perform({}) { taken += 1 }
    #expect(taken == OwnerThread.actionLimit)
    let isDone = OneShot<Void>()
    let isSignalTaken = owner.perform(isEssential: true) { isDone.fulfil(()) }
    #expect(isSignalTaken)
    gate.set()
    await isDone.certainValue()
    let isTakenAgain = owner.perform {}
    #expect(isTakenAgain)
    owner.stop()
  }
}
