import Timekeeping

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
