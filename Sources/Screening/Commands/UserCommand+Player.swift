/// mpv's commands that concern only this player, and those that can't be given to a key.
extension UserCommand {
  /// Reads a command that concerns only this player.
  ///
  /// - Returns: nil for an unknown command.
  static func local(_ words: [String]) throws(UserCommandProblem) -> UserCommand? {
    guard let name = words.first else { return nil }
    func player(
      _ feedback: PlayerCommand.Feedback = .none,
      _ requirement: PlayerCommand.Requirement = .none
    ) -> UserCommand {
      .player(PlayerCommand(words, feedback: feedback, requirement: requirement))
    }
    switch name {
    case "set", "add", "cycle", "multiply", "cycle-values": return try change(words)
    case "screenshot":
      let modes: Set = ["subtitles", "video", "window", "each-frame", "single", "async"]
      let given = words.dropFirst().flatMap { $0.split(separator: "+").map(String.init) }
      if let mode = given.first(where: { !modes.contains($0) }) {
        throw UserCommandProblem(
          "“screenshot” has no mode “\(shown(mode))”; use subtitles, video or window")
      }
      return player(given.contains("each-frame") ? .none : .screenshot)
    case "screenshot-to-file":
      guard words.count > 1 else { throw UserCommandProblem("“screenshot-to-file” takes a path") }
      return player(.text("Screenshot: \(words[1])"))
    case "show-text":
      guard words.count > 1 else { throw UserCommandProblem("“show-text” takes a text") }
      return player(.text(words[1]))
    case "show-progress":
      return player(.text("${time-pos} / ${duration} (${percent-pos} %)"))
    case "ab-loop": return player(PlayerCommand.abLoop.feedback, .noParty)
    case "sub-step", "sub-seek":
      guard words.count > 1, Int(words[1]) != nil else {
        throw UserCommandProblem("“\(name)” takes a number, as in: \(name) 1")
      }
      return player(name == "sub-step" ? .text("Subtitle delay: ${sub-delay}") : .none)
    case "sub-add", "audio-add", "vf", "af-command", "vf-command", "apply-profile",
      "script-message", "script-message-to", "script-binding":
      guard words.count > 1 else { throw UserCommandProblem("“\(name)” is incomplete") }
      return player()
    case "sub-remove", "sub-reload", "audio-remove", "audio-reload", "rescan-external-files",
      "ao-reload", "revert-seek":
      return player()
    case "af":
      guard words.count > 2, words[1] != "set" else {
        throw UserCommandProblem(
          "“af” can only add, toggle and remove filters here, because Matinee uses a filter of its own"
        )
      }
      return player()
    default:
      if let refused = refusals[name] { throw UserCommandProblem("“\(name)” \(refused)") }
      return nil
    }
  }

  /// Reads `set`, `add`, `cycle`, `multiply` and `cycle-values` of a property.
  private static func change(_ words: [String]) throws(UserCommandProblem) -> UserCommand {
    let values = words.dropFirst().filter { $0 != "!reverse" }
    guard let name = values.first else {
      throw UserCommandProblem("“\(words[0])” takes a property, as in: cycle mute")
    }
    guard let property = PlayerProperty(name) else { throw UserCommandProblem(why(name)) }
    switch words[0] {
    case "set":
      guard values.count == 2 else {
        throw UserCommandProblem("“set” takes a property and a value, as in: set \(name) VALUE")
      }
    case "add", "multiply":
      guard values.count == 2 || (values.count == 1 && words[0] == "add") else {
        throw UserCommandProblem("“\(words[0])” takes a property and a number")
      }
      if values.count == 2 { _ = try number(values[1], of: name) }
    case "cycle":
      guard values.count == 1 || (values.count == 2 && ["up", "down"].contains(values[1])) else {
        throw UserCommandProblem("“cycle” takes a property, and up or down")
      }
    default:
      guard values.count > 2 else {
        throw UserCommandProblem("“cycle-values” takes a property and at least two values")
      }
    }
    return .player(PlayerCommand(words, of: property))
  }

  /// The reason why a key can't change a property.
  private static func why(_ name: String) -> String {
    if movingProperties.contains(name) {
      return "“\(name)” would move only you, so it doesn't work in a party"
    }
    if ownProperties.contains(name) { return "Matinee itself sets “\(name)”" }
    return "there is no property “\(shown(name))” that a key can change"
      + Spelling.suggestion(for: name, among: PlayerProperty.names + Array(movingProperties))
  }

  private static let movingProperties: Set = [
    "pause", "speed", "time-pos", "playback-time", "percent-pos", "chapter", "edition",
    "playlist-pos", "playlist-pos-1", "start", "end", "length", "play-direction", "shuffle",
    "time-remaining", "playtime-remaining", "current-edition", "disc-title",
  ]

  private static let ownProperties: Set = [
    "idle", "keep-open", "keep-open-pause", "hr-seek", "resume-playback", "terminal", "vo",
    "input-terminal", "video-sync", "fullscreen", "video", "vid", "af", "osc", "config",
    "audio-fallback-to-null", "force-window", "lavfi-complex", "scripts", "load-scripts",
  ]

  private static let refusals = [
    "run": "is refused because it starts another program",
    "subprocess": "is refused because it starts another program",
    "stop": "would end the film only for you; leave the party (L) instead",
    "loadlist": "can't be given to a key; open the playlist in the library",
    "playlist-clear": "would change the playlist only for you; use the playlist (l)",
    "playlist-remove": "would change the playlist only for you; use the playlist (l)",
    "playlist-move": "would change the playlist only for you; use the playlist (l)",
    "playlist-shuffle": "would change the playlist only for you; use the playlist (l)",
    "playlist-unshuffle": "would change the playlist only for you; use the playlist (l)",
    "write-watch-later-config": "isn't needed: positions are always remembered",
    "print-text": "would overwrite the screen; use show-text",
    "keypress": "can't be given to a key", "keydown": "can't be given to a key",
    "keyup": "can't be given to a key", "keybind": "can't be given to a key",
    "mouse": "can't be given to a key", "load-script": "can't be given to a key; use mpv.conf",
    "video-reload": "can't be given to a key", "video-add": "can't be given to a key; use --angle",
    "video-remove": "can't be given to a key",
  ]
}
