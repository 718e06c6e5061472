import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("Effects of keys and mouse")
struct InputMachineTests {
  private func playing() -> TestScreen { TestScreen(model: Samples.playing) }

  @Test("Enter resumes the film for as long as that is offered, unless it has another meaning")
  func resuming() {
    let position = MediaTime(seconds: 51)
    var screen = playing()
    screen.model.participantState = .mayResume(at: position, byEnter: true)
    #expect(screen.text.contains("Watched to 0:00:51   enter resume"))
    #expect(!screen.text.contains("enter write") && !screen.text.contains("enter chat"))
    #expect(screen.press("ENTER") == [.user(.seek(to: position))])
    for key in ["t", "?", "o"] {
      _ = screen.press(key)
      #expect(!screen.text.contains("enter resume"), "\(key)")
      #expect(!screen.press("ENTER").contains(.user(.seek(to: position))), "\(key)")
      screen = playing()
      screen.model.participantState = .mayResume(at: position, byEnter: true)
    }
    screen.model.participantState = nil
    #expect(screen.press("ENTER") == [])
    #expect(screen.machine.state.prompt != nil, "the chat")
  }

  @Test("Y shows the synchronization, and informs the application")
  func syncPage() {
    for closing in ["Y", "ESC", "q"] {
      var screen = playing()
      #expect(screen.press("Y") == [.screen(.showSync(true))])
      screen.model.sync = Samples.sync
      #expect(screen.text.contains("round trip"))
      // Playing and seeking work below it; an unknown key has no effect.
      #expect(screen.press("SPACE") == [.user(.playPause)])
      #expect(screen.press("RIGHT") == [.user(.skip(by: .seconds(5)))])
      #expect(screen.press("k") == [])
      #expect(screen.text.contains("round trip"))
      #expect(screen.press(closing) == [.screen(.showSync(false))])
      #expect(!screen.text.contains("round trip"))
    }
    var screen = playing()
    _ = screen.press("Y")
    #expect(screen.press("?") == [.screen(.showSync(false))])
    #expect(screen.text.contains("Keys"))
    _ = screen.press("ESC", "Y")
    #expect(screen.press("t") == [.screen(.showSync(false))])
    #expect(screen.machine.state.prompt != nil)
    // In a prompt it is a letter.
    #expect(screen.press("Y") == [])
    _ = screen.press("ESC", "Y")
    #expect(screen.press("ctrl+c") == [.user(.quit), .screen(.showSync(false))])
  }

  @Test("The invite of a party that opens meanwhile doesn't cover the page about synchronization")
  func syncPageStays() {
    var screen = TestScreen(model: Samples.alone)
    _ = screen.press("Y")
    var hosting = screen.model
    hosting.party = PartyModel(name: "x", link: .encrypted, invite: "matinee://x", isHost: true)
    _ = screen.machine.modelChanged(
      from: screen.model, to: hosting, size: screen.size, at: screen.now)
    #expect(screen.machine.state.overlay == .sync)
  }

  @Test(
    "mpv's keys have the same effects as in mpv",
    arguments: [
      ("SPACE", UserCommand.playPause), ("p", .playPause), ("LEFT", .skip(by: .seconds(-5))),
      ("RIGHT", .skip(by: .seconds(5))), ("UP", .skip(by: .seconds(60))),
      ("DOWN", .skip(by: .seconds(-60))),
      ("Shift+LEFT", .skip(by: .seconds(-1))), ("Shift+RIGHT", .skip(by: .seconds(1))),
      ("Shift+PGUP", .skip(by: .seconds(600))), ("PGUP", .seekChapter(by: 1)),
      ("[", .multiplyRate(by: 1 / 1.1)), ("]", .multiplyRate(by: 1.1)),
      ("{", .multiplyRate(by: 0.5)),
      ("}", .multiplyRate(by: 2)), ("BS", .setRate(1)), ("9", .changeVolume(by: -2)),
      ("0", .changeVolume(by: 2)), ("m", .toggleMute), ("j", .cycleSubtitles(by: 1)),
      ("J", .cycleSubtitles(by: -1)), ("#", .cycleAudio), ("V", .cycleVideo),
      ("v", .toggleSubtitles),
      (",", .frameStep(by: -1)), (".", .frameStep(by: 1)), ("q", .quit), ("ctrl+c", .quit),
      ("w", .whatHappened), ("b", .suspend(.steppedAway)), ("P", .togglePictureInPicture),
      ("ctrl++", .changeLatencyOffset(by: 1)), ("ctrl+-", .changeLatencyOffset(by: -1)),
      ("alt++", .changeLatencyOffset(by: 1)), ("alt+-", .changeLatencyOffset(by: -1)),
    ])
  func keys(name: String, command: UserCommand) {
    var screen = playing()
    #expect(screen.press(name) == [.user(command)])
  }

