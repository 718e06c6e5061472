import ScreenDemo
import Screening
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The user's own keys")
struct KeyBindingsTests {
  private func problem(_ text: String) -> String? {
    KeyBindings(parsing: text).problems.first?.description
  }

  /// Returns the command of the key with these lines.
  private func command(_ name: String, _ text: String) throws -> Command? {
    let user = KeyBindings(parsing: text)
    try #require(user.problems.isEmpty, "\(user.problems)")
    return KeyMap.standard.applying(user).command(for: try #require(KeyPress(mpvName: name)))
  }

  @Test("A message names the user's keys in place of the standard ones")
  func messages() {
    let own = KeyBindings(parsing: "I ignore\nctrl+i invite\nb quit\nLEFT ignore\nP host")
    for (message, words) in [
      ("Party open. Press I for the invite.", "Party open. Press ctrl+i for the invite."),
      ("Only hosts control this. Press b to watch alone.", "Only hosts control this."),
      (
        "It needs a party. Press ← to go back. Press P to host one.",
        "It needs a party. Press shift+down to go back. Press P to host one."
      ),
      ("Press D to draw too", "Press D to draw too"),
      ("Press Enter to open it.", "Press Enter to open it."),
    ] {
      #expect(own.naming(keysIn: message) == words)
      #expect(KeyBindings().naming(keysIn: message) == message)
    }
  }

  private func words(_ text: String) throws -> PlayerCommand? {
    guard case .user(.player(let command))? = try command("x", "x " + text) else { return nil }
    return command
  }

  @Test("A line of mpv's input.conf has its meaning in mpv")
  func mpvsWords() throws {
    let user = KeyBindings(
      parsing: """
        # mine
        h   seek -10
        l   seek 10   # on
        Shift+RIGHT add chapter 1
        UP  add volume 5
        w ignore
        """)
    let map = KeyMap.standard.applying(user)
    func command(_ name: String) -> Command? {
      map.command(for: KeyPress(mpvName: name)!)
    }
    #expect(command("h") == .user(.skip(by: .seconds(-10))))
    #expect(command("l") == .user(.skip(by: .seconds(10))))
    #expect(command("Shift+RIGHT") == .user(.seekChapter(by: 1)))
    #expect(command("w") == nil, "taken away")
    #expect(command("RIGHT") == .user(.skip(by: .seconds(5))), "as it was")
    #expect(
      map.command(for: KeyPress(mpvName: "UP")!, in: .library) == .select(by: -1),
      "the library keeps its own")
  }

  @Test("The help and the hints show the commands of the user's keys")
  func help() throws {
    let user = KeyBindings(parsing: "c chat\nx seek 90\nENTER ignore\nt ignore")
    let map = KeyMap.standard.applying(user)
    var state = ScreenState()
    func text() -> String {
      ScreenView(model: Samples.playing, state: state, keyMap: map)
        .canvas(size: ScreenSize(columns: 130, rows: 70), symbols: .unicode).text
        .joined(separator: "\n")
    }
    #expect(text().contains("c chat"))
    state.overlay = .help(scroll: 0)
    #expect(text().contains("Your own"))
    #expect(text().contains("x  seek 90"))
  }

