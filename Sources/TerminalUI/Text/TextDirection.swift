import CFriBidi

/// The way that a text is written.
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

/// Who puts letters that are written from right to left into their places, the terminal or we.
enum TextOrder: Hashable, Sendable {
  /// We do: cells are shown as they are, from left to right.
  case visual
  /// We order the words, but the terminal turns the letters of each: kitty, unless its `force_ltr` is set.
  case visualWords
  /// The terminal does, for whole lines.
  case logical
}
