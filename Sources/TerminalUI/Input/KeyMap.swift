/// Which keys do what, mpv's where mpv has one. The help and the line of hints are made from it, so that
/// they can't say anything else than what the keys do.
struct KeyMap: Hashable, Sendable {
  enum Section: String, CaseIterable, Hashable, Sendable {
    case playback = "Playback"
    case sound = "Sound and picture"
    case party = "Party"
    case drawing = "Drawing over the picture"
    case library = "Library"
    case screen = "Screen"
    case own = "Your own"

    /// Its keys count only while it is what one does, and go before all others then.
    var isForOneThing: Bool { self == .library || self == .drawing }
  }

  struct Binding: Hashable, Sendable {
    var keys: [KeyPress]
    var command: Command

    /// - Parameter names: as in mpv's `input.conf`, parted by blanks.
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

  /// Keys that belong together and are explained in one line: back and forth, slower and faster.
  struct Entry: Hashable, Sendable {
    var section: Section
    var bindings: [Binding]
    /// What the help says.
    var help: String
    /// What the line of hints says; nil if it isn't worth its room.
    var hint: String?

    init(_ section: Section, _ bindings: [Binding], _ help: String, hint: String? = nil) {
      self.section = section
      self.bindings = bindings
      self.help = help
      self.hint = hint
    }

    /// "← →"; only the first key of each binding where that is enough.
    func keysLabel(isUnicode: Bool, allKeys: Bool) -> TerminalText {
      var labels: [String] = []
      for binding in bindings {
        for key in allKeys ? binding.keys : Array(binding.keys.prefix(1)) {
          labels.append(key.label(isUnicode: isUnicode).description)
        }
      }
      // "shift ← →" rather than "shift ← shift →".
      let shift = "shift "
      if labels.count > 1, labels.allSatisfy({ $0.hasPrefix(shift) }) {
        return TerminalText(shift + labels.map { $0.dropFirst(shift.count) }.joined(separator: " "))
      }
      return TerminalText(labels.joined(separator: " "))
    }
  }

  var entries: [Entry]
  /// Keys that the user took away: the mouse does nothing with them either.
  var ignored: Set<KeyPress> = []

  /// - Parameter section: what the keys act on first, if it is something by itself.
  func command(for key: KeyPress, in section: Section? = nil) -> Command? {
    if let section, let found = command(for: key, where: { $0 == section }) { return found }
    return command(for: key, where: { !$0.isForOneThing })
  }

  /// The first key of a command as the help shows it; nil if it has none.
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
      .playback, [Binding("SPACE", .intent(.playPause))], "play or pause, for everyone",
      hint: "play"),
    Entry(
      .playback, [Binding("p", .startAnywayOrPause)],
      "play or pause; while waiting for somebody: start anyway"),
    Entry(
      .playback,
      [
        Binding("LEFT", .intent(.skip(by: .seconds(-5)))),
        Binding("RIGHT", .intent(.skip(by: .seconds(5)))),
      ], "5 seconds back or on", hint: "seek"),
    Entry(
      .playback,
      [
        Binding("Shift+LEFT", .intent(.skip(by: .seconds(-1)))),
        Binding("Shift+RIGHT", .intent(.skip(by: .seconds(1)))),
      ], "1 second back or on"),
    Entry(
      .playback,
      [
        Binding("DOWN", .intent(.skip(by: .seconds(-60)))),
        Binding("UP", .intent(.skip(by: .seconds(60)))),
      ], "1 minute back or on"),
    Entry(
      .playback,
      [
        Binding("Shift+DOWN", .intent(.skip(by: .seconds(-5)))),
        Binding("Shift+UP", .intent(.skip(by: .seconds(5)))),
      ], "5 seconds back or on"),
    Entry(
      .playback,
      [Binding("PGDWN", .chapterOrLongSeek(-1)), Binding("PGUP", .chapterOrLongSeek(1))],
      "chapter back or on; 10 minutes if there are none"),
    Entry(
      .playback,
      [
        Binding("Shift+PGDWN", .intent(.skip(by: .seconds(-600)))),
        Binding("Shift+PGUP", .intent(.skip(by: .seconds(600)))),
      ], "10 minutes back or on"),
    Entry(.playback, [Binding("g", .prompt(.goTo))], "go to a time"),
    Entry(
      .playback, [Binding("S", .scrub)],
      "look around alone: seek keys, then enter for everyone or esc"),
    Entry(
      .playback,
      [
        Binding("[", .intent(.multiplyRate(by: 1 / 1.1))),
        Binding("]", .intent(.multiplyRate(by: 1.1))),
      ], "10 % slower or faster", hint: "speed"),
    Entry(
      .playback,
      [Binding("{", .intent(.multiplyRate(by: 0.5))), Binding("}", .intent(.multiplyRate(by: 2)))],
      "half or double speed"),
    Entry(.playback, [Binding("BS", .intent(.setRate(1)))], "normal speed"),
    Entry(
      .playback,
      [Binding(",", .intent(.frameStep(by: -1))), Binding(".", .intent(.frameStep(by: 1)))],
      "one frame back or on"),
    Entry(
      .playback,
      [Binding("<", .intent(.advance(by: -1))), Binding(">", .intent(.advance(by: 1)))],
      "previous or next film of the playlist"),

