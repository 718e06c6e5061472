import Timekeeping

/// mpv's commands that move playback. Each becomes a command of the group.
extension Command {
  /// Reads a command that moves playback.
  ///
  /// - Returns: nil for words that move nothing.
  static func moving(_ words: [String]) throws(Refusal) -> Command? {
    switch words.first {
    case "seek": return try seek(words)
    case "quit" where words.count == 2 && Int(words[1]) != nil, "quit-watch-later":
      // Positions are remembered in any case.
      return .intent(.quit)
    case "playlist-next" where words.count == 2: return .intent(.advance(by: 1))
    case "playlist-prev" where words.count == 2: return .intent(.advance(by: -1))
    case "playlist-play-index" where words.count == 2:
      guard let index = Int(words[1]), index >= 0 else {
        throw Refusal(reason: "“playlist-play-index” takes a number from 0")
      }
      return .intent(.watch(entry: index))
    case "frame-step", "frame-back-step":
      return .intent(.frameStep(by: words[0] == "frame-step" ? 1 : -1))
    case "loadfile":
      guard words.count >= 2 else { throw Refusal(reason: "“loadfile” takes a file or a URL") }
      guard words.count == 2 || words[2] == "replace" else {
        throw Refusal(
          reason:
            "“loadfile” can only replace the current video; add to the playlist in the library")
      }
      return .intent(.openURL(words[1]))
    case "set", "add", "cycle", "multiply", "cycle-values":
      let names = words.dropFirst().filter { $0 != "!reverse" }
      guard let property = names.first else { return nil }
      return try moving(words[0], property, Array(names.dropFirst()))
    default: return nil
    }
  }

  private static func seek(_ words: [String]) throws(Refusal) -> Command {
    let flags = words.dropFirst(2).flatMap { $0.split(separator: "+").map(String.init) }
    let known: Set = [
      "relative", "absolute", "absolute-percent", "relative-percent", "exact", "keyframes",
      "default-precise",
    ]
    if let flag = flags.first(where: { !known.contains($0) }) {
      throw Refusal(reason: "“seek” has no flag “\(Self.shown(flag))”")
    }
    guard words.count > 1 else { throw Refusal(reason: "“seek” takes seconds, as in: seek 5") }
    if flags.contains("absolute-percent") || flags.contains("relative-percent") {
      let percent = try number(words[1], of: "seek")
      return .seekPercent(percent, isRelative: flags.contains("relative-percent"))
    }
    guard let seconds = seconds(words[1]), abs(seconds) <= 86_400 else {
      throw Refusal(
        reason:
          "“seek” takes seconds or a time, as in: seek 5, seek -1:30; “\(shown(words[1]))” is neither"
      )
    }
    guard seconds >= 0 || !flags.contains("absolute") else {
      throw Refusal(reason: "“seek … absolute” counts from the start; below 0 isn't possible")
    }
    let distance = Duration.milliseconds(Int64((seconds * 1000).rounded()))
    return flags.contains("absolute")
      ? .intent(.seek(to: MediaTime(seconds: seconds))) : .intent(.skip(by: distance))
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
  ) throws(Refusal) -> Command? {
    /// The change by which `add`, or `cycle`, moves a property with an ordered list of values.
    func step() throws(Refusal) -> Int {
      if verb == "cycle" { return values.first == "down" ? -1 : 1 }
      guard let text = values.first else { return 1 }
      return Int(try number(text, of: property))
    }
    switch (property, verb) {
    case ("volume", "add"):
      return .intent(.changeVolume(by: try values.isEmpty ? 1 : number(values[0], of: property)))
    case ("pause", "cycle"): return .intent(.playPause)
    case ("pause", "set"): return .setPaused(try flag(values, of: property))
    case ("speed", "set"): return .intent(.setRate(try rate(values)))
    case ("speed", "multiply"): return .intent(.multiplyRate(by: try rate(values)))
    case ("speed", "add"): return .addRate(try values.isEmpty ? 1 : number(values[0], of: property))
    case ("speed", "cycle-values"):
      var rates: [Double] = []
      for value in values { rates.append(try rate([value])) }
      guard !rates.isEmpty else { throw Refusal(reason: "“cycle-values speed” takes speeds") }
      return .cycleRates(rates)
    case ("chapter", "add"), ("chapter", "cycle"):
      let step = try step()
      guard step != 0 else { throw Refusal(reason: "“add chapter 0” does nothing") }
      return .chapterOrLongSeek(step)
    case ("playlist-pos", "add"), ("playlist-pos", "cycle"), ("playlist-pos-1", "add"),
      ("playlist-pos-1", "cycle"):
      return .intent(.advance(by: try step()))
    case ("playlist-pos", "set"), ("playlist-pos-1", "set"):
      let index =
        Int(try number(values.first ?? "", of: property)) - (property == "playlist-pos" ? 0 : 1)
      guard index >= 0 else { throw Refusal(reason: "“\(property)” can't be below its first") }
      return .intent(.watch(entry: index))
    case ("time-pos", "set"), ("playback-time", "set"):
      return try seek(["seek", values.first ?? "", "absolute"])
    case ("time-pos", "add"), ("playback-time", "add"):
      return try seek(["seek", values.first ?? "1"])
    case ("percent-pos", "set"):
      return .seekPercent(try number(values.first ?? "", of: property), isRelative: false)
    case ("percent-pos", "add"):
      return .seekPercent(try number(values.first ?? "1", of: property), isRelative: true)
    case ("fullscreen", "set"), ("fs", "set"): return .showPicture(try flag(values, of: property))
    case ("fullscreen", "cycle"), ("fs", "cycle"): return .togglePicture
    default: return nil
    }
  }

  static func number(_ text: String, of subject: String) throws(Refusal) -> Double {
    // mpv takes fractions, too: `multiply speed 1/1.1`.
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let divisor = parts.count == 2 ? Double(parts[1]) : 1
    let quotient = divisor.flatMap { divisor in
      parts.first.flatMap { Double($0) }.map { $0 / divisor }
    }
    guard let number = quotient, number.isFinite, abs(number) < 1e9 else {
      throw Refusal(reason: "“\(subject)” takes a number; “\(shown(text))” isn't one")
    }
    return number
  }

  private static func rate(_ values: [String]) throws(Refusal) -> Double {
    let rate = try number(values.first ?? "", of: "speed")
    guard rate > 0 else { throw Refusal(reason: "“speed” must be above 0") }
    return rate
  }

  private static func flag(_ values: [String], of property: String) throws(Refusal) -> Bool {
    switch values.first {
    case "yes": return true
    case "no": return false
    default: throw Refusal(reason: "“\(property)” is “yes” or “no”")
    }
  }

  static func shown(_ text: String) -> String {
    TerminalText(text).prefix(columns: 60).description
  }
}
