/// The parts of the user's mpv configuration that have no effect: errors in it, and options that a group's playback
/// overrides.
///
/// libmpv reports errors to its log only, and with verbose messages also each option that it sets. A version of mpv that
/// words them differently yields an empty report.
package struct ConfigurationReport: Hashable, Sendable {
  /// The errors in `mpv.conf` and in scripts, in mpv's words and order.
  package private(set) var problems: [String] = []
  /// The names of the options in `mpv.conf` that the player sets to other values, in order.
  package private(set) var overridden: [String] = []
  /// A Boolean value that indicates whether all scripts are loaded: mpv is idle, or begins with a file. The last messages
  /// may come afterwards.
  var areScriptsLoaded = false
  /// A Boolean value that indicates whether a film is being opened, which has errors of its own.
  var isFilmOpening = false
  /// The error in an option of ``MPVConfiguration/options``; nil for none.
  private(set) var failure: MPVError?

  /// The path of the file with the program's own options; nil for none.
  let file: String?
  /// The names of those options of which an error keeps the player from starting.
  private let required: Set<String>
  /// A Boolean value that indicates whether `mpv.conf` is read and the program's own options are being set.
  private var isSettingOwn = false
  private var reason = ""
  private var lastSet = MPVConfiguration.Option(name: "", value: "")
  private var lastFile = ""
  /// The last error of no known form.
  private var detail = ""

  /// Creates an empty report.
  init(file: String? = nil, requiring options: [MPVConfiguration.Option] = []) {
    self.file = file
    required = Set(options.filter { !$0.isOptional }.map(\.name))
  }

  /// Reads a message of mpv's log.
  mutating func logged(_ text: String, _ level: MPVEvent.LogLevel, prefix: String) {
    let line = text.trimmingNewline
    guard !line.isEmpty else { return }
    switch (level, prefix) {
    case (.other, "cplayer"): noted(line)
    case (.error, "cplayer"), (.fatal, "cplayer"): if !isFilmOpening { failed(line) }
    // A script that can't be read has a message of its own.
    case (.error, "file"), (.error, "stream"): break
    case (.error, _), (.fatal, _):
      // Outputs and libraries report what this machine lacks, scripts what is wrong with them; that of mpv for yt-dlp
      // reports what is wrong with the first film.
      let isScript =
        !prefix.contains("/") && !["vo", "ao", "ffmpeg", "ytdl_hook"].contains(prefix)
      if isScript { problems.append("\(prefix): \(line)") }
    case (.warning, _), (.other, _): break
    }
  }

  private mutating func noted(_ line: String) {
    if let setting = line.between("Setting option '", "' (flags = "),
      let equals = setting.firstRange(of: "' = '")
    {
      lastSet = .init(
        name: String(setting[..<equals.lowerBound]), value: String(setting[equals.upperBound...]))
      note(lastSet)
    } else if line.hasPrefix("Applying profile 'pseudo-gui'") {
      isSettingOwn = true
    } else if line.hasPrefix("Reading config file ") {
      lastFile = String(line.dropFirst("Reading config file ".count))
    } else if line.hasPrefix("Can't open config file: ") {
      problems.append("\(lastFile): \(line.dropFirst("Can't open config file: ".count))")
    }
  }

  private mutating func note(_ option: MPVConfiguration.Option) {
    overridden.removeAll { $0 == option.name }
    let values =
      Self.valuesOfFilms[option.name].map { [$0] }
      ?? (isSettingOwn ? nil : Self.valuesOfPlayer[option.name])
    let (value, number) = (option.value.isEmpty ? "yes" : option.value, Double(option.value))
    guard let values,
      !values.contains(where: { $0 == value || number != nil && Double($0) == number })
    else { return }
    overridden.append(option.name)
  }

  private mutating func failed(_ line: String) {
    if let parsing = line.between("Error parsing option ", ")"),
      let start = parsing.firstRange(of: " (")
    {
      let name = String(parsing[..<start.lowerBound])
      reason = String(parsing[start.upperBound...])
      // The message before it says the same about the value.
      if problems.last.map({ $0 == detail && $0.contains(name) }) ?? false { problems.removeLast() }
      if isSettingOwn { fail(lastSet) }
    } else if let end = line.firstRange(of: ": setting option "),
      let setting = line.between(line[..<end.upperBound], "' failed."),
      let equals = setting.firstRange(of: "='")
    {
      let option = MPVConfiguration.Option(
        name: String(setting[..<equals.lowerBound]), value: String(setting[equals.upperBound...]))
      let place = String(line[..<end.lowerBound])
      if let file, place.hasPrefix(file + ":") {
        fail(option)
      } else {
        problems.append("\(place): \(option.name)=\(option.value) (\(reason))")
      }
    } else {
      detail = line
      problems.append(line)
    }
  }

  /// An option in ``file`` was refused.
  private mutating func fail(_ option: MPVConfiguration.Option) {
    guard required.contains(option.name) else {
      // One of a file that the user includes. The program's own have no values.
      if !option.value.isEmpty { problems.append("\(option.name)=\(option.value) (\(reason))") }
      return
    }
    guard failure == nil else { return }
    let operation = "mpv_initialize"
    failure =
      reason == "option not found"
      ? MPVError(.unknownOption(name: option.name), operation)
      : MPVError(.badOptionValue(name: option.name, value: option.value), operation)
  }

  /// The values of the options that are set for each film.
  private static let valuesOfFilms = MPVConfiguration.wholeFilm.merging([
    "speed": "1", "pause": "no",
  ]) { $1 }

  /// The values of the options that are set once (``MPVConfiguration/essentials(hasDisplay:)``), or that concern a
  /// player which plays alone. An option of ``MPVConfiguration/options`` overrides them.
  private static let valuesOfPlayer = [
    "keep-open": ["yes", "always"], "keep-open-pause": ["no"], "hr-seek": ["yes"],
    "resume-playback": ["no"], "save-position-on-quit": ["no"], "loop": ["no"],
    "loop-playlist": ["no"], "audio-fallback-to-null": ["yes"],
  ]
}

extension String {
  /// The text without the line ends after it.
  var trimmingNewline: String {
    var text = self
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  /// Returns the text after a beginning, up to the last occurrence of `end`; nil if either is missing.
  fileprivate func between(_ beginning: some StringProtocol, _ end: String) -> Substring? {
    guard hasPrefix(beginning) else { return nil }
    let rest = dropFirst(beginning.count)
    return rest.ranges(of: end).last.map { rest[..<$0.lowerBound] }
  }
}