  @Test("Every command has a name, except those of the library and of the mouse")
  func names() throws {
    for (name, command) in Command.named {
      #expect(try Command(reading: name.split(separator: " ").map(String.init)) == command)
    }
    let names = Command.named.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(
    "A mistake is reported with its line and a correct form",
    arguments: [
      ("x sek 5", "line 1: there is no command “sek 5”; did you mean “seek 5”?"),
      (
        "\n\nx cycle pose",
        "line 3: there is no property “pose” that a key can change"
      ),
      (
        "Ctl+x quit", "line 1: there is no key “Ctl+x”; examples: SPACE, Shift+LEFT, ctrl+l, SHARP"
      ),
      ("x", "line 1: the command after “x” is missing, as in: x cycle pause"),
      ("x zzzzzzzzzzz", "line 1: there is no command “zzzzzzzzzzz”"),
      (
        "x seek nan",
        "line 1: “seek” takes seconds or a time, as in: seek 5, seek -1:30; “nan” is neither"
      ),
      (
        "x seek 1e300",
        "line 1: “seek” takes seconds or a time, as in: seek 5, seek -1:30; “1e300” is neither"
      ),
      ("x add sub-delay fast", "line 1: “sub-delay” takes a number; “fast” isn't one"),
      ("x run /bin/sh", "line 1: “run” is refused because it starts another program"),
      ("x set edition 2", "line 1: “edition” would move only you, so it doesn't work in a party"),
      ("x set keep-open no", "line 1: Matinee itself sets “keep-open”"),
      (
        "x add sub-dealy 1",
        "line 1: there is no property “sub-dealy” that a key can change; did you mean “sub-delay”?"
      ),
      (
        "x screenshot nonsense",
        "line 1: “screenshot” has no mode “nonsense”; use subtitles, video or window"
      ),
      ("x show-text \"open", "line 1: the quotation mark \" isn't closed"),
      ("x show-text hi; jump", "line 1: there is no command “jump”"),
      ("MUTE cycle mute", "line 1: terminals don't report the key “MUTE”"),
      ("Meta+x quit", "line 1: terminals don't report the key “Meta+x”"),
      ("a-b-c quit", "line 1: “a-b-c” is several keys; one key per line here"),
      ("x {uosc} quit", "line 1: the section “{uosc}” is for mpv's window only"),
    ])
  func problems(text: String, words: String) { #expect(problem(text) == words) }

  @Test("Remarks, blank lines and line ends of Windows are ignored")
  func nothing() throws {
    #expect(KeyBindings(parsing: "# all\r\n\r\n   \n").bindings.isEmpty)
    #expect(KeyBindings(parsing: "x quit\r\n").bindings.count == 1)
  }

  @Test("One line that can't be used leaves all the others, and each such line is listed")
  func skipping() {
    let user = KeyBindings(
      parsing: """
        x seek 90
        y jump 5
        z add sub-delay 0.1
        MUTE cycle mute
        q-w quit
        K catch-up
        """)
    #expect(user.bindings.map(\.words) == ["seek 90", "add sub-delay 0.1", "catch-up"])
    #expect(user.problems.map(\.line) == [2, 4, 5])
  }

  @Test("The help lists the problems of the settings")
  func problemsInHelp() {
    var model = Samples.playing
    model.settingsProblems = [
      "keys.conf, line 2: there is no command “jump”", "theme.conf, line 9",
    ]
    var state = ScreenState()
    state.overlay = .help(scroll: 0)
    let text = ScreenView(model: model, state: state)
      .canvas(size: ScreenSize(columns: 80, rows: 24), symbols: .unicode).text
      .joined(separator: "\n")
    #expect(text.contains("Problems in your settings"))
    #expect(text.contains("keys.conf, line 2: there is no command “jump”"))
    #expect(text.contains("theme.conf, line 9"))
  }

  @Test(
    "Only lines for other devices are skipped in mpv's own example of an input.conf")
  func example() throws {
    // Lines of mpv's etc/input.conf, in every form that occurs there.
    let text = """
      MBTN_LEFT     ignore              # don't do anything
      MBTN_LEFT_DBL cycle fullscreen    # toggle fullscreen
      MBTN_RIGHT    cycle pause         # toggle pause/playback mode
      WHEEL_UP      add volume 2
      WHEEL_DOWN    add volume -2
      RIGHT seek  5                     # seek 5 seconds forward
      Shift+RIGHT no-osd seek  1 exact  # seek exactly 1 second forward
      Ctrl+LEFT   no-osd sub-seek -1    # seek to the previous subtitle
      Ctrl+Shift+LEFT sub-step -1
      [ multiply speed 1/1.1
      { multiply speed 0.5
      BS set speed 1.0
      Shift+BS revert-seek
      Q quit-watch-later
      q {encode} quit 4
      ESC set fullscreen no
      ESC {encode} quit 4
      . frame-step
      O no-osd cycle-values osd-level 3 1
      i script-binding stats/display-stats
      ` script-binding console/enable
      z add sub-delay -0.1
      Ctrl++ add audio-delay 0.100
      G add sub-scale +0.1
      9 add volume -2
      1 add contrast -1
      Ctrl+r no-osd seek 0 absolute-percent
      u cycle-values sub-ass-override "force" "yes"
      r add sub-pos -1
      V cycle sub-ass-vsfilter-aspect-compat
      d cycle deinterlace
      # cycle audio streams
      SHARP cycle audio
      A cycle-values video-aspect-override "16:9" "4:3" "2.35:1" "-1"
      Alt+BS set video-zoom 0 ; set video-pan-x 0 ; set video-pan-y 0
      s screenshot
      Ctrl+s screenshot window
      Alt+s screenshot each-frame
      l ab-loop
      L cycle-values loop-file "inf" "no"
      Ctrl+h cycle-values hwdec "auto" "no"
      F8 show-text ${playlist}
      F9 show-text ${track-list}
      PGUP add chapter 1
      """
    let user = KeyBindings(parsing: text)
    #expect(
      user.problems.map(\.reason) == [
        "the section “{encode}” is for mpv's window only",
        "the section “{encode}” is for mpv's window only",
      ])
  }

  @Test("Commands of mpv's that concern only this player are passed to it unchanged")
  func local() throws {
    #expect(
      try words("add sub-delay 0.1")
        == PlayerCommand(
          ["add", "sub-delay", "0.1"], feedback: .text("Subtitle delay: ${sub-delay}")))
    #expect(try words("add contrast 1")?.requirement == .window)
    #expect(try words("add sub-scale 0.1")?.requirement == PlayerCommand.Requirement.none)
    #expect(try words("cycle-values loop-file inf no")?.requirement == .noParty)
    #expect(try words("cycle-values loop-file inf no")?.subject == "loop-file")
    #expect(try words("ab-loop")?.requirement == .noParty)
    #expect(try words("screenshot video")?.feedback == .screenshot)
    #expect(try words("show-text \"${filename}; #1\" 2000")?.feedback == .text("${filename}; #1"))
    #expect(try words("no-osd cycle deinterlace")?.feedback == PlayerCommand.Feedback.none)
    #expect(try words("script-message-to stats toggle 'a b'")?.arguments.last == "a b")
    #expect(try words("set screenshot-directory !+a'b\"c+!")?.arguments.last == "a'b\"c")
  }

