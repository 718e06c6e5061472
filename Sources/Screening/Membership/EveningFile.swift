import Timekeeping

/// The forms in which the remarks about a film are written to a file, by the file's ending.
enum EveningFile: String, CaseIterable {
  /// Subtitles with the names in colours.
  case ass
  /// Subtitles of plain text.
  case srt
  /// Text for people.
  case md

  /// The time for which a remark is shown.
  private static let span = Duration.seconds(4)

  /// - Throws: `CommandProblem` if the file's ending is none of these.
  init(path: String) throws(UserCommandProblem) {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard path.contains("."), let file = Self(rawValue: ending) else {
      throw UserCommandProblem("The file's name has to end with .ass, .srt or .md.")
    }
    self = file
  }

  /// Returns the file's text.
  func text(of remarks: [Echoes.Echo], titled title: String) -> String {
    let remarks = remarks.map(Line.init).sorted { $0.begin < $1.begin }
    switch self {
    case .ass: return Self.assHeader + remarks.map(\.ass).joined()
    case .srt: return remarks.enumerated().map { "\($0 + 1)\n\($1.srt)" }.joined(separator: "\n")
    case .md: return "# \(title)\n\n" + remarks.map(\.md).joined()
    }
  }

  private struct Line {
    var begin: MediaTime
    var name: String
    var text: String

    init(_ remark: Echoes.Echo) {
      (begin, name, text) = (remark.itemTime, remark.name, remark.text)
    }

    var ass: String {
      // Braces would begin a command, and a backslash a special character.
      let plain = (name, text)
      func escaped(_ text: String) -> String {
        String(text.map { $0 == "{" ? "(" : $0 == "}" ? ")" : $0 == "\\" ? "/" : $0 })
      }
      let hue = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % EveningFile.colors.count
      return "Dialogue: 0,\(time(begin, ".", 2)),\(time(begin + EveningFile.span, ".", 2)),"
        + "Default,,0,0,0,,{\\c&H\(EveningFile.colors[hue])&}\(escaped(plain.0)){\\r} "
        + "\(escaped(plain.1))\n"
    }

    var srt: String {
      "\(time(begin, ",", 3)) --> \(time(begin + EveningFile.span, ",", 3))\n\(name): \(text)\n"
    }

    var md: String {
      let marked = text.map { "\\`*_[]<>#".contains($0) ? "\\\($0)" : String($0) }.joined()
      return "- \(StoryWords.clock(begin)) **\(name)** \(marked)\n"
    }

    private func time(_ time: MediaTime, _ point: String, _ digits: Int) -> String {
      let milliseconds = max(0, Int(time.seconds * 1000))
      func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
      }
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      let hours = digits == 3 ? padded(seconds / 3600, 2) : "\(seconds / 3600)"
      return "\(hours):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))\(point)"
        + padded(digits == 3 ? rest : rest / 10, digits)
    }
  }

  /// Colours of names, as blue, green and red.
  private static let colors = ["5AC8FA", "7BE07B", "FFB46B", "F59BD2", "D2A0FF", "8CE6E6"]

  private static let assHeader = """
    [Script Info]
    ScriptType: v4.00+
    PlayResX: 1280
    PlayResY: 720

    [V4+ Styles]
    Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, Italic, \
    BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
    Style: Default,sans-serif,34,&H00FFFFFF,&H00000000,&H80000000,0,0,1,2,0,7,24,24,24,1

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

    """
}
