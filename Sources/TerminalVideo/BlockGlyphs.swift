/// The characters of Unicode that show the parts of a cell.
enum BlockGlyphs {
  /// The characters by the mask of ``Subpixels/TwoColors``.
  ///
  /// The octants (U+1CD00 to U+1CDE5) are ordered by that mask. Parts that other characters show are missing there.
  static let all: [UInt32?] = {
    var next: UInt32 = 0x1CD00
    return (0..<256).map { mask in
      if let other = others[mask] { return other }
      if unused.contains(mask) { return nil }
      defer { next += 1 }
      return next
    }
  }()

  private static let others: [Int: UInt32] = [
    0x00: 0x0020, 0xFF: 0x2588, 0x0F: 0x2580, 0xF0: 0x2584, 0x55: 0x258C, 0xAA: 0x2590,
    // Quadrants.
    0x50: 0x2596, 0xA0: 0x2597, 0x05: 0x2598, 0xF5: 0x2599, 0xA5: 0x259A, 0x5F: 0x259B,
    0xAF: 0x259C, 0x0A: 0x259D, 0x5A: 0x259E, 0xFA: 0x259F,
    // One and three quarters of the height.
    0xC0: 0x2582, 0xFC: 0x2586,
  ]

  /// Parts whose characters terminals with octants may lack (kitty 0.41: the corners, U+1CEA0 to U+1CEAB). The rest of
  /// the cell has a character.
  private static let unused: Set = [0x01, 0x02, 0x03, 0x14, 0x28, 0x3F, 0x40, 0x80]
}
