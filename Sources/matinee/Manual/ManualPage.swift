/// A page of the manual as a value, and as the `man` macros of roff (man(7)).
///
/// In its texts a word in backticks is bold, and a word between underscores is a placeholder.
struct ManualPage: Hashable, Sendable {
  enum Block: Hashable, Sendable {
    case paragraph(String)
    /// A term and its description.
    case item(String, String)
    /// A table's row: a short term and a short description beside it.
    case row(String, String)
    /// Lines that are printed unchanged.
    case code([String])
    case heading(String)
  }

  struct Section: Hashable, Sendable {
    var title: String
    var blocks: [Block]
  }

  /// `matinee`, `matinee-relay`.
  var name: String
  /// The manual's section: 1 for programs, 5 for files, 7 for the rest.
  var number: Int
  var abstract: String
  var version: String
  var sections: [Section]

  /// The name of the page's file, `matinee.1`.
  var fileName: String { "\(name).\(number)" }

  var roff: String {
    var lines = [
      ".TH \"\(name.uppercased())\" \(number) \"\" \"Matinee \(version)\" \"Matinee\"",
      ".SH NAME", "\(Self.plain(name)) \\- \(Self.text(abstract))",
    ]
    for section in sections {
      lines.append(".SH \(Self.plain(section.title.uppercased()))")
      for block in section.blocks { lines += Self.lines(block) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ block: Block) -> [String] {
    switch block {
    case .paragraph(let text): [".PP", Self.text(text)]
    case .item(let term, let text): [".TP", Self.text(term), Self.text(text)]
    case .row(let term, let text): [".TP 24", Self.text(term), Self.text(text)]
    case .code(let lines):
      [".PP", ".RS 4", ".nf"] + lines.map { guarded(plain($0, isCode: true)) } + [".fi", ".RE"]
    case .heading(let text): [".SS \(Self.plain(text))"]
    }
  }

  /// The text with its marked words in other fonts.
  static func text(_ text: String) -> String {
    var result = ""
    for (index, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      result += index % 2 == 1 ? "\\fB\(plain(String(part), isCode: true))\\fR" : italics(part)
    }
    return guarded(result)
  }

  private static func italics(_ text: Substring) -> String {
    var result = ""
    for (index, part) in text.split(separator: "_", omittingEmptySubsequences: false).enumerated() {
      result += index % 2 == 1 ? "\\fI\(plain(String(part)))\\fR" : plain(String(part))
    }
    return result
  }

  /// - Parameter isCode: whether a reader may copy a dash from there into a terminal.
  private static func plain(_ text: String, isCode: Bool = false) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-" where isCode: result += "\\-"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "\"" where !isCode: result += "\\(dq"
      case "'": result += "\\(aq"
      default: result.append(character)
      }
    }
    return result
  }

  /// The line, protected if roff would read its first character as a command.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}
