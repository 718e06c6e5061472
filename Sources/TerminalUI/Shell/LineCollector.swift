/// Cuts bytes into lines of clean text.
struct LineCollector: Sendable {
  /// The greatest length of a line in bytes; the rest is cut off.
  static let maximumLength = 1000

  private var line: [UInt8] = []

  /// Reads bytes.
  ///
  /// - Returns: the lines that are complete with these bytes, without empty ones.
  mutating func feed(_ bytes: some Sequence<UInt8>) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      // On a terminal, a carriage return goes back to the line's beginning; here it ends the line.
      if byte == 0x0A || byte == 0x0D {
        if let text = finish() { lines.append(text) }
      } else if line.count < Self.maximumLength {
        line.append(byte)
      }
    }
    return lines
  }

  /// Returns the incomplete line; nil if it is empty.
  mutating func finish() -> String? {
    defer { line.removeAll(keepingCapacity: true) }
    let text = TerminalText(String(decoding: line, as: UTF8.self)).trimmed
    return text.isEmpty ? nil : text.description
  }
}