  @Test(
    "Commands of mpv's that move playback become the group's",
    arguments: [
      ("set pause yes", Command.user(.pause)), ("set pause no", .user(.play(immediately: false))),
      ("add speed 0.25", .user(.addRate(0.25))),
      ("cycle-values speed 1 1.5 2", .user(.cycleRates([1, 1.5, 2]))),
      ("seek 50 absolute-percent", .user(.seekPercent(50, isRelative: false))),
      ("seek -1:30", .user(.skip(by: .seconds(-90)))),
      ("seek 1:00 absolute+exact", .user(.seek(to: MediaTime(seconds: 60)))),
      ("set time-pos 60", .user(.seek(to: MediaTime(seconds: 60)))),
      ("set fullscreen no", .showPicture(false)), ("playlist-next weak", .user(.advance(by: 1))),
      ("set playlist-pos-1 3", .user(.watch(entry: 2))),
      ("loadfile ~/film.mkv", .user(.load("~/film.mkv"))),
      ("quit-watch-later", .user(.quit)), ("add chapter -1", .user(.seekChapter(by: -1))),
    ])
  func routed(text: String, expected: Command) throws {
    #expect(try command("x", "x " + text) == expected)
  }

  @Test("Several commands on one line are performed one after the other")
  func several() throws {
    let expected: Command = .sequence([
      .user(.skip(by: .seconds(-10))), .user(.toggleSubtitles), .prompt(.chat),
    ])
    #expect(try command("x", "x seek -10 ; cycle sub-visibility; chat # all of it") == expected)
    var machine = InputMachine(
      keyMap: .standard.applying(KeyBindings(parsing: "x seek -10; cycle sub-visibility; chat")))
    let effects = machine.handle(
      .key(KeyPress(.character("x"))), model: Samples.playing,
      size: ScreenSize(columns: 100, rows: 30), at: .now())
    #expect(effects == [.user(.skip(by: .seconds(-10))), .user(.toggleSubtitles)])
    #expect(machine.state.prompt?.kind == .chat)
  }

