/// Splits bytes into lines that end with CR LF.
struct LineSplitter: Hashable, Sendable {
  /// The longest line in bytes: that of Syncplay's own server.
  static let limit = 16_384

  private var rest: [UInt8] = []

  var isEmpty: Bool { rest.isEmpty }

  /// - Returns: the lines that are complete now, without their ends; nil if one is too long.
  mutating func append(_ bytes: some Sequence<UInt8>) -> [[UInt8]]? {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == 10, rest.last == 13 {
        lines.append(Array(rest.dropLast()))
        rest = []
      } else {
        rest.append(byte)
        guard rest.count <= Self.limit else { return nil }
      }
    }
    return lines
  }
}

/// An event of a connection with one of Syncplay's clients.
enum SyncplayArrival: Hashable, Sendable {
  /// A line, without its end.
  case line([UInt8])
  /// Everything that arrives from now on is encrypted.
  case secured
}
