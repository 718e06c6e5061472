import Timekeeping

/// What people write in `keys.conf`: mpv's own words where mpv has them, ours for the rest.
extension Command {
  /// Nil if there is no such command, or it wants other words after it.
  init?(words: [String]) {
    let number = words.last.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    let whole = words.last.flatMap { Int($0) }
    switch words.first {
    case "seek" where words.count == 2:
      guard let number, abs(number) <= 86_400 else { return nil }
      self = .intent(.skip(by: .milliseconds(Int64(number * 1000))))
    case "add" where words.count == 3 && words[1] == "volume":
      guard let number else { return nil }
      self = .intent(.changeVolume(by: number))
    case "add" where words.count == 3 && words[1] == "chapter":
      guard let whole, whole != 0 else { return nil }
      self = .chapterOrLongSeek(whole)
    case "multiply" where words.count == 3 && words[1] == "speed":
      guard let number, number > 0 else { return nil }
      self = .intent(.multiplyRate(by: number))
    case "set" where words.count == 3 && words[1] == "speed":
      guard let number, number > 0 else { return nil }
      self = .intent(.setRate(number))
    default:
      let name = words.joined(separator: " ")
      guard let command = Self.named.first(where: { $0.name == name })?.command else { return nil }
      self = command
    }
  }

  /// Those without numbers.
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
    ("redraw", .redraw),
    ("suspend", .suspend),
    ("output-later", .intent(.changeLatencyOffset(by: 1))),
    ("output-earlier", .intent(.changeLatencyOffset(by: -1))),
  ]
}
