/// A character with its marks, which fills one cell of the screen or two neighbouring ones.
///
/// Only ``TerminalText`` and ``GlyphSet`` make glyphs, so that no terminal command, and no text of unknown width, can
/// reach a ``Canvas``.
struct Glyph: Hashable, Sendable {
  /// One base character and at most ``maximumMarks`` marks.
  let text: String
  /// The number of columns: 1 or 2.
  let width: Int
  /// A Boolean value that indicates whether the glyph belongs to the one before it: text is not cut between the two.
  let continues: Bool
  /// The writing direction of its letter; nil for a sign that has the direction of its neighbours.
  let direction: TextDirection?
  /// A Boolean value that indicates whether a letter isn't joined to the next one although its script joins them, as
  /// within Persian words.
  let isUnjoined: Bool
  /// The web address that the glyph is a part of; nil for other text.
  var link: Link?
  /// The look that the glyph has in the subtitles; nil for that of its line.
  private(set) var look: Look?

  /// A colour and attributes that come from the text itself.
  struct Look: Hashable, Sendable {
    /// The colour: red 1, green 2, blue 4, or the sum of two; nil for that of the line.
    var color: Int?
    var isBold = false
    var isItalic = false
    var isUnderlined = false
  }

  func with(_ look: Look) -> Glyph {
    var glyph = self
    glyph.look = look == Look() ? nil : look
    return glyph
  }

  /// The greatest number of marks on a character. It suffices for every written script; more would cover the lines
  /// above.
  static let maximumMarks = 3

  static let space = Glyph(text: " ", width: 1, continues: false)
  /// The content of a picture's cells: a blank (U+00A0) that ncurses doesn't treat as one.
  static let picture = Glyph(text: "\u{A0}", width: 1, continues: false)
  static let unknown = Glyph(text: "\u{FFFD}", width: 1, continues: false)

  private init(text: String, width: Int, continues: Bool, isUnjoined: Bool = false) {
    self.text = text
    self.width = width
    self.continues = continues
    self.isUnjoined = isUnjoined
    direction = text.unicodeScalars.first.flatMap { TextDirection(of: $0) }
  }

  /// Returns the same glyph with another form of its letter.
  func replacingLetter(with letter: Unicode.Scalar) -> Glyph {
    var scalars = String.UnicodeScalarView([letter])
    scalars.append(contentsOf: text.unicodeScalars.dropFirst())
    return Glyph(text: String(scalars), width: width, continues: continues, isUnjoined: isUnjoined)
  }

  /// Creates a glyph for a frame or sign of Matinee's.
  ///
  /// - Parameter symbol: one column wide.
  init(symbol: Character) {
    let glyphs = Glyph.glyphs(for: symbol)
    precondition(glyphs.count == 1 && glyphs[0].width == 1, "not one column: \(symbol)")
    self = glyphs[0]
  }

  /// Returns the glyphs that show a grapheme cluster: usually one, none if nothing of it is visible, and several if a
  /// script has more than one column in a cluster.
  ///
  /// Emoji that are composed of several, such as families, are shown side by side, as Unicode Technical Standard #51
  /// recommends if there is no picture of the whole; flags show their two letters. Otherwise the columns would differ
  /// from terminal to terminal.
  static func glyphs(for cluster: Character) -> [Glyph] {
    let scalars = cluster.unicodeScalars
    if scalars.count == 1, let only = scalars.first, only.isASCII {
      switch only.terminalClass {
      case .base: return [Glyph(text: String(cluster), width: 1, continues: false)]
      case .blank: return [.space]
      case .mark, .dropped, .unknown: return []
      }
    }

    var result: [Glyph] = []
    var text = ""
    var width = 0
    var marks = 0
    var isPicture = false
    let isUnjoined = scalars.contains("\u{200C}")

    func finish() {
      guard width > 0 else { return }
      result.append(
        Glyph(text: text, width: width, continues: !result.isEmpty, isUnjoined: isUnjoined))
      (text, width, marks) = ("", 0, 0)
    }

    for scalar in scalars {
      if scalar.isRegionalIndicator {
        finish()
        text.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value - 0x1F1E6 + 0x41)))
        width = 1
        continue
      }
      switch scalar.terminalClass {
      case .dropped:
        break
      case .mark:
        guard width > 0, marks < maximumMarks, text != " " else { break }
        text.unicodeScalars.append(scalar)
        marks += 1
      case .blank, .unknown, .base:
        // A picture's skin tone.
        if isPicture, scalar.properties.isEmojiModifier { break }
        finish()
        switch scalar.terminalClass {
        case .base(let columns):
          text = String(Character(scalar))
          width = columns
          isPicture = scalar.properties.isEmoji && !scalar.isASCII
        case .blank:
          // "\r\n" is one cluster, and one blank.
          if result.last?.text == " " { break }
          text = " "
          width = 1
        case .unknown:
          text = unknown.text
          width = 1
        case .mark, .dropped:
          break
        }
      }
    }
    finish()
    return result
  }
}
