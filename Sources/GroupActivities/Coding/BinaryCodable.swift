import Timekeeping

/// A value with one canonical form in bytes, which travels and is signed.
package protocol BinaryCodable {
  func write(to writer: inout BinaryWriter)
  init(from reader: inout BinaryReader) throws(WireError)
}

extension BinaryCodable {
  /// The value's canonical form.
  package var binary: [UInt8] {
    var writer = BinaryWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Reads a value from all of the bytes.
  package init(binary bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = BinaryReader(Array(bytes)[...])
    try self.init(from: &reader)
    guard reader.isAtEnd else { throw .malformed }
  }
}

/// The reason for which bytes of a participant were skipped.
package enum WireError: Error, Hashable, Sendable {
  /// No program of this version writes such bytes.
  case malformed
  /// Only a newer program knows this part of a message; the text names it for users.
  case unknown(String)
}

extension UInt64 {
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) }
  }
}

extension GroupTime: BinaryCodable {
  package func write(to writer: inout BinaryWriter) { writer.word(nanoseconds) }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(nanoseconds: try reader.signedWord())
  }
}

extension MediaTime: BinaryCodable {
  package func write(to writer: inout BinaryWriter) { writer.word(nanoseconds) }

  package init(from reader: inout BinaryReader) throws(WireError) {
    self.init(nanoseconds: try reader.signedWord())
  }
}
