import Screening

/// The keys and their commands, with mpv's keys for mpv's commands. The help and the line of hints are made from it, so
/// that they always agree with the keys.
struct KeyMap: Hashable, Sendable {
  enum Section: String, CaseIterable, Hashable, Sendable {
    case playback = "Playback"
    case sound = "Sound, picture and subtitles"
    case party = "Party"
    case drawing = "Drawing on the film"
    case library = "Library"
    case screen = "Screen"
    case own = "Your own"

    /// A Boolean value that indicates whether its keys apply only during one activity, and take precedence then.
    var isForOneThing: Bool { self == .library || self == .drawing }
  }

  struct Binding: Hashable, Sendable {
    var keys: [KeyPress]
    var command: Command

    /// Creates a binding of several keys.
    ///
    /// - Parameter names: names as in mpv's `input.conf`, separated by blanks.
    init(_ names: String, _ command: Command) {
      keys = names.split(separator: " ").map { name in
        guard let key = KeyPress(mpvName: String(name)) else {
          preconditionFailure("no key is called \(name)")
        }
        return key
      }
      self.command = command
    }

    init(_ key: KeyPress, _ command: Command) {
      keys = [key]
      self.command = command
    }
  }

  /// A group of related keys that are explained in one line: back and forth, slower and faster.
  struct Entry: Hashable, Sendable {
    var section: Section
    var bindings: [Binding]
    /// The text in the help.
    var help: String
    /// The text in the line of hints; nil for an entry that isn't on it.
    var hint: String?

    init(_ section: Section, _ bindings: [Binding], _ help: String, hint: String? = nil) {
      self.section = section
      self.bindings = bindings
      self.help = help
      self.hint = hint
    }

    /// Creates an entry with the help of ``UserCommandTable``.
    ///
    /// - Precondition: each command is one of the table's without an argument.
    init(_ section: Section, _ bindings: [Binding], hint: String? = nil) {
      let helps = bindings.map { binding in
        guard let row = binding.command.row else {
          preconditionFailure("\(binding.command) isn't in the table")
        }
        return row.shortHelp
      }
      self.init(section, bindings, KeyHelp.merged(helps), hint: hint)
    }

    /// Returns "← →"; unless `allKeys`, only the first key of each binding.
    func keysLabel(isUnicode: Bool, allKeys: Bool) -> TerminalText {
      var labels: [String] = []
      for binding in bindings {
        for key in allKeys ? binding.keys : Array(binding.keys.prefix(1)) {
          labels.append(key.label(isUnicode: isUnicode).description)
        }
      }
      // "shift+←/→" rather than "shift+← shift+→".
      let shift = "shift+"
      if labels.count > 1, labels.allSatisfy({ $0.hasPrefix(shift) }) {
        return TerminalText(shift + labels.map { $0.dropFirst(shift.count) }.joined(separator: "/"))
      }
      return TerminalText(labels.joined(separator: " "))
    }
  }

  var entries: [Entry]
  /// Keys that the user has removed. A mouse action among them loses its standard effect as well.
  var ignored: Set<KeyPress> = []

  /// Returns the command of a key.
  ///
  /// - Parameter section: the activity that takes precedence; nil for none.
  func command(for key: KeyPress, in section: Section? = nil) -> Command? {
    if let section, let found = command(for: key, where: { $0 == section }) { return found }
    return command(for: key, where: { !$0.isForOneThing })
  }

  /// Returns the first key of a command as the help shows it; nil if it has none.
  func label(of command: Command) -> String? {
    for entry in entries {
      for binding in entry.bindings where binding.command == command {
        return binding.keys.first?.label(isUnicode: false).description
      }
    }
    return nil
  }

  private func command(for key: KeyPress, where isWanted: (Section) -> Bool) -> Command? {
    for entry in entries where isWanted(entry.section) {
      for binding in entry.bindings where binding.keys.contains(key) { return binding.command }
    }
    return nil
  }
}

