/// Characters in whose cells kitty shows a part of a picture (its documentation, "Unicode placeholders").
///
/// tmux moves and clips them like any text. A character's marks name the part and a part of the picture's identifier;
/// its colour names the rest.
enum Placeholders {
  static let character: UInt32 = 0x10EEEE

  /// The marks for the numbers from 0 on (kitty's `rowcolumn-diacritics.txt`): those of Unicode 6.0 above a character,
  /// without decomposition, except the ones that normalization joins with letters.
  static let marks: [UInt32] = (0x0300...0x1D244 as ClosedRange<UInt32>).filter { value in
    guard !joined.contains(value), let properties = Unicode.Scalar(value)?.properties,
      properties.canonicalCombiningClass == .above, properties.generalCategory == .nonspacingMark,
      let age = properties.age
    else { return false }
    return age.major < 6 || age == (6, 0)
  }

  private static let joined: Set<UInt32> = [
    0x0300, 0x0301, 0x0302, 0x0303, 0x0304, 0x0306, 0x0307, 0x0308, 0x0309, 0x030A, 0x030B, 0x030C,
    0x030F, 0x0311, 0x0313, 0x0314, 0x0340, 0x0341, 0x0342, 0x0343, 0x0344, 0x0653, 0x0654,
  ]

  /// Writes a row of cells.
  ///
  /// - Parameters:
  ///   - row: the row within the picture, from 0.
  ///   - columns: the columns within the picture, from 0.
  ///   - id: the picture's identifier: its lowest byte, with nothing but its highest one above.
  static func write(
    row: Int, columns: Range<Int>, id: UInt32, to output: inout ControlBytes
  ) {
    output.text("\u{1B}[38;5;")
    output.decimal(Int(id & 255))
    output.byte(0x6D)
    for column in columns {
      output.character(character)
      // Without marks a cell continues the one on its left.
      guard row < marks.count, column < marks.count else { continue }
      output.character(marks[row])
      output.character(marks[column])
      output.character(marks[Int(id >> 24)])
    }
  }
}
