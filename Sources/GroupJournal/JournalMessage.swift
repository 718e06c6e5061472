import Foundation
import GroupActivities

/// A message between journals. Each may get lost.
enum JournalMessage: Hashable, Sendable {
  /// Asks for the records that aren't in the sender's inventory.
  case query(Query)
  case records(Records)
  case summary(Summary)
  case request(Request)
  /// Reports what the sender has of an attachment, because a requested piece isn't among it.
  case holding(Holding)
  case piece(UUID, Piece, Data)
  /// A piece for all that listen to the attachment's topic, and the participants that waited for it.
  case shared(UUID, Piece, Data, askers: [Participant.ID])

  struct Query: Hashable, Sendable {
    var nonce: UInt64
    var inventory: Data
  }

  /// News for every participant, or the answer to a query.
  struct Records: Hashable, Sendable {
    var records: [JournalRecord]
    /// The answered query's nonce.
    var nonce: UInt64?
    /// A Boolean value that indicates whether more messages of the same answer follow.
    var hasMore = false
  }

  /// A participant's report of what it holds, sent now and then.
  struct Summary: Hashable, Sendable {
    var digest: UInt64
    var weight: Int
    /// The attachments of which it has everything: ids of 16 bytes, one after the other.
    var complete: Data
    /// The attachments of which it has only some chunks.
    var partial: [Holding]
  }

  /// The part of an attachment that a participant has.
  struct Holding: Hashable, Sendable {
    var id: UUID
    /// The chunks, in ascending ranges that don't touch each other. Perhaps only the largest ones.
    var chunks: [Range<Int>]
  }

  /// A request for pieces of one level.
  struct Request: Hashable, Sendable {
    var id: UUID
    var level: Int
    /// The pieces; none if the request only replaces earlier ones.
    var indices: [Int]
    /// A Boolean value that indicates whether a read waits for the pieces. They come before the sender's other ones.
    var isUrgent = false
    /// A Boolean value that indicates whether the sender no longer needs what it requested of this attachment before.
    var isReplacing = false
    /// A Boolean value that indicates whether the sender hears the messages to the attachment's topic.
    var isListening = false
  }

  /// The limits on the number of items in one message.
  static let requestLimit = 32
  static let partialLimit = 64
  static let rangeLimit = 64
  static let askerLimit = 64
  static let completeLimit = 1024
  static let recordLimit = 1024
  /// The limits of an answer: bytes of records in one message, and messages.
  static let recordBytes = 36 * 1024
  static let answerLimit = 32
}

extension JournalMessage {
  /// The first byte of a message.
  enum Kind: UInt8, Sendable {
    case query = 0x71
    case records = 0x72
    case summary = 0x73
    case request = 0x61
    case holding = 0x68
    case piece = 0x70
    case shared = 0x50
  }

  func encoded() -> Data { Data(binary) }

  static func kind(of data: Data) -> Kind? { data.first.flatMap(Kind.init) }

  /// - Returns: nil for data that isn't a message or that exceeds a limit.
  init?(decoding data: Data) {
    guard let message = try? Self(binary: data) else { return nil }
    self = message
  }
}

extension JournalMessage: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    func begin(_ kind: Kind) { writer.byte(kind.rawValue) }
    switch self {
    case .query(let query):
      begin(.query)
      writer.word(query.nonce)
      writer.block(query.inventory)
    case .records(let records):
      begin(.records)
      writer.flags(records.nonce != nil, records.hasMore)
      if let nonce = records.nonce { writer.word(nonce) }
      writer.list(records.records)
    case .summary(let summary):
      begin(.summary)
      writer.word(summary.digest)
      writer.count(summary.weight)
      writer.count(summary.complete.count / 16)
      writer.fixed(summary.complete)
      writer.list(summary.partial)
    case .request(let request):
      begin(.request)
      writer.value(request.id)
      writer.flags(request.isUrgent, request.isReplacing, request.isListening)
      writer.byte(UInt8(request.level))
      writer.count(request.indices.count)
      for index in request.indices { writer.count(index) }
    case .holding(let holding):
      begin(.holding)
      writer.value(holding)
    case .shared(let id, let piece, let bytes, let askers):
      begin(.shared)
      writer.list(askers)
      writer.value(id)
      writer.byte(UInt8(piece.level))
      writer.count(piece.index)
      writer.fixed(bytes)
    case .piece(let id, let piece, let bytes):
      begin(.piece)
      writer.value(id)
      writer.byte(UInt8(piece.level))
      writer.count(piece.index)
      writer.fixed(bytes)
    }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("journal message \(number)") }
    switch kind {
    case .query:
      self = .query(
        Query(
          nonce: try reader.word(),
          inventory: Data(try reader.block(limit: GroupSessionLane.sizeLimit))))
    case .records:
      let flags = try reader.flags(2)
      let nonce: UInt64? = if flags[0] { try reader.word() } else { nil }
      self = .records(
        Records(
          records: try reader.list(limit: Self.recordLimit), nonce: nonce, hasMore: flags[1]))
    case .summary:
      let digest = try reader.word()
      let weight = try reader.count(limit: Int(UInt32.max))
      let complete = try reader.fixed(16 * (try reader.count(limit: Self.completeLimit)))
      self = .summary(
        Summary(
          digest: digest, weight: weight, complete: Data(complete),
          partial: try reader.list(limit: Self.partialLimit)))
    case .request:
      let id: UUID = try reader.value()
      let flags = try reader.flags(3)
      let level = Int(try reader.byte())
      var indices: [Int] = []
      for _ in 0..<(try reader.count(limit: Self.requestLimit)) {
        indices.append(try reader.count(limit: Int(UInt32.max)))
      }
      self = .request(
        Request(
          id: id, level: level, indices: indices, isUrgent: flags[0], isReplacing: flags[1],
          isListening: flags[2]))
    case .holding: self = .holding(try reader.value())
    case .piece:
      let (id, piece, bytes) = try Self.readPiece(&reader)
      self = .piece(id, piece, bytes)
    case .shared:
      let askers: [Participant.ID] = try reader.list(limit: Self.askerLimit)
      let (id, piece, bytes) = try Self.readPiece(&reader)
      self = .shared(id, piece, bytes, askers: askers)
    }
  }

  private static func readPiece(
    _ reader: inout BinaryReader
  ) throws(WireError) -> (UUID, Piece, Data) {
    let id: UUID = try reader.value()
    let level = Int(try reader.byte())
    let index = try reader.count(limit: Int(UInt32.max))
    return (
      id, Piece(level: level, index: index),
      Data(try reader.remainder(limit: GroupSessionLane.sizeLimit))
    )
  }
}

extension JournalMessage.Holding: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(id)
    writer.count(chunks.count)
    var end = 0
    for range in chunks {
      writer.count(range.lowerBound - end)
      writer.count(range.count)
      end = range.upperBound
    }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    id = try reader.value()
    chunks = []
    var end = 0
    for _ in 0..<(try reader.count(limit: JournalMessage.rangeLimit)) {
      let start = end + (try reader.count(limit: Int(UInt32.max)))
      let count = try reader.count(limit: Int(UInt32.max))
      guard count > 0, start > end || chunks.isEmpty else { throw .malformed }
      end = start + count
      chunks.append(start..<end)
    }
  }
}
