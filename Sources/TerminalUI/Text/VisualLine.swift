import CFriBidi

/// A line of text in its visual order from left to right, by the Unicode Bidirectional Algorithm (Unicode Standard
/// Annex #9): Hebrew and Arabic reversed, brackets in them mirrored, Arabic letters in their joined forms.
///
/// Every glyph keeps its width, so that the line's width doesn't change.
struct VisualLine: Hashable, Sendable {
  private(set) var glyphs: [Glyph]
  /// The index of each glyph in the text.
  private(set) var indices: [Int]

  /// Creates a line for a terminal that orders text itself.
  init(unordered text: TerminalText) {
    glyphs = text.glyphs
    indices = Array(glyphs.indices)
  }

  init(_ text: TerminalText) {
    self.init(unordered: text)
    guard text.hasRightToLeft else { return }

    // The algorithm's input: each glyph's letter, and the sign that keeps two letters apart.
    var scalars: [FriBidiChar] = []
    var positions: [Int?] = []
    for (index, glyph) in glyphs.enumerated() {
      scalars.append(glyph.text.unicodeScalars.first?.value ?? 0x20)
      positions.append(index)
      if glyph.isUnjoined {
        scalars.append(0x200C)
        positions.append(nil)
      }
    }
    guard let line = Self.reordered(scalars, direction: text.direction ?? .leftToRight) else {
      return
    }
    var visible: [Glyph] = []
    indices = line.order.compactMap { position in
      guard let index = positions[position] else { return nil }
      let glyph = glyphs[index]
      let letter = line.letters[position]
      let isSame = letter == scalars[position]
      visible.append(
        isSame ? glyph : Unicode.Scalar(letter).map(glyph.replacingLetter) ?? glyph)
      return index
    }
    glyphs = visible
  }

  /// Applies the algorithm.
  ///
  /// - Returns: the letters in their forms, in the text's order, and their indices in visual order; nil if there is no
  ///   memory for it.
  private static func reordered(_ scalars: [FriBidiChar], direction: TextDirection) -> (
    letters: [FriBidiChar], order: [Int]
  )? {
    let count = FriBidiStrIndex(scalars.count)
    var letters = scalars
    var types = [FriBidiCharType](repeating: FriBidiCharType(0), count: scalars.count)
    fribidi_get_bidi_types(scalars, count, &types)
    var brackets = [FriBidiBracketType](repeating: 0, count: scalars.count)
    fribidi_get_bracket_types(scalars, count, types, &brackets)
    var base =
      switch direction {
      case .leftToRight: cfribidi_left_to_right()
      case .rightToLeft: cfribidi_right_to_left()
      }
    var levels = [FriBidiLevel](repeating: 0, count: scalars.count)
    guard fribidi_get_par_embedding_levels_ex(types, brackets, count, &base, &levels) > 0 else {
      return nil
    }
    var properties = [FriBidiArabicProp](repeating: 0, count: scalars.count)
    cfribidi_shape(count, types, levels, &properties, &letters)
    for index in letters.indices where levels[index] % 2 == 1 {
      var mirrored = letters[index]
      if fribidi_get_mirror_char(letters[index], &mirrored) != 0 { letters[index] = mirrored }
    }
    var order = (0..<count).map { $0 }
    guard fribidi_reorder_line(0, types, count, 0, base, &levels, nil, &order) > 0 else {
      return nil
    }
    return (letters, order.map(Int.init))
  }
}