    Entry(
      .sound,
      [
        Binding("9 /", .intent(.changeVolume(by: -2))),
        Binding("0 *", .intent(.changeVolume(by: 2))),
      ], "quieter or louder, only here"),
    Entry(.sound, [Binding("m", .intent(.toggleMute))], "sound off or on, only here"),
    // mpv's for its audio delay; few terminals send them, all send those with alt.
    Entry(
      .sound, [Binding("ctrl++ alt++", .intent(.changeLatencyOffset(by: 1)))],
      "late output: 10 ms further ahead"),
    Entry(
      .sound, [Binding("ctrl+- alt+-", .intent(.changeLatencyOffset(by: -1)))],
      "late output: 10 ms less far ahead"),
    Entry(.sound, [Binding("SHARP", .intent(.cycleAudio))], "next audio track"),
    Entry(
      .sound,
      [
        Binding("j", .intent(.cycleSubtitles(by: 1))),
        Binding("J", .intent(.cycleSubtitles(by: -1))),
      ],
      "next or previous subtitles"),
    Entry(.sound, [Binding("V", .intent(.toggleSubtitles))], "hide or show subtitles"),
    Entry(
      .sound, [Binding("v", .intent(.cycleVideo))], "picture: in the pane, in a window, or none"),

    Entry(.party, [Binding("ENTER t", .prompt(.chat))], "chat", hint: "chat"),
    Entry(.party, [Binding("r", .react)], "a sign that rises over everybody's picture"),
    Entry(
      .party, [Binding("w", .intent(.whatHappened))],
      "what happened? 10 s back at double speed, only here", hint: "what happened?"),
    Entry(.party, [Binding("b", .stepAwayOrRejoin)], "step away; back again"),
    Entry(.party, [Binding("R", .intent(.toggleReady))], "not ready: a start waits; ready again"),
    Entry(
      .party, [Binding("P", .openPartyOrPictureInPicture)],
      "open a party; in one: mpv's window small, in a corner; as before", hint: "open a party"),
    Entry(
      .party, [Binding("A", .intent(.rejoinLast))], "again: the party that you were in last",
      hint: "rejoin"),
    Entry(
      .party, [Binding("I", .showInvite)],
      "the party's invite; without a party: join one by its invite", hint: "invite"),
    Entry(.party, [Binding("N", .prompt(.name))], "change your name"),
    Entry(.party, [Binding("L", .leaveParty)], "leave the party"),
    Entry(.party, [Binding("E", .endParty)], "end the party for everyone (its host)"),