  @Test("P opens a party; in a party it makes the window small")
  func openParty() {
    var screen = playing()
    screen.model.party = nil
    #expect(screen.press("P") == [.user(.host)])
  }

  @Test("The application learns when the user begins and stops looking for a film")
  func browsing() {
    var screen = playing()
    screen.press("o")
    #expect(screen.browses == [true])
    screen.press("DOWN", "UP")
    #expect(screen.browses == [true])
    screen.press("ESC")
    #expect(screen.browses == [true, false])
    // A library that is shown for lack of an item isn't a search for a film.
    screen.model.item = nil
    screen.press("m")
    #expect(screen.browses == [true, false])
  }

  @Test("No key has two meanings in one section, and each is found by its name")
  func keyMap() {
    let groups = Dictionary(grouping: KeyMap.standard.entries) {
      $0.section.isForOneThing ? $0.section : nil
    }
    #expect(groups.count == 3)
    for entries in groups.values {
      let keys = entries.flatMap(\.bindings).flatMap(\.keys)
      #expect(Set(keys).count == keys.count)
    }
    for name in [
      "SPACE", "Shift+LEFT", "ctrl+l", "alt+b", "#", "+", "PGDWN", "F1", "F12", "ctrl++",
    ] {
      #expect(KeyPress(mpvName: name) != nil, "\(name)")
    }
    for name in ["", "SPAZE", "F25", "F0", "hyper+a", "ab"] {
      #expect(KeyPress(mpvName: name) == nil, "\(name)")
    }
  }

  @Test("The up arrow brings back the lines of each prompt, but no names")
  func earlierLines() {
    var screen = playing()
    for (key, line) in [("u", "a.mkv"), ("g", "1:00"), ("N", "x")] {
      screen.press(key)
      screen.type(line)
      screen.press("ENTER")
    }
    for (key, line) in [("u", "a.mkv"), ("g", "1:00"), ("N", "")] {
      screen.press(key, "ctrl+u", "UP")
      #expect(screen.machine.state.prompt?.editor.text == line)
      screen.press("ESC")
    }
  }

  @Test("A key with modifiers is shown as one word, which keys.conf takes too")
  func modifiedKeys() throws {
    for (name, label) in [
      ("ctrl++", "ctrl+plus"), ("alt+-", "alt+-"), ("Shift+LEFT", "shift+left"), ("+", "+"),
      ("ctrl+alt+SPACE", "ctrl+alt+space"),
    ] {
      let key = try #require(KeyPress(mpvName: name))
      #expect(key.label(isUnicode: false) == TerminalText(label))
      #expect(KeyPress(mpvName: label) == key)
    }
    let labels = KeyMap.standard.entries.map {
      $0.keysLabel(isUnicode: false, allKeys: true).description
    }
    #expect(labels.contains("ctrl+plus alt+plus ctrl+- alt+-"))
    #expect(labels.contains("shift+left/right"))
  }

  @Test("While the group waits for a participant, p starts without them")
  func startAnyway() {
    var screen = TestScreen(model: Samples.waiting)
    #expect(screen.press("p") == [.user(.play(immediately: true))])
    #expect(screen.press("SPACE") == [.user(.playPause)])
  }

