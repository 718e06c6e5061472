import Timekeeping

/// mpv's commands. Those that move playback become commands of the group.
extension UserCommand {
  /// Reads a command of mpv's.
  ///
  /// - Returns: nil for words that are no command of mpv's.
  /// - Throws: ``UserCommandProblem`` for a command with wrong arguments, or one that isn't available.
  package init?(mpv words: [String]) throws(UserCommandProblem) {
    let (words, isSilent) = Self.withoutPrefixes(words)
    if let command = Self.named[words.joined(separator: " ")] {
      self = command
      return
    }
    if let command = try Self.moving(words) {
      self = command
      return
    }
    guard let command = try Self.local(words) else { return nil }
    self = command
    if isSilent, case .player(var quiet) = command, quiet.feedback != .screenshot {
      quiet.feedback = .none
      self = .player(quiet)
    }
  }

  /// Returns the words without mpv's prefixes for carrying out and reporting a command, and whether one of them asks
  /// for no report. A prefix alone is a word of Matinee's: `sync`.
  package static func withoutPrefixes(_ words: [String]) -> (words: [String], isSilent: Bool) {
    let found = words.dropLast().prefix { prefixes.contains($0) }
    return (Array(words.dropFirst(found.count)), found.contains("no-osd"))
  }

  private static let prefixes: Set = [
    "osd-auto", "no-osd", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties",
    "repeatable", "nonrepeatable", "nonscalable", "async", "sync",
  ]

  /// Commands without numbers.
  private static let named: [String: UserCommand] = [
    "cycle pause": .playPause, "cycle mute": .toggleMute, "cycle audio": .cycleAudio,
    "cycle aid": .cycleAudio, "cycle sub": .cycleSubtitles(by: 1),
    "cycle sid": .cycleSubtitles(by: 1), "cycle sub down": .cycleSubtitles(by: -1),
    "cycle sid down": .cycleSubtitles(by: -1), "cycle sub-visibility": .toggleSubtitles,
    "cycle video": .cycleVideo,
    "frame-step": .frameStep(by: 1), "frame-back-step": .frameStep(by: -1),
    "playlist-next": .advance(by: 1), "playlist-prev": .advance(by: -1), "quit": .quit,
  ]

  /// Examples of mpv's commands, for suggestions.
  package static let mpvExamples =
    named.keys.sorted() + [
      "seek 5", "add volume 2", "add chapter 1", "multiply speed 1.1", "set speed 1.0",
      "screenshot", "screenshot video", "add sub-delay 0.1", "add audio-delay 0.1",
      "add sub-scale 0.1", "add sub-pos 1", "cycle deinterlace", "show-text", "show-progress",
      "ab-loop", "loadfile", "set pause yes", "cycle-values",
    ]

  /// Reads a command that moves playback.
  ///
  /// - Returns: nil for words that move nothing.
  private static func moving(_ words: [String]) throws(UserCommandProblem) -> UserCommand? {
    switch words.first {
    case "seek": return try seek(words)
    case "quit" where words.count == 2 && Int(words[1]) != nil, "quit-watch-later":
      // Positions are remembered in any case.
      return .quit
    case "playlist-next" where words.count == 2: return .advance(by: 1)
    case "playlist-prev" where words.count == 2: return .advance(by: -1)
    case "playlist-play-index" where words.count == 2:
      guard let index = Int(words[1]), index >= 0 else {
        throw UserCommandProblem("“playlist-play-index” takes a number from 0")
      }
      return .watch(entry: index)
    case "frame-step", "frame-back-step":
      return .frameStep(by: words[0] == "frame-step" ? 1 : -1)
    case "loadfile":
      guard words.count >= 2 else { throw UserCommandProblem("“loadfile” takes a file or a URL") }
      guard words.count == 2 || words[2] == "replace" else {
        throw UserCommandProblem(
          "“loadfile” can only replace the current film; add to the playlist in the library")
      }
      return .load(words[1])
    case "set", "add", "cycle", "multiply", "cycle-values":
      let names = words.dropFirst().filter { $0 != "!reverse" }
      guard let property = names.first else { return nil }
      return try moving(words[0], property, Array(names.dropFirst()))
    default: return nil
    }
  }