  @Test(
    "Each command that can be typed can be given to a key, with its argument",
    arguments: [
      ("play now", Command.user(.play(immediately: true))),
      ("chat Back soon", .user(.say("Back soon"))),
      ("react love", .user(.react(.love))), ("ready-check", .user(.askWhetherReady())),
      ("seek 5", .user(.skip(by: .seconds(5)))), ("rate +0.1", .user(.addRate(0.1))),
      ("ready", .user(.toggleReady)), ("open-party", .user(.host)), ("rejoin", .user(.rejoin(nil))),
      ("draw", .user(.drawing(.draw([])))), ("output-later", .user(.changeLatencyOffset(by: 1))),
      ("catch-up", .user(.whatHappened)), ("leave-party", .leaveParty),
    ])
  func typed(text: String, expected: Command) throws {
    #expect(try command("x", "x " + text) == expected)
  }

  @Test("A wrong argument of such a command is reported with an example")
  func wrong() {
    #expect(problem("x react boo")?.contains("as in: react applause") == true)
    #expect(problem("x move 1")?.contains("as in: move 3 1") == true)
  }

  @Test("The wheel and the buttons over the video can be bound, and removed")
  func mouse() throws {
    var machine = InputMachine(
      keyMap: .standard.applying(
        KeyBindings(parsing: "WHEEL_UP seek 10\nWHEEL_DOWN ignore\nMBTN_LEFT cycle pause")))
    let size = ScreenSize(columns: 100, rows: 30)
    let layout = ScreenLayout(size: size, model: Samples.playing, state: machine.state)
    let point = ScreenPoint(column: layout.pane.column + 3, row: layout.pane.row + 3)
    func effects(_ action: MouseEvent.Action) -> [InputMachine.Effect] {
      machine.handle(
        .mouse(MouseEvent(action, at: point)), model: Samples.playing, size: size, at: .now())
    }
    #expect(effects(.wheelUp) == [.user(.skip(by: .seconds(10)))])
    #expect(effects(.wheelDown).isEmpty)
    #expect(effects(.press) == [.user(.playPause)])
    #expect(effects(.secondaryPress) == [.user(.playPause)], "as it was")
  }
}

@Suite("The help of the keys")
struct KeyHelpTests {
  @Test("Keys of commands without an argument have the help of the table of commands")
  func table() {
    // The key leaves the argument out, or the screen asks for it.
    let needsNone: Set = ["draw", "rejoin", "chat", "name", "react"]
    var count = 0
    for entry in KeyMap.standard.entries {
      let rows = entry.bindings.compactMap(\.command.row)
      guard rows.count == entry.bindings.count, entry.bindings[0].command != .user(.react(.moment)),
        rows.allSatisfy({ $0.argument.isEmpty || needsNone.contains($0.name) })
      else { continue }
      #expect(entry.help == KeyHelp.merged(rows.map(\.shortHelp)))
      count += 1
    }
    #expect(count >= 18)
  }

  @Test("The help of related keys names their difference only")
  func merged() {
    #expect(KeyHelp.merged(["quit"]) == "quit")
    #expect(KeyHelp.merged(["next audio", "previous audio"]) == "next / previous audio")
    #expect(KeyHelp.merged(["go to the next", "go to the last"]) == "go to the next / last")
    #expect(KeyHelp.merged(["same", "same"]) == "same")
  }
}
