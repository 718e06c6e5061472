/// Cuts bytes into lines of clean text.
struct LineCollector: Sendable {
  /// Bytes of a line; what is longer is cut off.
  static let maximumLength = 1000

  private var line: [UInt8] = []

  /// - Returns: the lines that are complete with these bytes, empty ones left out.
  mutating func feed(_ bytes: some Sequence<UInt8>) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      // A carriage return begins the line anew, on a terminal; here it ends one.
      if byte == 0x0A || byte == 0x0D {
        if let text = finish() { lines.append(text) }
      } else if line.count < Self.maximumLength {
        line.append(byte)
      }
    }
    return lines
  }

  /// The line that was begun; nil if there is nothing in it.
  mutating func finish() -> String? {
    defer { line.removeAll(keepingCapacity: true) }
    let text = TerminalText(String(decoding: line, as: UTF8.self)).trimmed
    return text.isEmpty ? nil : text.description
  }
}
