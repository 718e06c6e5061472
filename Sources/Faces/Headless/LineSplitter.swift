import FileNames

/// Splits a script's input into lines, within a bounded amount of memory.
struct LineSplitter: Sendable {
  enum Line: Hashable, Sendable {
    case text(String)
    /// A line beyond ``limit``, whose bytes were dropped.
    case tooLong
  }

  /// The maximum length of a line in bytes: more than any command needs.
  static let limit = 64 * 1024

  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// Adds bytes of the input.
  ///
  /// - Returns: the lines that end within these bytes.
  mutating func append(_ more: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in more {
      if byte == UInt8(ascii: "\n") {
        lines.append(end())
      } else if bytes.count < Self.limit {
        bytes.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  /// - Returns: the last line if it doesn't end with a newline; nil for none.
  mutating func finish() -> Line? { bytes.isEmpty ? nil : end() }

  private mutating func end() -> Line {
    defer {
      bytes.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    // A script may name a file as it was listed, or by its bytes.
    return isTooLong
      ? .tooLong : .text(String(validating: bytes, as: UTF8.self) ?? FileName.text(bytes))
  }
}
