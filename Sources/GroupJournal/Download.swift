import Foundation
import GroupActivities
import Timekeeping

/// The transfer of one attachment: the pieces that have arrived, and those still missing.
///
/// Chunks are requested from the beginning on, so that a user who plays a film during its transfer doesn't
/// wait for its middle.
struct Download: Sendable {
  struct Request: Hashable, Sendable {
    var holder: Participant.ID
    var sentAt: HostTime
    var timeout: HostTime
  }

  enum Outcome: Hashable, Sendable {
    case accepted
    /// The content doesn't match its hash.
    case wrong
    /// The piece arrived before, or no hash for it has arrived yet.
    case useless
  }

  let layout: AttachmentLayout
  private let root: Data
  /// The arrived chunks, one bit each.
  private var present: [UInt64]
  private(set) var presentCount = 0
  /// The index of the first missing chunk.
  private(set) var firstMissing = 0
  /// The hash blocks that are still needed to prove other pieces.
  private var blocks: [Piece: Data] = [:]
  var outstanding: [Piece: Request] = [:]
  /// The participants that sent something wrong. They get no more requests for this attachment.
  var liars: Set<Participant.ID> = []

  /// A Boolean value that indicates whether the content is fetched without a request from the user.
  var isEager = false
  /// The time before which an eager transfer waits, so that the participants don't all ask at once.
  var eagerAt: HostTime?
  /// The number of local callers that wait for the content.
  var demands = 0
  /// The time since which no participant in the session has the content.
  var unavailableSince: HostTime?

  init(layout: AttachmentLayout, root: Data) {
    self.layout = layout
    self.root = root
    present = Array(repeating: 0, count: (layout.chunkCount + 63) / 64)
  }

  var isComplete: Bool { presentCount == layout.chunkCount }
  var isWanted: Bool { !isComplete && (isEager || demands > 0) }

  func hasChunk(_ index: Int) -> Bool { present[index / 64] & (1 << (index % 64)) != 0 }

  /// Returns whether the piece can be given to other participants. A block is available once something under
  /// it is.
  func has(_ piece: Piece) -> Bool {
    guard layout.contains(piece) else { return false }
    if piece.level == 0 { return hasChunk(piece.index) }
    return blocks[piece] != nil || layout.chunks(under: piece).contains(where: hasChunk)
  }

  /// The size of the arrived chunks, in bytes.
  var presentBytes: Int64 {
    guard presentCount > 0 else { return 0 }
    let last = layout.chunkCount - 1
    let whole = Int64(presentCount) * Int64(AttachmentLayout.chunkSize)
    return hasChunk(last)
      ? whole - Int64(AttachmentLayout.chunkSize - layout.length(of: Piece(level: 0, index: last)))
      : whole
  }

  /// Verifies a piece and, if it is correct, records its arrival.
  mutating func pieceReceived(_ piece: Piece, _ bytes: Data) -> Outcome {
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
      // A block whose chunks have all arrived proves nothing more.
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

  /// Calls a closure for each piece that can be requested now, in the order in which the pieces are needed.
  ///
  /// - Parameter body: returns whether to continue.
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
        // No piece under the block can be proven before the block arrives.
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
