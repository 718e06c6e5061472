import CQREncode

/// A QR code (ISO/IEC 18004): a square of dark and light modules, surrounded by light ones.
struct QRCode: Hashable, Sendable {
  /// The light modules on each side, without which cameras don't find the code.
  static let quietZone = 4

  /// The modules of a side, with the quiet zone.
  let size: Int
  /// The modules without the quiet zone, row by row.
  private let areDark: [Bool]

  /// Creates the smallest code of a text, with the least error correction: nothing damages a screen.
  ///
  /// Nil for a text that is too long, and on a system without the library.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    size = width + 2 * Self.quietZone
    // The lowest bit is the colour.
    areDark = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
  }

  /// Returns the colour of a module; those around the code are light.
  func isDark(column: Int, row: Int) -> Bool {
    let width = size - 2 * Self.quietZone
    let (column, row) = (column - Self.quietZone, row - Self.quietZone)
    guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
    return areDark[row * width + column]
  }

  /// The code in half-blocks: two modules in each cell, dark in the letters' colour.
  var lines: [TerminalText] {
    stride(from: 0, to: size, by: 2).map { row in
      TerminalText(
        glyphs: (0..<size).map { column -> Glyph in
          switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        })
    }
  }
}
