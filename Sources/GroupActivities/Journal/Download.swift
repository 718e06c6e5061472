import Foundation
import Timekeeping

/// What has come of one attachment, and what is to come.
///
/// Chunks are wanted from the first on, so that who plays a film while it comes doesn't wait for its
/// middle.
struct Download: Sendable {
  struct Request: Hashable, Sendable {
    var holder: Participant.ID
    var sentAt: HostTime
    var timeout: HostTime
  }

  enum Outcome: Hashable, Sendable {
    case accepted
    /// It isn't what its hash says.
    case wrong
    /// It came before, or nothing proves it yet.
    case useless
  }

  let layout: AttachmentLayout
  private let root: Data
  /// A bit for each chunk.
  private var present: [UInt64]
  private(set) var presentCount = 0
  /// All chunks before it are there.
  private(set) var firstMissing = 0
  /// The blocks of hashes that are still needed to prove something.
  private var blocks: [Piece: Data] = [:]
  var outstanding: [Piece: Request] = [:]
  /// Who sent something wrong. Nobody asks them again for this.
  var liars: Set<Participant.ID> = []

  /// Whether it is fetched without anybody here having asked for it.
  var isEager = false
  /// Before then others who want the same are let go first.
  var eagerAt: HostTime?
  /// How many here wait for it.
  var demands = 0
  /// Since when nobody who is here has it.
  var unavailableSince: HostTime?

  init(layout: AttachmentLayout, root: Data) {
    self.layout = layout
    self.root = root
    present = Array(repeating: 0, count: (layout.chunkCount + 63) / 64)
  }

  var isComplete: Bool { presentCount == layout.chunkCount }
  var isWanted: Bool { !isComplete && (isEager || demands > 0) }

  func hasChunk(_ index: Int) -> Bool { present[index / 64] & (1 << (index % 64)) != 0 }

  /// Whether it can be given to others. A block is there once something under it is.
  func has(_ piece: Piece) -> Bool {
    guard layout.contains(piece) else { return false }
    if piece.level == 0 { return hasChunk(piece.index) }
    return blocks[piece] != nil || layout.chunks(under: piece).contains(where: hasChunk)
  }

  /// In bytes.
  var presentBytes: Int64 {
    guard presentCount > 0 else { return 0 }
    let last = layout.chunkCount - 1
    let whole = Int64(presentCount) * Int64(AttachmentLayout.chunkSize)
    return hasChunk(last)
      ? whole - Int64(AttachmentLayout.chunkSize - layout.length(of: Piece(level: 0, index: last)))
      : whole
  }

  /// Verifies a piece; takes note that it is there if it is right.
  mutating func take(_ piece: Piece, _ bytes: Data) -> Outcome {
    guard layout.contains(piece), !isDone(piece), !(piece.level == 0 && hasChunk(piece.index)),
      blocks[piece] == nil, let expected = hash(of: piece)
    else { return .useless }
    guard bytes.count == layout.length(of: piece),
      AttachmentLayout.hash(bytes, level: piece.level) == expected
    else { return .wrong }
    outstanding[piece] = nil
    if piece.level > 0 {
      blocks[piece] = bytes
      return .accepted
    }
    present[piece.index / 64] |= 1 << (piece.index % 64)
    presentCount += 1
    let block = firstMissing / AttachmentLayout.fanOut
    while firstMissing < layout.chunkCount, hasChunk(firstMissing) { firstMissing += 1 }
    if isComplete || firstMissing / AttachmentLayout.fanOut > block {
      // A block whose chunks are all there proves nothing any more.
      blocks = blocks.filter { !isDone($0.key) }
    }
    return .accepted
  }

  private func isDone(_ piece: Piece) -> Bool {
    layout.chunks(under: piece).upperBound <= firstMissing
  }

  private func hash(of piece: Piece) -> Data? {
    guard piece != layout.top else { return root }
    guard let block = blocks[piece.parent] else { return nil }
    let start = block.startIndex + piece.index % AttachmentLayout.fanOut * AttachmentLayout.hashSize
    return Data(block[start..<start + AttachmentLayout.hashSize])
  }

  /// What can be asked for now, in the order in which it is needed.
  ///
  /// - Parameter body: says whether to go on.
  func forEachWanted(_ body: (Piece) -> Bool) {
    var index = firstMissing
    while index < layout.chunkCount {
      if index % 64 == 0, present[index / 64] == .max {
        index += 64
        continue
      }
      let chunk = Piece(level: 0, index: index)
      if hasChunk(index) || outstanding[chunk] != nil {
        index += 1
        continue
      }
      if let block = missingBlock(above: chunk) {
        // Nothing under it can be proven before it is there.
        if outstanding[block] == nil, !body(block) { return }
        index = layout.chunks(under: block).upperBound
      } else {
        guard body(chunk) else { return }
        index += 1
      }
    }
  }

  private func missingBlock(above chunk: Piece) -> Piece? {
    var missing: Piece?
    var piece = chunk
    while piece != layout.top {
      piece = piece.parent
      if blocks[piece] == nil { missing = piece }
    }
    return missing
  }
}
