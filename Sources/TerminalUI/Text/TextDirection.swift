import CFriBidi

/// A direction of writing.
enum TextDirection: Hashable, Sendable {
  case leftToRight
  case rightToLeft

  /// The direction of a letter (Unicode Standard Annex #9, "strong"); nil for digits and signs.
  init?(of scalar: Unicode.Scalar) {
    if scalar.isASCII {
      guard scalar.properties.isAlphabetic else { return nil }
      self = .leftToRight
      return
    }
    switch cfribidi_strong_direction(scalar.value) {
    case 1: self = .leftToRight
    case -1: self = .rightToLeft
    default: return nil
    }
  }
}

/// The side that puts right-to-left letters in order: the terminal or Matinee.
enum TextOrder: Hashable, Sendable {
  /// Matinee orders everything: cells are shown unchanged, from left to right.
  case visual
  /// Matinee orders the words, but the terminal reverses the letters of each: kitty, unless its `force_ltr` is set.
  case visualWords
  /// The terminal orders whole lines.
  case logical
}