extension KeyMap {
  static let standard = KeyMap(entries: [
    Entry(
      .playback, [Binding("SPACE", .user(.playPause))],
      hint: "play"),
    Entry(
      .playback, [Binding("p", .startAnywayOrPause)],
      "play or pause; don't wait for anyone"),
    Entry(
      .playback,
      [
        Binding("LEFT", .user(.skip(by: .seconds(-5)))),
        Binding("RIGHT", .user(.skip(by: .seconds(5)))),
      ], "back / forward 5 s", hint: "seek"),
    Entry(
      .playback,
      [
        Binding("Shift+LEFT", .user(.skip(by: .seconds(-1)))),
        Binding("Shift+RIGHT", .user(.skip(by: .seconds(1)))),
      ], "back / forward 1 s"),
    Entry(
      .playback,
      [
        Binding("DOWN", .user(.skip(by: .seconds(-60)))),
        Binding("UP", .user(.skip(by: .seconds(60)))),
      ], "back / forward 1 min"),
    Entry(
      .playback,
      [
        Binding("Shift+DOWN", .user(.skip(by: .seconds(-5)))),
        Binding("Shift+UP", .user(.skip(by: .seconds(5)))),
      ], "back / forward 5 s"),
    Entry(
      .playback,
      [
        Binding("PGDWN !", .user(.seekChapter(by: -1))),
        Binding("PGUP @", .user(.seekChapter(by: 1))),
      ],
      "previous / next chapter (10 min without chapters)"),
    Entry(
      .playback,
      [
        Binding("Shift+PGDWN", .user(.skip(by: .seconds(-600)))),
        Binding("Shift+PGUP", .user(.skip(by: .seconds(600)))),
      ], "back / forward 10 min"),
    Entry(.playback, [Binding("F10", .screen(.showChapters))], "choose a chapter by name"),
    Entry(.playback, [Binding("g", .prompt(.goTo))], "go to a time"),
    Entry(
      .playback, [Binding("S", .scrub)],
      "preview another spot (enter: take everyone, esc: cancel)"),
    Entry(
      .playback,
      [
        Binding("[", .user(.multiplyRate(by: 1 / 1.1))),
        Binding("]", .user(.multiplyRate(by: 1.1))),
      ], "10 % slower / faster", hint: "speed"),
    Entry(
      .playback,
      [Binding("{", .user(.multiplyRate(by: 0.5))), Binding("}", .user(.multiplyRate(by: 2)))],
      "half / double speed"),
    Entry(.playback, [Binding("BS", .user(.setRate(1)))], "normal speed"),
    Entry(
      .playback,
      [Binding(",", .user(.frameStep(by: -1))), Binding(".", .user(.frameStep(by: 1)))]),
    Entry(
      .playback,
      [Binding("<", .user(.advance(by: -1))), Binding(">", .user(.advance(by: 1)))]),

    Entry(
      .sound,
      [
        Binding("9 /", .user(.changeVolume(by: -2))),
        Binding("0 *", .user(.changeVolume(by: 2))),
      ], "volume (just you)"),
    Entry(.sound, [Binding("m", .user(.toggleMute))]),
    Entry(.sound, [Binding("e", .user(.duck(nil)))]),
    // mpv's keys for its audio delay. Few terminals send them; all send them with alt.
    Entry(
      .sound,
      [
        Binding("ctrl++ alt++", .user(.changeLatencyOffset(by: 1))),
        Binding("ctrl+- alt+-", .user(.changeLatencyOffset(by: -1))),
      ]),
    Entry(.sound, [Binding("SHARP", .user(.cycleAudio))]),
    Entry(
      .sound,
      [
        Binding("j", .user(.cycleSubtitles(by: 1))),
        Binding("J", .user(.cycleSubtitles(by: -1))),
      ]),
    Entry(.sound, [Binding("v", .user(.toggleSubtitles))]),
    Entry(.sound, [Binding("F9", .screen(.showTracks))], "choose audio and subtitles by name"),
    Entry(
      .sound,
      [
        Binding("d", .user(.offset(.milliseconds(100), isChange: true))),
        Binding("alt+d", .user(.offset(.milliseconds(-100), isChange: true))),
      ], "another copy 0.1 s later / earlier"),
    Entry(
      .sound,
      [
        Binding("z", .user(.player(.add("sub-delay", "-0.1")))),
        Binding("Z x", .user(.player(.add("sub-delay", "+0.1")))),
      ], "subtitles 0.1 s earlier / later"),
    Entry(
      .sound,
      [
        Binding("F", .user(.player(.add("sub-scale", "-0.1")))),
        Binding("G", .user(.player(.add("sub-scale", "+0.1")))),
      ], "smaller / larger subtitles"),
    Entry(
      .sound,
      ["contrast", "brightness", "gamma", "saturation"].enumerated().flatMap { index, name in
        [
          Binding("\(index * 2 + 1)", .user(.player(.add(name, "-1")))),
          Binding("\(index * 2 + 2)", .user(.player(.add(name, "+1")))),
        ]
      }, "contrast, brightness, gamma, saturation in mpv's window"),
    Entry(.sound, [Binding("s", .user(.player(.screenshot)))], "screenshot"),
    Entry(
      .sound, [Binding("V", .user(.cycleVideo))]),
    Entry(
      .sound, [Binding("K", .screen(.cyclePictureKind))],
      "picture in the terminal: pixels → … → half-blocks"),

    Entry(.party, [Binding("ENTER t", .prompt(.chat))], hint: "chat"),
    Entry(.party, [Binding("r", .react)]),
    Entry(.party, [Binding("M", .user(.react(.moment)))], "mark this moment of the film"),
    Entry(.party, [Binding("alt+e", .user(.toggleEchoes))]),
    Entry(
      .party,
      [
        Binding("alt+v", .user(.propose(.rewind))), Binding("alt+s", .user(.propose(.skip))),
        Binding("alt+n", .user(.propose(.next))),
      ], "ask everyone: 30 s back / skip the intro / next film?"),
    Entry(.party, [Binding("n", .user(.answer(false, forGood: false)))]),
    Entry(
      .party, [Binding("w", .user(.whatHappened))], hint: "catch up"),
    Entry(
      .party, [Binding("b", .stepAwayOrRejoin)], "watch at your own pace / rejoin",
      hint: "own pace"),
    Entry(.party, [Binding("R", .user(.toggleReady))]),
    Entry(
      .party, [Binding("y", .user(.answer(true, forGood: false)))],
      "say yes to a question; load the film from the server that you declined"),
    Entry(
      .party, [Binding("P", .openPartyOrPictureInPicture)],
      "host a party; in a party: picture-in-picture", hint: "host a party"),
    Entry(
      .party, [Binding("A", .user(.rejoin(nil)))],
      hint: "rejoin"),
    Entry(
      .party, [Binding("I", .showInvite)],
      "show the invite / join with an invite", hint: "invite"),
    Entry(.party, [Binding("N", .prompt(.name))]),
    Entry(.party, [Binding("L", .leaveParty)]),
    Entry(.party, [Binding("E", .endParty)]),

    Entry(.party, [Binding("D", .user(.drawing(.draw([]))))]),

    Entry(.drawing, [Binding("SPACE", .togglePen)], "pen down / up", hint: "pen"),
    Entry(
      .drawing,
      [
        Binding("LEFT", .movePen(columns: -1, rows: 0)),
        Binding("DOWN", .movePen(columns: 0, rows: 1)),
        Binding("UP", .movePen(columns: 0, rows: -1)),
        Binding("RIGHT", .movePen(columns: 1, rows: 0)),
      ], "move the pen (or draw with the mouse)", hint: "draw"),
    Entry(
      .drawing,
      [
        Binding("Shift+LEFT", .movePen(columns: -5, rows: 0)),
        Binding("Shift+DOWN", .movePen(columns: 0, rows: 5)),
        Binding("Shift+UP", .movePen(columns: 0, rows: -5)),
        Binding("Shift+RIGHT", .movePen(columns: 5, rows: 0)),
      ], "move the pen further"),
    Entry(
      .drawing, [Binding("u BS", .user(.drawing(.undo)))], hint: "undo"),
    Entry(
      .drawing, [Binding("R", .user(.drawing(.reset)))],
      hint: "clear"),
    Entry(
      .drawing, [Binding("ESC D", .leaveDrawing)], hint: "leave"),

    Entry(
      .library, [Binding("UP k", .select(by: -1)), Binding("DOWN j", .select(by: 1))], "select",
      hint: "select"),
    Entry(
      .library, [Binding("PGUP", .selectPage(by: -1)), Binding("PGDWN", .selectPage(by: 1))],
      "page up / down"),
    Entry(
      .library, [Binding("HOME", .selectFirst), Binding("END", .selectLast)], "first / last"),
    Entry(.library, [Binding("ENTER RIGHT", .openSelected)], "open", hint: "open"),
    Entry(
      .library, [Binding("e", .enqueueSelected)], "add to playlist", hint: "add to playlist"),
    Entry(
      .library, [Binding("d TAB", .toggleDetails)], "details / back to list",
      hint: "details"),
    Entry(
      .library, [Binding("b", .openSelectedAnew)],
      "play from the start"
    ),
    Entry(
      .library, [Binding("/", .searchLibrary)], "search the library", hint: "search"),
    Entry(
      .library, [Binding("a", .addFolder)], "add this folder to the library",
      hint: "add folder"),
    Entry(
      .library, [Binding("x DEL", .forgetSelected)],
      "remove from the list"),
    Entry(.library, [Binding("LEFT BS", .leaveFolder)], "parent folder"),
    Entry(.library, [Binding("ESC", .closeLibrary)], "close the library", hint: "close"),

    Entry(
      .screen, [Binding("o", .toggleLibrary)], "library", hint: "library"
    ),
    Entry(.screen, [Binding("l F8", .showPlaylist)], "playlist"),
    Entry(
      .screen, [Binding("u", .prompt(.openURL))], "open a URL or file", hint: "open URL"),
    Entry(.screen, [Binding("f", .togglePicture)], "full screen on/off"),
    Entry(.screen, [Binding("i", .toggleCompact)], "compact view on/off"),
    Entry(
      .screen, [Binding("Y", .toggleSync)], "sync graph"),
    Entry(.screen, [Binding("? F1", .showHelp)], "all keys", hint: "keys"),
    Entry(.screen, [Binding("ctrl+l", .redraw)], "redraw"),
    Entry(.screen, [Binding("ctrl+z", .suspend)], "suspend (fg to return)"),
    Entry(.screen, [Binding("q Q ctrl+c", .user(.quit))], hint: "quit"),
  ])
}

extension KeyMap {
  /// Returns the name of a key for this command while `section` has the keys first; nil if there is none.
  func label(of command: Command, in section: Section? = nil, _ symbols: GlyphSet) -> TerminalText?
  {
    for entry in entries where !entry.section.isForOneThing || entry.section == section {
      for binding in entry.bindings where binding.command == command {
        // A key that has another command in the section is no help.
        if let key = binding.keys.first(where: { self.command(for: $0, in: section) == command }) {
          return key.label(isUnicode: symbols.isUnicode)
        }
      }
    }
    return nil
  }
}
