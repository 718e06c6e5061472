import Foundation

/// The stored parts of one attachment: its chunks, and the hashes that prove them to other participants.
struct AttachmentFile: Sendable {
  let layout: AttachmentLayout
  let chunks: OpenFile
  /// The file of the hash blocks; nil when there is only one chunk.
  let blocks: OpenFile?
  /// A Boolean value that indicates whether the chunks are in the user's own file, which may change.
  let isBorrowed: Bool

  func write(_ piece: Piece, _ bytes: Data) throws(JournalError) {
    guard let file = piece.level == 0 ? chunks : blocks else { return }
    try file.write(bytes, at: layout.offset(of: piece))
  }

  /// - Returns: the piece's bytes; nil if the file has changed.
  func read(_ piece: Piece) throws(JournalError) -> Data? {
    guard let file = piece.level == 0 ? chunks : blocks else { return nil }
    let bytes = try file.read(layout.length(of: piece), at: layout.offset(of: piece))
    guard bytes.count == layout.length(of: piece) else { return nil }
    guard isBorrowed, piece.level == 0, piece != layout.top, let blocks else { return bytes }
    let offset =
      layout.offset(of: piece.parent)
      + Int64(piece.index % AttachmentLayout.fanOut * AttachmentLayout.hashSize)
    let expected = try blocks.read(AttachmentLayout.hashSize, at: offset)
    return AttachmentLayout.hash(bytes, level: 0) == expected ? bytes : nil
  }

  /// Reads chunks that are here and verified.
  ///
  /// - Parameter chunks: the chunks from the one at the offset on.
  /// - Returns: the number of bytes; nil if the file has changed.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, within chunks: Range<Int>
  ) throws(JournalError) -> Int? {
    let end = min(layout.size, Int64(chunks.upperBound) * Int64(AttachmentLayout.chunkSize))
    let count = Int(min(Int64(buffer.count), end - offset))
    guard isBorrowed else {
      return try self.chunks.read(into: .init(rebasing: buffer[..<count]), at: offset)
    }
    let piece = Piece(level: 0, index: chunks.lowerBound)
    guard let bytes = try read(piece) else { return nil }
    let rest = bytes.dropFirst(Int(offset - layout.offset(of: piece)))
    return rest.copyBytes(to: buffer)
  }

  /// Reads the whole content, which must fit into memory.
  func readAll() throws(JournalError) -> Data? {
    let bytes = try chunks.read(Int(layout.size), at: 0)
    return bytes.count == Int(layout.size) ? bytes : nil
  }
}
