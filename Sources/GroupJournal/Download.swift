import Foundation
import GroupActivities
import Timekeeping

/// The transfer of one attachment: the pieces that have arrived, those still missing, and their order.
struct Download: Sendable {
  struct Request: Hashable, Sendable {
    var holder: Participant.ID
    var sentAt: HostTime
    var timeout: HostTime
    /// A Boolean value that indicates whether the piece was requested before, so that its arrival doesn't tell the path's
    /// delay.
    var isRepeated: Bool
  }

  enum Listening: Hashable, Sendable {
    /// Not before a time, because the messages came faster than the link carries them; nil if there was no such reason.
    case no(until: HostTime?)
    case begins
    case yes
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
  /// The arrived chunks.
  private(set) var present = RangeSet<Int>()
  private(set) var presentCount = 0
  /// The hash blocks that are still needed to prove other pieces.
  private var blocks: [Piece: Data] = [:]
  var outstanding: [Piece: Request] = [:]
  /// The missing pieces that were requested at least once, with the time of the first request.
  var asked: [Piece: HostTime] = [:]
  /// The number of pieces in a row that came to all listeners although an answer to this participant is late.
  var lateCount = 0
  /// The participants that sent something wrong. They get no more requests for this attachment.
  var liars: Set<Participant.ID> = []
  /// The participants whose earlier requests are void: the next one replaces them.
  var superseded: Set<Participant.ID> = []

  /// A Boolean value that indicates whether the content is fetched without a request from the user.
  var isEager = false
  /// The time before which an eager transfer waits, so that the participants don't all ask at once.
  var eagerAt: HostTime?
  /// The number of local callers that wait for the whole content.
  var demands = 0
  /// The local readers, by their numbers.
  var readers: [Int: ReadingPosition] = [:]
  /// The subscription to the attachment's topic.
  var listens = Listening.no(until: nil)
  /// The time since which no participant in the session has a missing part of the content.
  var unavailableSince: HostTime?
  /// The time since which no participant has a chunk that a read waits for.
  var blockedSince: HostTime?

  init(layout: AttachmentLayout, root: Data) {
    self.layout = layout
    self.root = root
  }

  var isComplete: Bool { presentCount == layout.chunkCount }
  /// A Boolean value that indicates whether local callers or readers want it.
  var isDemanded: Bool { demands > 0 || !readers.isEmpty }
  var isWanted: Bool { !isComplete && (isEager || isDemanded) }

  /// Returns whether the piece can be given to other participants. A block is available once something under
  /// it is.
  func has(_ piece: Piece) -> Bool {
    guard layout.contains(piece) else { return false }
    if piece.level == 0 { return present.contains(piece.index) }
    return blocks[piece] != nil || present.intersects(layout.chunks(under: piece))
  }

  /// The size of the arrived chunks, in bytes.
  var presentBytes: Int64 { layout.size(of: present) }

  // MARK: - Arrival

  /// Verifies a piece and, if it is correct, records its arrival.
  mutating func pieceReceived(_ piece: Piece, _ bytes: Data) -> Outcome {
    guard layout.contains(piece), !isDone(piece), blocks[piece] == nil,
      let expected = hash(of: piece)
    else { return .useless }
    guard bytes.count == layout.length(of: piece),
      AttachmentLayout.hash(bytes, level: piece.level) == expected
    else { return .wrong }
    outstanding[piece] = nil
    asked[piece] = nil
    if piece.level > 0 {
      blocks[piece] = bytes
      return .accepted
    }
    present.insert(contentsOf: piece.index..<piece.index + 1)
    presentCount += 1
    // A block whose chunks have all arrived proves nothing more.
    var block = piece
    while block != layout.top, isDone(block.parent) {
      block = block.parent
      blocks[block] = nil
    }
    return .accepted
  }

  private func isDone(_ piece: Piece) -> Bool {
    present.containsAll(layout.chunks(under: piece))
  }

  private func hash(of piece: Piece) -> Data? {
    guard piece != layout.top else { return root }
    guard let block = blocks[piece.parent] else { return nil }
    let start = block.startIndex + piece.index % AttachmentLayout.fanOut * AttachmentLayout.hashSize
    return Data(block[start..<start + AttachmentLayout.hashSize])
  }

  // MARK: - Order

  /// The chunks that blocked reads wait for.
  var blocked: [Int] {
    readers.values.flatMap(\.blocked).filter { !present.contains($0) }.sorted()
  }

  /// The rank among the attachments that are wanted, from 0.
  var rank: Int { demands > 0 ? 0 : readers.keys.min() ?? .max }

  private var inOrder: [ReadingPosition] { readers.sorted { $0.key < $1.key }.map(\.value) }

  /// The pieces besides those that blocked reads wait for, in the order in which they are needed.
  enum Need: CaseIterable {
    /// A window after each reader's position, and its preferred ranges.
    case soon
    /// The blocks of hashes, without which a jump's target takes another round trip.
    case proofs
    /// The chunks after each reader's position, and then everything from the beginning.
    case rest
  }

  /// The largest number of blocks that are fetched ahead, which stay in memory: 32 MiB of them, for a film of 32 GiB.
  private static let proofLimit = 1024

  private func order(_ need: Need, readAhead: Int) -> [Range<Int>] {
    let all = 0..<layout.chunkCount
    switch need {
    case .soon: return inOrder.map { $0.head..<$0.head + readAhead } + inOrder.flatMap(\.preferred)
    case .proofs:
      return readers.isEmpty || all.count > Self.proofLimit * AttachmentLayout.fanOut ? [] : [all]
    case .rest: return inOrder.map { min($0.head, all.upperBound)..<all.upperBound } + [all]
    }
  }

  /// Returns whether a piece is near the position of a reader.
  func isNear(_ piece: Piece, readAhead: Int) -> Bool {
    readers.values.contains { reader in
      layout.chunks(under: piece).overlaps(
        max(0, reader.head - readAhead / 4)..<reader.head + readAhead)
    }
  }

  /// Calls a closure for each piece that can be requested now, in the order in which the pieces are needed.
  ///
  /// - Parameters:
  ///   - readAhead: the chunks after a reader's position that are needed soon.
  ///   - reachable: the chunks that other participants have.
  ///   - body: returns whether to continue.
  func forEachWanted(
    _ need: Need, readAhead: Int, of reachable: RangeSet<Int>, _ body: (Piece) -> Bool
  ) {
    var missing = reachable.subtracting(present)
    var offered: Set<Piece> = []
    for range in order(need, readAhead: readAhead) {
      for part in missing.intersection(RangeSet(range)).ranges {
        var index = part.lowerBound
        while index < part.upperBound {
          let chunk = Piece(level: 0, index: index)
          // No piece under a block can be proven before the block arrives.
          let block = missingBlock(above: chunk)
          let piece = block ?? chunk
          let isMeant = block != nil || need != .proofs
          if isMeant, outstanding[piece] == nil, offered.insert(piece).inserted, !body(piece) {
            return
          }
          index = layout.chunks(under: isMeant ? piece : chunk.parent).upperBound
        }
      }
      missing.remove(contentsOf: range)
    }
  }

  /// Returns the piece to request for a chunk: itself, or the highest block that is missing above it.
  func needed(for chunk: Int) -> Piece {
    let chunk = Piece(level: 0, index: chunk)
    return missingBlock(above: chunk) ?? chunk
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
