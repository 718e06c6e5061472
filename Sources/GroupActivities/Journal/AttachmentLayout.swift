import Crypto
import Foundation

/// How an attachment of some size is cut: into chunks, and into the blocks of hashes that prove them.
///
/// A tree: level 0 are the chunks, level 1 blocks of up to 1024 chunks' hashes, level 2 blocks of
/// level 1's. The top level has one piece, whose hash is the attachment's root. So whoever knows size and
/// root can tell, of each piece as it comes, whether it is the right one.
struct AttachmentLayout: Hashable, Sendable {
  /// One piece fits one message of a broker's 64 KiB.
  static let chunkSize = 32 * 1024
  static let hashSize = 32
  static let fanOut = chunkSize / hashSize
  /// Three levels' worth: 32 GiB.
  static let sizeLimit = Int64(chunkSize) * Int64(fanOut) * Int64(fanOut)

  /// In bytes.
  let size: Int64
  /// How many pieces there are at each level; 1 at the last.
  let counts: [Int]

  /// - Returns: nil unless the size is one that an attachment may have.
  init?(size: Int64) {
    guard (0...Self.sizeLimit).contains(size) else { return nil }
    self.size = size
    // Nothing is one chunk without bytes.
    var counts = [max(1, Int((size + Int64(Self.chunkSize) - 1) / Int64(Self.chunkSize)))]
    while counts.last! > 1 {
      counts.append((counts.last! + Self.fanOut - 1) / Self.fanOut)
    }
    self.counts = counts
  }

  var chunkCount: Int { counts[0] }
  var top: Piece { Piece(level: counts.count - 1, index: 0) }

  func contains(_ piece: Piece) -> Bool {
    counts.indices.contains(piece.level) && (0..<counts[piece.level]).contains(piece.index)
  }

  /// In bytes.
  func length(of piece: Piece) -> Int {
    if piece.level == 0 {
      return Int(min(Int64(Self.chunkSize), size - Int64(piece.index) * Int64(Self.chunkSize)))
    }
    return Self.hashSize * min(Self.fanOut, counts[piece.level - 1] - piece.index * Self.fanOut)
  }

  /// Where a piece begins in its file: chunks in one, all blocks of hashes in another, level 1 first.
  func offset(of piece: Piece) -> Int64 {
    guard piece.level > 0 else { return Int64(piece.index) * Int64(Self.chunkSize) }
    let before = counts[..<(piece.level - 1)].reduce(0, +)
    return Int64(before) * Int64(Self.hashSize) + Int64(piece.index) * Int64(Self.chunkSize)
  }

  /// The chunks under a piece.
  func chunks(under piece: Piece) -> Range<Int> {
    var span = 1
    for _ in 0..<piece.level { span *= Self.fanOut }
    return piece.index * span..<min(chunkCount, (piece.index + 1) * span)
  }

  /// - Returns: 32 bytes. The level keeps a block of hashes from passing for a chunk.
  static func hash(_ bytes: some DataProtocol, level: Int) -> Data {
    var hash = SHA256()
    hash.update(data: [UInt8(level)])
    hash.update(data: bytes)
    return Data(hash.finalize())
  }
}

/// A chunk, or a block of hashes.
struct Piece: Hashable, Sendable {
  /// 0 for chunks.
  var level: Int
  /// From 0.
  var index: Int

  /// The block that has this piece's hash.
  var parent: Piece { Piece(level: level + 1, index: index / AttachmentLayout.fanOut) }
}
