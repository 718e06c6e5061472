import Timekeeping

/// The words of `keys.conf`: mpv's commands if mpv has them, else Matinee's own.
extension Command {
  /// The reason why a key can't have a command.
  struct Refusal: Error, Hashable, Sendable { var reason: String }

  /// Reads the commands of a line, all of which one key performs.
  ///
  /// - Returns: nil for `ignore`, which removes the key's command.
  static func reading(_ commands: [[String]]) throws(Refusal) -> Command? {
    if commands == [["ignore"]] { return nil }
    var all: [Command] = []
    for words in commands where words != ["ignore"] { all.append(try Command(reading: words)) }
    return all.count == 1 ? all[0] : .sequence(all)
  }

  /// Reads a command; nil if there is no such command, or it takes other arguments.
  init?(words: [String]) {
    guard let command = try? Command(reading: words) else { return nil }
    self = command
  }

  /// Reads a command.
  ///
  /// - Throws: ``Refusal`` with the reason, and a similar command if there is one.
  init(reading words: [String]) throws(Refusal) {
    // mpv's prefixes for carrying out and reporting a command. “sync” alone is a command of Matinee's.
    let prefixes = words.dropLast().prefix { Self.prefixes.contains($0) }
    let words = Array(words.dropFirst(prefixes.count))
    let name = words.joined(separator: " ")
    if let named = Self.named.first(where: { $0.name == name }) {
      self = named.command
      return
    }
    var found = try Self.moving(words)
    if found == nil { found = try Self.local(words) }
    guard var command = found else { throw Self.unknown(words) }
    let isSilent = prefixes.contains("no-osd")
    if isSilent, case .intent(.player(var quiet)) = command, quiet.feedback != .screenshot {
      quiet.feedback = .none
      command = .intent(.player(quiet))
    }
    self = command
  }

  private static let prefixes: Set = [
    "osd-auto", "no-osd", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties",
    "repeatable", "nonrepeatable", "nonscalable", "async", "sync",
  ]

  /// Commands without numbers.
  static let named: [(name: String, command: Command)] = [
    ("cycle pause", .intent(.playPause)), ("cycle mute", .intent(.toggleMute)),
    ("cycle audio", .intent(.cycleAudio)), ("cycle sub", .intent(.cycleSubtitles(by: 1))),
    ("cycle sub down", .intent(.cycleSubtitles(by: -1))),
    ("cycle sub-visibility", .intent(.toggleSubtitles)), ("cycle video", .intent(.cycleVideo)),
    ("cycle fullscreen", .togglePicture), ("frame-step", .intent(.frameStep(by: 1))),
    ("frame-back-step", .intent(.frameStep(by: -1))), ("playlist-next", .intent(.advance(by: 1))),
    ("playlist-prev", .intent(.advance(by: -1))), ("quit", .intent(.quit)),

    ("start-anyway", .startAnywayOrPause), ("what-happened", .intent(.whatHappened)),
    ("step-away", .stepAwayOrRejoin), ("ready", .intent(.toggleReady)), ("scrub", .scrub),
    ("chat", .prompt(.chat)), ("go-to", .prompt(.goTo)), ("open-url", .prompt(.openURL)),
    ("join", .prompt(.join)), ("name", .prompt(.name)), ("open-party", .intent(.openParty)),
    ("rejoin", .intent(.rejoinLast)),
    ("invite", .showInvite), ("leave-party", .leaveParty), ("end-party", .endParty),
    ("library", .toggleLibrary), ("playlist", .showPlaylist), ("compact", .toggleCompact),
    ("sync", .toggleSync), ("react", .react), ("draw", .intent(.draw)),
    ("picture-in-picture", .intent(.togglePictureInPicture)), ("help", .showHelp),
    ("redraw", .redraw), ("picture-kind", .intent(.cyclePictureKind)),
    ("suspend", .suspend),
    ("output-later", .intent(.changeLatencyOffset(by: 1))),
    ("output-earlier", .intent(.changeLatencyOffset(by: -1))),
  ]

  /// Examples of commands with numbers, for suggestions.
  static let examples =
    named.map(\.name) + [
      "ignore", "seek 5", "add volume 2", "add chapter 1", "multiply speed 1.1", "set speed 1.0",
      "screenshot", "screenshot video", "add sub-delay 0.1", "add audio-delay 0.1",
      "add sub-scale 0.1", "add sub-pos 1", "cycle deinterlace", "show-text", "show-progress",
      "ab-loop", "loadfile", "set pause yes", "cycle-values",
    ]
}
