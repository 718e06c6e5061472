import Crypto
import Foundation

/// The division of an attachment of some size into chunks, and into the blocks of hashes that prove them.
///
/// It is a tree: level 0 holds the chunks, level 1 blocks of up to 1024 chunks' hashes, level 2 blocks of
/// level 1's hashes, level 3 those of level 2. The top level has one piece, whose hash is the attachment's root. A participant that
/// knows size and root can therefore verify each piece as it arrives.
struct AttachmentLayout: Hashable, Sendable {
  /// The size of a chunk, in bytes. One piece fits into one message of a broker's 64 KiB.
  static let chunkSize = 32 * 1024
  static let hashSize = 32
  static let fanOut = chunkSize / hashSize
  /// The largest attachment: 1 TiB. Four levels could hold 32 times as much, but a participant keeps a share of the hash
  /// blocks in memory during a transfer: 1 GiB of them at this size.
  static let sizeLimit = Int64(1) << 40

  /// The attachment's size, in bytes.
  let size: Int64
  /// The number of pieces at each level; 1 at the last.
  let counts: [Int]

  /// - Returns: nil unless the size is valid for an attachment.
  init?(size: Int64) {
    guard (0...Self.sizeLimit).contains(size) else { return nil }
    self.size = size
    // An empty attachment has one chunk without bytes.
    var counts = [max(1, Int((size + Int64(Self.chunkSize) - 1) / Int64(Self.chunkSize)))]
    while counts.last! > 1 {
      counts.append((counts.last! + Self.fanOut - 1) / Self.fanOut)
    }
    self.counts = counts
  }

  var chunkCount: Int { counts[0] }
  /// The size of the content and its hash blocks, in bytes.
  var storedSize: Int64 { size + Int64(counts.dropLast().reduce(0, +) * Self.hashSize) }
  var top: Piece { Piece(level: counts.count - 1, index: 0) }

  func contains(_ piece: Piece) -> Bool {
    counts.indices.contains(piece.level) && (0..<counts[piece.level]).contains(piece.index)
  }

  /// Returns a piece's length, in bytes.
  func length(of piece: Piece) -> Int {
    if piece.level == 0 {
      return Int(min(Int64(Self.chunkSize), size - Int64(piece.index) * Int64(Self.chunkSize)))
    }
    return Self.hashSize * min(Self.fanOut, counts[piece.level - 1] - piece.index * Self.fanOut)
  }

  /// Returns the bytes of some chunks.
  func size(of chunks: RangeSet<Int>) -> Int64 {
    let chunk = Int64(Self.chunkSize)
    return chunks.ranges.reduce(0) {
      $0 + min(size, Int64($1.upperBound) * chunk) - Int64($1.lowerBound) * chunk
    }
  }

  /// Returns the offset of a piece in its file: one file holds the chunks, another all hash blocks, level 1
  /// first.
  func offset(of piece: Piece) -> Int64 {
    guard piece.level > 0 else { return Int64(piece.index) * Int64(Self.chunkSize) }
    let before = counts[..<(piece.level - 1)].reduce(0, +)
    return Int64(before) * Int64(Self.hashSize) + Int64(piece.index) * Int64(Self.chunkSize)
  }

  /// Returns the chunks under a piece.
  func chunks(under piece: Piece) -> Range<Int> {
    var span = 1
    for _ in 0..<piece.level { span *= Self.fanOut }
    return piece.index * span..<min(chunkCount, (piece.index + 1) * span)
  }

  /// - Returns: 32 bytes. The hash includes the level, so that a hash block can't be mistaken for a chunk.
  static func hash(_ bytes: some DataProtocol, level: Int) -> Data {
    var hash = SHA256()
    hash.update(data: [UInt8(level)])
    hash.update(data: bytes)
    return Data(hash.finalize())
  }
}

/// A chunk, or a block of hashes.
struct Piece: Hashable, Sendable {
  /// The level in the tree; 0 for chunks.
  var level: Int
  /// The position in the level, from 0.
  var index: Int

  /// The block that contains this piece's hash.
  var parent: Piece { Piece(level: level + 1, index: index / AttachmentLayout.fanOut) }
}
