/// The effect of a scalar on a terminal's screen.
///
/// Terminals, the C library and Unicode disagree about widths. This table defines Matinee's widths, and
/// ``CursesDisplay`` replaces characters that the C library measures differently, so that columns never shift.
enum ScalarClass: Hashable, Sendable {
  /// A scalar with columns of its own: one or two.
  case base(width: Int)
  /// A scalar that is drawn over the base before it.
  case mark
  /// White space of any kind, which is shown as one blank.
  case blank
  /// A scalar that is never shown: it is invisible, controls the terminal, or reorders the text around it.
  case dropped
  /// A scalar without a known width: unassigned, or for private use.
  case unknown
}

extension Unicode.Scalar {
  var terminalClass: ScalarClass {
    if value >= 0x20 && value < 0x7F { return .base(width: 1) }
    switch properties.generalCategory {
    case .control:
      // Tab, the line ends and NEL separate words; every other control character is harmful.
      return (0x09...0x0D).contains(value) || value == 0x85 ? .blank : .dropped
    case .lineSeparator, .paragraphSeparator:
      return .blank
    case .spaceSeparator:
      return value == 0x3000 ? .base(width: 2) : .blank
    case .format, .surrogate:
      // Bidirectional overrides and isolates, joiners, byte order marks, tags.
      return .dropped
    case .privateUse, .unassigned:
      return properties.isDefaultIgnorableCodePoint ? .dropped : .unknown
    case .nonspacingMark, .enclosingMark:
      // Some terminals draw the keycap's frame over two columns.
      return properties.isDefaultIgnorableCodePoint || value == 0x20E3 ? .dropped : .mark
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .spacingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
      .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
      .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      if properties.isDefaultIgnorableCodePoint { return .dropped }
      // Vowels and finals of decomposed Korean syllables are drawn into the initial's square.
      if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return .mark }
      return .base(width: isWide ? 2 : 1)
    @unknown default:
      return .unknown
    }
  }

  /// A Boolean value that indicates whether the scalar is wide: East Asian Width W or F (UAX #11), or drawn as a
  /// picture by default (UTS #51).
  private var isWide: Bool {
    guard value >= 0x1100 else { return false }
    if properties.isEmojiPresentation { return !isRegionalIndicator }
    var low = 0
    var high = Self.wideRanges.count
    while low < high {
      let middle = (low + high) / 2
      if value < Self.wideRanges[middle].lowerBound {
        high = middle
      } else if value > Self.wideRanges[middle].upperBound {
        low = middle + 1
      } else {
        return true
      }
    }
    return false
  }

  /// A Boolean value that indicates whether the scalar is one half of a flag.
  var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

  /// The wide ranges of EastAsianWidth.txt of Unicode 15.1 without the emoji; ascending.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5,
    0x2FF0...0x303E, 0x3041...0x3096, 0x3099...0x30FF, 0x3105...0x312F, 0x3131...0x318E,
    0x3190...0x31E3, 0x31EF...0x321E, 0x3220...0x3247, 0x3250...0x4DBF, 0x4E00...0xA48C,
    0xA490...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE52, 0xFE54...0xFE66, 0xFE68...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x16FE4, 0x16FF0...0x16FF1, 0x17000...0x187F7, 0x18800...0x18CD5,
    0x18D00...0x18D08, 0x1AFF0...0x1AFFE, 0x1B000...0x1B2FB, 0x1F200...0x1F202,
    0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F251, 0x20000...0x2FFFD,
    0x30000...0x3FFFD,
  ]
}
