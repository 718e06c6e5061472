/// The role of a cell's content, which decides its colour: see ``Palette``.
enum ColorRole: Hashable, Sendable {
  /// The terminal's own colours.
  case plain
  /// Frames and other unimportant content.
  case quiet
  /// The product's colour: the playhead, the selection, keys to press.
  case accent
  case good
  case caution
  case trouble
  /// The black around a film and under its subtitles, on any background.
  case letterbox
  /// A coloured subtitle on the same black: red 1, green 2, blue 4, and their sums up to 6.
  case subtitle(Int)
  /// The black on white of a code that cameras read, on any background.
  case code
  /// One of the ``Style/personColors`` colours that distinguish people.
  case person(Int)
}

struct Style: Hashable, Sendable {
  struct Attributes: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let bold = Attributes(rawValue: 1)
    static let reverse = Attributes(rawValue: 2)
    static let underline = Attributes(rawValue: 4)
    /// Weaker than normal. Without colours, this attribute makes ``ColorRole/quiet`` quiet.
    static let dim = Attributes(rawValue: 8)
    static let italic = Attributes(rawValue: 16)
  }

  var role: ColorRole = .plain
  var attributes: Attributes = []

  static let plain = Style()
  static let strong = Style(attributes: .bold)
  static let quiet = Style(role: .quiet)
  static let accent = Style(role: .accent)
  static let key = Style(role: .accent, attributes: .bold)
  static let good = Style(role: .good)
  static let caution = Style(role: .caution)
  static let trouble = Style(role: .trouble, attributes: .bold)
  static let letterbox = Style(role: .letterbox)
  static let code = Style(role: .code)
  static let selected = Style(role: .accent, attributes: .reverse)

  static let personColors = 6

  static let subtitleColors = 1...6

  /// A Boolean value that indicates whether the background is black.
  var isLetterbox: Bool {
    switch role {
    case .letterbox, .subtitle: true
    case .plain, .quiet, .accent, .good, .caution, .trouble, .code, .person: false
    }
  }

  /// Returns the style with the look of a part of its text.
  func with(_ look: Glyph.Look?) -> Style {
    guard let look else { return self }
    var style = Style(role: look.color.map { .subtitle($0) } ?? role, attributes: attributes)
    if look.isBold { style.attributes.insert(.bold) }
    if look.isItalic { style.attributes.insert(.italic) }
    if look.isUnderlined { style.attributes.insert(.underline) }
    return style
  }
}