  @Test("Page keys move by chapters if there are any")
  func chapters() {
    var screen = playing()
    screen.model.transport.chapters = [.zero, MediaTime(seconds: 100)]
    #expect(
      screen.press("PGUP", "PGDWN") == [
        .user(.seekChapter(by: 1)), .user(.seekChapter(by: -1)),
      ])
  }

  @Test(
    "A key of another script acts by its place, is typed as it is, and one without a place is explained"
  )
  func otherScripts() {
    var screen = playing()
    // The places of m, J, x, } and c, which has no command, on Russian, Greek and Hebrew keyboards.
    #expect(
      screen.type("ьОχЪב") == [
        .user(.toggleMute), .user(.cycleSubtitles(by: -1)),
        .user(.player(.add("sub-delay", "+0.1"))), .user(.multiplyRate(by: 2)),
        .screen(.explain("c isn't used here. ? shows all keys")),
      ])
    #expect(
      screen.press("ENTER") + screen.type("ье") + screen.press("ENTER") == [.user(.say("ье"))])
    #expect(
      screen.type("漢") == [.screen(.explain("No key is called 漢. Switch to Latin letters."))])
  }

  @Test("b returns a participant who stepped away to the group")
  func rejoin() {
    var screen = playing()
    screen.model.isSteppedAway = true
    #expect(screen.press("b") == [.user(.resume)])
  }

  @Test("Chat is typed, sent and remembered")
  func chat() {
    var screen = playing()
    #expect(screen.press("ENTER") == [])
    #expect(screen.type("hello q ? w") == [])
    #expect(screen.text.contains("Chat › hello q ? w"))
    #expect(screen.press("ENTER") == [.user(.say("hello q ? w"))])
    #expect(screen.machine.state.prompt == nil)
    #expect(screen.press("t", "UP", "ENTER") == [.user(.say("hello q ? w"))])
    // An empty line isn't sent; Escape and Backspace on an empty line close the prompt.
    #expect(screen.press("t", "ENTER", "t", "SPACE", "ENTER", "t", "x", "ESC") == [])
    #expect(screen.press("t", "BS") == [])
    #expect(screen.machine.state.prompt == nil)
  }

  @Test("The other prompts give their intents, or show the problem")
  func prompts() {
    var screen = playing()
    #expect(
      screen.press("g") + screen.type("1:30") + screen.press("ENTER") == [
        .user(.seek(to: MediaTime(seconds: 90)))
      ])
    #expect(
      screen.press("g") + screen.type("-10") + screen.press("ENTER") == [
        .user(.skip(by: .seconds(-10)))
      ])
    #expect(
      screen.press("g") + screen.type("50%") + screen.press("ENTER") == [
        .user(.seek(to: MediaTime(seconds: 3065)))
      ])
    #expect(screen.press("g") + screen.type("later") + screen.press("ENTER") == [])
    #expect(screen.text.contains("Not a time."))
    #expect(screen.press("x") == [] && !screen.text.contains("Not a time."))
    _ = screen.press("ESC")

    #expect(
      screen.press("u") + screen.type("  /films/a b.mkv ") + screen.press("ENTER") == [
        .user(.load("/films/a b.mkv"))
      ])
    #expect(
      screen.press("u") + screen.type(Samples.invite) + screen.press("ENTER") == [
        .user(.join(invite: Samples.invite))
      ])
    screen.model.party = nil
    #expect(screen.press("I") + screen.type("http://x") + screen.press("ENTER") == [])
    #expect(screen.text.contains("Not an invite"))
    _ = screen.press("ctrl+u")
    #expect(
      screen.type("MATINEE://a:1/b#c") + screen.press("ENTER") == [
        .user(.join(invite: "MATINEE://a:1/b#c"))
      ])
    #expect(screen.press("N", "!", "ENTER") == [.user(.setName("Ana!"))])
    #expect(
      screen.press("N", "ctrl+u") + screen.paste("\u{200B}\u{202E}") + screen.press("ENTER") == [])
    #expect(screen.machine.state.prompt != nil)
  }

  @Test("Pasted text is never treated as keys")
  func paste() {
    var screen = playing()
    #expect(screen.paste("q") == [] && screen.paste("   ") == [])
    #expect(screen.machine.state.prompt == nil)
    // An invite that was cut into lines on its way.
    let cut = Samples.invite.prefix(50) + "\r\n  " + Samples.invite.dropFirst(50)
    #expect(screen.paste(" \(cut)\n") == [])
    #expect(screen.press("ENTER") == [.user(.join(invite: Samples.invite))])
    #expect(screen.paste("https://example.org/a.mkv") == [])
    #expect(screen.press("ENTER") == [.user(.load("https://example.org/a.mkv"))])
    #expect(screen.press("t") + screen.paste("one\ntwo") == [])
    #expect(screen.press("ENTER") == [.user(.say("one two"))])
  }

  @Test("A click on a choice takes it, and a click beside them takes none")
  func clickedQuestion() throws {
    var screen = playing()
    func position(of text: String) throws -> (column: Int, row: Int) {
      let rows = screen.canvas().text
      let row = try #require(rows.firstIndex { $0.contains(text) })
      return (
        TerminalText(String(rows[row].prefix(upTo: rows[row].range(of: text)!.lowerBound))).width,
        row
      )
    }
    screen.model.question = QuestionModel(
      id: "q", text: "Open it?",
      choices: [
        .init(id: "yes", key: "y", title: "open it"), .init(id: "no", key: "n", title: "not now"),
      ])
    let question = try position(of: "Open it?")
    #expect(screen.mouse(.press, question.column, question.row) == [])
    let yes = try position(of: "open it")
    #expect(
      screen.mouse(.press, yes.column, yes.row) == [.screen(.answer(question: "q", choice: "yes"))])
    screen.model.question = nil
    screen.press("L")
    let stay = try position(of: "stay")
    #expect(screen.mouse(.press, stay.column, stay.row) == [])
    #expect(screen.machine.state.overlay == nil)
    screen.press("L")
    let leave = try position(of: "y  leave")
    #expect(screen.mouse(.press, leave.column, leave.row) == [.user(.leave)])
  }

  @Test("A question waits while something is being typed, and takes no key by mistake")
  func question() {
    var screen = playing()
    _ = screen.press("t")
    screen.model.question = QuestionModel(
      id: "q", text: "Open http://example.org?",
      choices: [
        .init(id: "yes", key: "y", title: "open it"), .init(id: "no", key: "n", title: "no"),
      ])
    #expect(screen.type("yes") == [])
    #expect(!screen.text.contains("Open http"))
    #expect(screen.press("ENTER") == [.user(.say("yes"))])
    #expect(screen.text.contains("Open http://example.org?"))
    // Enter takes the marked choice, which is the harmless one.
    #expect(screen.press("SPACE", "q", "RIGHT", "LEFT", "x") == [])
    #expect(screen.press("ENTER") == [.screen(.answer(question: "q", choice: "no"))])
    #expect(screen.press("UP", "ENTER") == [.screen(.answer(question: "q", choice: "yes"))])
    #expect(screen.press("TAB", "ESC") == [.screen(.answer(question: "q", choice: "no"))])
    #expect(screen.press("y") == [.screen(.answer(question: "q", choice: "yes"))])
    #expect(screen.press("ctrl+c") == [.user(.quit)])
    // Another question starts with its own mark.
    _ = screen.press("UP")
    screen.model.question?.id = "r"
    #expect(screen.press("ENTER") == [.screen(.answer(question: "r", choice: "no"))])
  }

  @Test("Ctrl-C closes a prompt, so that the question is visible")
  func interruptedPrompt() {
    var screen = playing()
    screen.press("t")
    screen.type("hello")
    #expect(screen.press("ctrl+c") == [.user(.quit)])
    screen.model.question = QuestionModel(
      id: "q", text: "Quit and close the party?",
      choices: [
        .init(id: "yes", key: "y", title: "Quit"), .init(id: "no", key: "s", title: "Stay"),
      ])
    #expect(screen.text.contains("Quit and close the party?"))
    #expect(screen.press("q", "q") == [], "a habitual second q is no answer")
    #expect(screen.press("ENTER") == [.screen(.answer(question: "q", choice: "no"))])
  }

  @Test("The help scrolls within its bounds, and a letter filters it")
  func help() {
    var screen = playing()
    #expect(screen.press("?", "DOWN", "PGDWN", "END", "DOWN") == [])
    let end = screen.text
    #expect(screen.press("PGDWN") == [] && screen.text == end)
    #expect(end.contains("quit") && end.contains("more"))
    #expect(screen.press("HOME", "UP") == [] && screen.text.contains("Playback"))
    #expect(screen.press("q", "u", "i") == [] && screen.text.contains("Keys: qui"))
    #expect(screen.text.contains("quit") && !screen.text.contains("Playback"))
    #expect(screen.press("BS", "BS", "BS", "/") == [] && screen.text.contains("Playback"))
    screen.type("subtit")
    #expect(screen.text.contains("hide or show") && !screen.text.contains("mute"))
    screen.press("ESC")
    screen.type("zzz")
    #expect(screen.text.contains("No key for “zzz”"))
    #expect(screen.press("ESC") == [] && screen.text.contains("Playback"))
    #expect(screen.press("ESC") == [] && !screen.text.contains("Playback"))
  }

  @Test("A key without a command is explained once")
  func unusedKeys() {
    var screen = playing()
    #expect(screen.press("_") == [.screen(.explain("_ isn't used here. ? shows all keys"))])
    #expect(screen.press("_", "ESC") == [])
    #expect(
      screen.press("ctrl+LEFT") == [
        .screen(.explain("ctrl+left isn't used here. ? shows all keys"))
      ])
  }

  @Test("A guest without the right to control sees the keys for its own pace instead")
  func hintsWithoutControl() {
    var screen = playing()
    #expect(screen.text.contains("space pause") && !screen.text.contains("own pace"))
    screen.model.party?.mayControl = false
    #expect(!screen.text.contains("space pause") && !screen.text.contains("speed"))
    #expect(screen.text.contains("w catch up") && screen.text.contains("b own pace"))
  }

  @Test("Scrubbing with keys moves only this participant's picture, until enter or escape")
  func keyScrub() throws {
    var screen = playing()
    screen.model.transport.itemTime = MediaTime(seconds: 100)
    #expect(screen.press("S") == [.user(.scrub(to: MediaTime(seconds: 100)))])
    #expect(screen.text.contains("enter take everyone there"))
    #expect(screen.press("RIGHT") == [.user(.scrub(to: MediaTime(seconds: 105)))])
    #expect(screen.press("DOWN", "DOWN").last == .user(.scrub(to: .zero)))
    #expect(screen.press("t", "SPACE") == [], "nothing else happens meanwhile")
    #expect(screen.press("RIGHT", "ENTER").last == .user(.endScrub(at: MediaTime(seconds: 5))))
    #expect(screen.press("SPACE") == [.user(.playPause)])
    #expect(screen.press("S", "ESC").last == .user(.endScrub(at: nil)))
    // The library would hide the picture.
    screen.press("o")
    #expect(screen.text.contains("Library"))
    #expect(screen.press("S").last == .user(.scrub(to: MediaTime(seconds: 100))))
    #expect(!screen.text.contains("Library"))
    screen.press("ESC")
    screen.model.transport.duration = nil
    #expect(
      screen.press("S")
        == [.screen(.explain("Length unknown. Previewing isn't possible."))])
  }

  @Test("Clicking and dragging on the bar seeks, on release and once")
  func scrubs() throws {
    var screen = playing()
    let layout = ScreenLayout(size: screen.size, model: screen.model, state: screen.machine.state)
    let bar = TransportView.barArea(in: layout.transport, screen.model.transport)
    // A click alone.
    #expect(screen.mouse(.press, bar.column, bar.row) == [])
    #expect(screen.mouse(.release, bar.column, bar.row) == [.user(.seek(to: .zero))])
    // A drag shows its position to this participant only, until the button is released.
    #expect(screen.mouse(.press, bar.column, bar.row) == [])
    let shown = screen.mouse(.drag, bar.column + 5, bar.row - 3)
    #expect(
      shown.count == 1
        && shown.first.map { if case .user(.scrub) = $0 { true } else { false } } == true)
    #expect(screen.text.contains("0:2"))
    let end = MediaTime(seconds: 6130)
    #expect(screen.mouse(.drag, 500, bar.row) == [.user(.scrub(to: end))])
    #expect(screen.mouse(.drag, 501, bar.row) == [], "nothing new to show")
    #expect(screen.mouse(.release, 500, bar.row) == [.user(.endScrub(at: end))])
    _ = screen.mouse(.press, bar.column, bar.row)
    _ = screen.mouse(.drag, 500, bar.row)
    #expect(screen.press("ESC") == [.user(.endScrub(at: nil))])
    #expect(screen.mouse(.release, bar.column, bar.row) == [])
    #expect(screen.mouse(.drag, bar.column, bar.row) == [])
    #expect(screen.mouse(.press, 1, bar.row) == [.user(.playPause)])
    screen.model.transport.duration = nil
    #expect(screen.mouse(.press, bar.column + 2, bar.row) == [])
    #expect(screen.machine.state.scrub == nil)
  }

  @Test("A click selects in the library, a second one opens, and neither scrolls the list away")
  func clicks() {
    var screen = TestScreen(model: Samples.alone)
    screen.model.library.entries = (0..<50).map { .init(id: "\($0)", kind: .film, title: "Film") }
    #expect(screen.mouse(.press, 5, 12) == [])
    #expect(screen.mouse(.release, 5, 12) == [])
    #expect(screen.mouse(.press, 5, 12) == [.screen(.choose("10"))])
    #expect(
      screen.mouse(.wheelDown, 5, 12) == [] && screen.press("ENTER") == [.screen(.choose("11"))])
  }

  @Test("The wheel scrolls the chat, not beyond its ends")
  func wheel() {
    var screen = playing()
    screen.model.chat = (0..<100).map {
      ChatEntry(id: $0, hour: 1, minute: 2, .note("line \($0)."))
    }
    for _ in 0..<200 { #expect(screen.mouse(.wheelUp, 60, 12) == []) }
    #expect(screen.text.contains("line 0."))
    for _ in 0..<200 { _ = screen.mouse(.wheelDown, 60, 12) }
    #expect(screen.text.contains("line 99.") && screen.machine.state.chatScroll == 0)
    #expect(screen.press("t", "PGUP") == [] && screen.machine.state.chatScroll > 0)
    #expect(
      screen.press("x", "ENTER") == [.user(.say("x"))] && screen.machine.state.chatScroll == 0)
  }

  @Test(
    "Redraw, suspend and quit work whatever is open",
    arguments: ["t", "?", "I", "L", "o", "f", "i"])
  func always(opener: String) {
    var screen = playing()
    _ = screen.press(opener)
    #expect(screen.press("ctrl+l", "ctrl+z", "ctrl+c") == [.redraw, .suspend, .user(.quit)])
  }

  @Test("No keys and clicks make it fail, on any screen", arguments: UInt64(0)..<20)
  func monkey(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let models = [Samples.playing, Samples.alone, Samples.waiting, Samples.hostile, ScreenModel()]
    let keys = KeyMap.standard.entries.flatMap(\.bindings).flatMap(\.keys)
    var screen = TestScreen(model: Samples.alone)
    for _ in 0..<80 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: screen.model = models.randomElement(using: &random) ?? screen.model
      case 1:
        screen.size = ScreenSize(
          columns: .random(in: 0...130, using: &random), rows: .random(in: 0...50, using: &random))
      case 2, 3:
        let actions: [MouseEvent.Action] = [.press, .drag, .release, .wheelUp, .wheelDown]
        _ = screen.mouse(
          actions.randomElement(using: &random) ?? .press, .random(in: 0...140, using: &random),
          .random(in: 0...60, using: &random))
      case 4:
        _ = screen.paste(
          ["x\n", "matinee://", "https://e", "漢\u{301}"].randomElement(using: &random) ?? "")
      default:
        if let key = keys.randomElement(using: &random) {
          _ = screen.machine.handle(
            .key(key), model: screen.model, size: screen.size, at: screen.now)
        }
      }
      let canvas = ScreenView(model: screen.model, state: screen.machine.state).canvas(
        size: screen.size, symbols: .unicode)
      #expect(canvas.cells.count == screen.size.columns * screen.size.rows, "seed \(seed)")
    }
  }
}