  private static func seek(_ words: [String]) throws(UserCommandProblem) -> UserCommand {
    let flags = words.dropFirst(2).flatMap { $0.split(separator: "+").map(String.init) }
    let known: Set = [
      "relative", "absolute", "absolute-percent", "relative-percent", "exact", "keyframes",
      "default-precise",
    ]
    if let flag = flags.first(where: { !known.contains($0) }) {
      throw UserCommandProblem("“seek” has no flag “\(Self.shown(flag))”")
    }
    guard words.count > 1 else { throw UserCommandProblem("“seek” takes seconds, as in: seek 5") }
    if flags.contains("absolute-percent") || flags.contains("relative-percent") {
      let percent = try number(words[1], of: "seek")
      return .seekPercent(percent, isRelative: flags.contains("relative-percent"))
    }
    guard let seconds = seconds(words[1]), abs(seconds) <= 86_400 else {
      throw UserCommandProblem(
        "“seek” takes seconds or a time, as in: seek 5, seek -1:30; “\(shown(words[1]))” is neither"
      )
    }
    guard seconds >= 0 || !flags.contains("absolute") else {
      throw UserCommandProblem("“seek … absolute” counts from the start; below 0 isn't possible")
    }
    let distance = Duration.milliseconds(Int64((seconds * 1000).rounded()))
    return flags.contains("absolute")
      ? .seek(to: MediaTime(seconds: seconds)) : .skip(by: distance)
  }

  /// Reads "90", "-1:30", "1:02:03.5".
  private static func seconds(_ text: String) -> Double? {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" || $0 == "+" }.split(
      separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var total = 0.0
    for part in parts {
      guard let value = Double(part), value.isFinite, value >= 0 else { return nil }
      total = total * 60 + value
    }
    return isNegative ? -total : total
  }

  private static func moving(
    _ verb: String, _ property: String, _ values: [String]
  ) throws(UserCommandProblem) -> UserCommand? {
    /// The change by which `add`, or `cycle`, moves a property with an ordered list of values.
    func step() throws(UserCommandProblem) -> Int {
      if verb == "cycle" { return values.first == "down" ? -1 : 1 }
      guard let text = values.first else { return 1 }
      return Int(try number(text, of: property))
    }
    switch (property, verb) {
    case ("volume", "add"):
      return .changeVolume(by: try values.isEmpty ? 1 : number(values[0], of: property))
    case ("pause", "cycle"): return .playPause
    case ("pause", "set"):
      return (try flag(values, of: property)) ? .pause : .play(immediately: false)
    case ("speed", "set"): return .setRate(try rate(values))
    case ("speed", "multiply"): return .multiplyRate(by: try rate(values))
    case ("speed", "add"): return .addRate(try values.isEmpty ? 1 : number(values[0], of: property))
    case ("speed", "cycle-values"):
      var rates: [Double] = []
      for value in values { rates.append(try rate([value])) }
      guard !rates.isEmpty else { throw UserCommandProblem("“cycle-values speed” takes speeds") }
      return .cycleRates(rates)
    case ("chapter", "add"), ("chapter", "cycle"):
      let step = try step()
      guard step != 0 else { throw UserCommandProblem("“add chapter 0” does nothing") }
      return .seekChapter(by: step)
    case ("playlist-pos", "add"), ("playlist-pos", "cycle"), ("playlist-pos-1", "add"),
      ("playlist-pos-1", "cycle"):
      return .advance(by: try step())
    case ("playlist-pos", "set"), ("playlist-pos-1", "set"):
      let index =
        Int(try number(values.first ?? "", of: property)) - (property == "playlist-pos" ? 0 : 1)
      guard index >= 0 else { throw UserCommandProblem("“\(property)” can't be below its first") }
      return .watch(entry: index)
    case ("time-pos", "set"), ("playback-time", "set"):
      return try seek(["seek", values.first ?? "", "absolute"])
    case ("time-pos", "add"), ("playback-time", "add"):
      return try seek(["seek", values.first ?? "1"])
    case ("percent-pos", "set"):
      return .seekPercent(try number(values.first ?? "", of: property), isRelative: false)
    case ("percent-pos", "add"):
      return .seekPercent(try number(values.first ?? "1", of: property), isRelative: true)
    default: return nil
    }
  }

  static func number(_ text: String, of subject: String) throws(UserCommandProblem) -> Double {
    // mpv takes fractions, too: `multiply speed 1/1.1`.
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let divisor = parts.count == 2 ? Double(parts[1]) : 1
    let quotient = divisor.flatMap { divisor in
      parts.first.flatMap { Double($0) }.map { $0 / divisor }
    }
    guard let number = quotient, number.isFinite, abs(number) < 1e9 else {
      throw UserCommandProblem("“\(subject)” takes a number; “\(shown(text))” isn't one")
    }
    return number
  }

  private static func rate(_ values: [String]) throws(UserCommandProblem) -> Double {
    let rate = try number(values.first ?? "", of: "speed")
    guard rate > 0 else { throw UserCommandProblem("“speed” must be above 0") }
    return rate
  }

  private static func flag(_ values: [String], of property: String) throws(UserCommandProblem)
    -> Bool
  {
    switch values.first {
    case "yes": return true
    case "no": return false
    default: throw UserCommandProblem("“\(property)” is “yes” or “no”")
    }
  }
}
