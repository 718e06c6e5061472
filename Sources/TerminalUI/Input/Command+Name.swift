import Screening

/// The words of `keys.conf`: the screen's commands, mpv's if mpv has them, else those of ``UserCommandTable``.
extension Command {
  /// Reads the commands of a line, all of which one key performs.
  ///
  /// - Returns: nil for `ignore`, which removes the key's command.
  static func reading(_ commands: [[String]]) throws(UserCommandProblem) -> Command? {
    if commands == [["ignore"]] { return nil }
    var all: [Command] = []
    for words in commands where words != ["ignore"] { all.append(try Command(reading: words)) }
    return all.count == 1 ? all[0] : .sequence(all)
  }

  /// Reads a command.
  ///
  /// - Throws: the reason, and a similar command if there is one.
  init(reading words: [String]) throws(UserCommandProblem) {
    let plain = UserCommand.withoutPrefixes(words).words
    if let named = Self.named.first(where: { $0.name == plain.joined(separator: " ") }) {
      self = named.command
      return
    }
    if let command = try Self.fullScreen(plain) {
      self = command
      return
    }
    if let command = try UserCommand(mpv: words) {
      self = .user(command)
      return
    }
    guard let name = plain.first, UserCommandTable.row(name) != nil else {
      throw Self.unknown(plain)
    }
    self = .user(try UserCommand(plain.joined(separator: " ")))
  }

  /// Commands of the screen, and those whose effect depends on what it shows.
  static let named: [(name: String, command: Command)] = [
    ("start-anyway", .startAnywayOrPause), ("step-away", .stepAwayOrRejoin),
    ("ready", .user(.toggleReady)), ("scrub", .scrub),
    ("chat", .prompt(.chat)), ("go-to", .prompt(.goTo)), ("open-url", .prompt(.openURL)),
    ("join", .prompt(.join)), ("name", .prompt(.name)),
    ("invite", .showInvite), ("leave-party", .leaveParty), ("leave", .leaveParty),
    ("end-party", .endParty),
    ("library", .toggleLibrary), ("playlist", .showPlaylist), ("compact", .toggleCompact),
    ("sync", .toggleSync), ("react", .react), ("help", .showHelp), ("redraw", .redraw),
    ("picture-kind", .screen(.cyclePictureKind)), ("tracks", .screen(.showTracks)),
    ("chapters", .screen(.showChapters)), ("suspend", .suspend),
  ]

  /// Reads mpv's commands about the full screen, which the terminal's video has too.
  ///
  /// - Returns: nil for other commands.
  private static func fullScreen(_ words: [String]) throws(UserCommandProblem) -> Command? {
    guard words.count >= 2, ["fullscreen", "fs"].contains(words[1]) else { return nil }
    switch (words[0], words.dropFirst(2).first) {
    case ("cycle", _): return .togglePicture
    case ("set", "yes"?): return .showPicture(true)
    case ("set", "no"?): return .showPicture(false)
    case ("set", _): throw UserCommandProblem("“\(words[1])” is “yes” or “no”")
    default: return nil
    }
  }

  private static func unknown(_ words: [String]) -> UserCommandProblem {
    let name = words.joined(separator: " ")
    let known =
      named.map(\.name) + ["ignore", "cycle fullscreen"] + UserCommand.mpvExamples
      + UserCommandTable.rows.flatMap(\.examples)
    return UserCommandProblem(
      "there is no command “\(shown(name))”" + Spelling.suggestion(for: name, among: known))
  }

  static func shown(_ text: String) -> String {
    TerminalText(text).prefix(columns: 60).description
  }
}
