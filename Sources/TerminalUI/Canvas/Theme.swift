import Screening
import TerminalVideo

/// The colours of the screen.
///
/// A theme file has one line per role, `ROLE = COLOUR ATTRIBUTE…`; a line that begins with `#` is a remark. Roles are
/// `background`, `text`, `quiet`, `accent`, `good`, `caution`, `trouble` and `person1` to `person6`. Colours are
/// `default`, a name (`red`, `bright-red`), a number of the palette of 256, or `#rrggbb`, for which the nearest colour
/// of the palette is taken. Attributes are `bold`, `underline`, `reverse` and `dim`. Roles that the file doesn't
/// mention look as in ``standard``.
package struct Theme: Hashable, Sendable {
  struct Look: Hashable, Sendable {
    /// A colour of the palette of 256; nil for the terminal's own.
    var color: Int?
    var attributes: Style.Attributes = []
  }

  /// The background's colour; nil for the terminal's own.
  private(set) var background: Int?
  /// The roles that differ from ``standard``.
  private(set) var looks: [ColorRole: Look] = [:]
  /// The lines of the file that were skipped, in order.
  package private(set) var problems: [LineProblem] = []

  // The standard colours of the palette of 256, of medium lightness. The hues of people differ from those of good,
  // caution and trouble, so that no name looks like an error.
  static let good = 35
  static let caution = 172
  static let trouble = 167
  static let personColors = [68, 175, 37, 106, 98, 133]

  /// A theme that is readable on dark and on light backgrounds.
  package static let standard = Theme()

  /// A theme of white and bright colours on black, without grey.
  package static let highContrast: Theme = {
    var theme = Theme()
    theme.background = 16
    theme.looks = [
      .plain: Look(color: 231), .quiet: Look(color: 231),
      .accent: Look(color: 226, attributes: .bold), .good: Look(color: 46, attributes: .bold),
      .caution: Look(color: 220, attributes: .bold),
      .trouble: Look(color: 210, attributes: [.bold, .underline]),
    ]
    for (index, color) in [86, 213, 117, 183, 147, 218].enumerated() {
      theme.looks[.person(index)] = Look(color: color, attributes: .bold)
    }
    return theme
  }()

  /// The built-in themes and their names in the settings.
  package static let named: [(name: String, theme: Theme)] = [
    ("standard", .standard), ("high-contrast", .highContrast),
  ]

  private init() {}

  /// Reads a theme file. A line that can't be used is skipped and listed in ``problems``; the others apply.
  package init(parsing text: String) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      do throws(LineProblem) {
        try read(line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }, number: index + 1)
      } catch {
        problems.append(error)
      }
    }
  }

  private mutating func read(_ content: Substring, number: Int) throws(LineProblem) {
    func problem(_ reason: String) -> LineProblem { LineProblem(line: number, reason: reason) }
    guard !content.isEmpty, content.first != "#" else { return }
    let sides = content.split(separator: "=", maxSplits: 1)
    let words = sides.count == 2 ? sides[1].split(whereSeparator: \.isWhitespace) : []
    guard let first = words.first else {
      throw problem("expected ROLE = COLOUR, as in: accent = #3388cc bold")
    }
    let name = String(sides[0].filter { !$0.isWhitespace })
    guard let color = Self.color(String(first)) else {
      throw problem(
        "“\(Self.shown(first))” isn't a colour; examples: default, red, bright-red, 0 to 255, #rrggbb"
      )
    }
    if name == "background" {
      background = color.index
      return
    }
    guard let role = Self.roles.first(where: { $0.name == name })?.role else {
      throw problem(
        "there is no role “\(Self.shown(name))”"
          + Spelling.suggestion(for: name, among: Self.roles.map(\.name) + ["background"]))
    }
    var look = Look(color: color.index)
    for word in words.dropFirst() {
      guard let attribute = Self.attributes.first(where: { $0.name == word })?.attribute else {
        throw problem("“\(Self.shown(word))” isn't bold, underline, reverse or dim")
      }
      look.attributes.insert(attribute)
    }
    looks[role] = look
  }

  private static func shown(_ text: some StringProtocol) -> String {
    TerminalText(String(text)).prefix(columns: 40).description
  }

  private enum Color {
    case own
    case indexed(Int)

    var index: Int? {
      if case .indexed(let index) = self { return index }
      return nil
    }
  }

  private static func color(_ word: String) -> Color? {
    if word == "default" { return .own }
    if let index = Int(word) { return (0..<256).contains(index) ? .indexed(index) : nil }
    if word.hasPrefix("#"), word.utf8.count == 7, let value = UInt32(word.dropFirst(), radix: 16) {
      return .indexed(PictureQuality.nearestIndexed(to: value))
    }
    let isBright = word.hasPrefix("bright-")
    let name = isBright ? String(word.dropFirst("bright-".count)) : word
    return names.firstIndex(of: name).map { .indexed($0 + (isBright ? 8 : 0)) }
  }

  private static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  private static let attributes: [(name: String, attribute: Style.Attributes)] = [
    ("bold", .bold), ("underline", .underline), ("reverse", .reverse), ("dim", .dim),
  ]

  static let roles: [(name: String, role: ColorRole)] =
    [
      ("text", .plain), ("quiet", .quiet), ("accent", .accent), ("good", .good),
      ("caution", .caution), ("trouble", .trouble),
    ] + (0..<Style.personColors).map { ("person\($0 + 1)", .person($0)) }
}

extension Theme {
  /// The colours of drawings: people's own, bright enough for any picture.
  var inks: [UInt8] {
    let bright: [UInt8] = [39, 212, 51, 154, 141, 207]
    return (0..<Style.personColors).map { index in
      // The first sixteen colours depend on the terminal, and aren't known here.
      looks[.person(index)]?.color.flatMap { $0 >= 16 ? UInt8(exactly: $0) : nil }
        ?? bright[index % bright.count]
    }
  }
}