    Entry(.party, [Binding("D", .intent(.draw))], "draw over the picture, together"),

    Entry(.drawing, [Binding("SPACE", .togglePen)], "pen down or up", hint: "pen"),
    Entry(
      .drawing,
      [
        Binding("LEFT", .movePen(columns: -1, rows: 0)),
        Binding("DOWN", .movePen(columns: 0, rows: 1)),
        Binding("UP", .movePen(columns: 0, rows: -1)),
        Binding("RIGHT", .movePen(columns: 1, rows: 0)),
      ], "move the pen; or draw with the mouse", hint: "draw"),
    Entry(
      .drawing,
      [
        Binding("Shift+LEFT", .movePen(columns: -5, rows: 0)),
        Binding("Shift+DOWN", .movePen(columns: 0, rows: 5)),
        Binding("Shift+UP", .movePen(columns: 0, rows: -5)),
        Binding("Shift+RIGHT", .movePen(columns: 5, rows: 0)),
      ], "move it further"),
    Entry(
      .drawing, [Binding("u BS", .intent(.undoStroke))], "take back your last line", hint: "undo"),
    Entry(
      .drawing, [Binding("R", .intent(.resetDrawing))], "begin another drawing, for everyone",
      hint: "new"),
    Entry(
      .drawing, [Binding("ESC D", .leaveDrawing)], "leave the drawing", hint: "leave"),

    Entry(
      .library, [Binding("UP k", .select(by: -1)), Binding("DOWN j", .select(by: 1))], "select",
      hint: "select"),
    Entry(
      .library, [Binding("PGUP", .selectPage(by: -1)), Binding("PGDWN", .selectPage(by: 1))],
      "a page up or down"),
    Entry(
      .library, [Binding("HOME", .selectFirst), Binding("END", .selectLast)], "first or last"),
    Entry(.library, [Binding("ENTER RIGHT", .openSelected)], "open", hint: "open"),
    Entry(
      .library, [Binding("e", .enqueueSelected)], "after what is being watched", hint: "enqueue"),
    Entry(
      .library, [Binding("d TAB", .toggleDetails)], "what is known of it; the list again",
      hint: "details"),
    Entry(
      .library, [Binding("b", .openSelectedAnew)],
      "open it from its beginning, not where it was left"
    ),
    Entry(
      .library, [Binding("/", .searchLibrary)], "search here and in your media folders"),
    Entry(
      .library, [Binding("a", .addFolder)], "a media folder: its films are found from everywhere"),
    Entry(
      .library, [Binding("x DEL", .forgetSelected)],
      "forget it: a media folder, what was watched, a party, somebody, a host"),
    Entry(.library, [Binding("LEFT BS", .leaveFolder)], "the folder above"),
    Entry(.library, [Binding("ESC", .closeLibrary)], "close the library"),

    Entry(
      .screen, [Binding("o", .toggleLibrary)], "library: choose something to watch", hint: "library"
    ),
    Entry(.screen, [Binding("l F8", .showPlaylist)], "the playlist: what comes next"),
    Entry(
      .screen, [Binding("u", .prompt(.openURL))], "open an address or a file", hint: "open URL"),
    Entry(.screen, [Binding("f", .togglePicture)], "the picture on the whole screen; as before"),
    Entry(.screen, [Binding("i", .toggleCompact)], "three lines only; as before"),
    Entry(
      .screen, [Binding("Y", .toggleSync)], "in step? the last minutes as curves"),
    Entry(.screen, [Binding("? F1", .showHelp)], "these keys", hint: "keys"),
    Entry(.screen, [Binding("ctrl+l", .redraw)], "draw the screen anew"),
    Entry(.screen, [Binding("ctrl+z", .suspend)], "to the shell; fg comes back"),
    Entry(.screen, [Binding("q ctrl+c", .intent(.quit))], "quit", hint: "quit"),
  ])
}
