import Foundation
import GroupActivities

/// A message between journals. Each may get lost.
enum JournalMessage: Hashable, Sendable {
  /// Asks for the records that aren't in the sender's inventory.
  case query(Query)
  case records(Records)
  case summary(Summary)
  case request(Request)
  /// Reports that the sender doesn't have the requested attachment.
  case missing(UUID)
  case piece(UUID, Piece, Data)

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
    /// The attachments of which it has only a number of leading chunks.
    var partial: [Partial]
  }

  struct Partial: Hashable, Sendable {
    var id: UUID
    var chunks: Int
  }

  /// A request for pieces of one level.
  struct Request: Hashable, Sendable {
    var id: UUID
    var level: Int
    var indices: [Int]
  }

  /// The limits on the number of items in one message.
  static let requestLimit = 32
  static let partialLimit = 64
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
    case missing = 0x6D
    case piece = 0x70
  }

  func encoded() -> Data {
    var writer = BinaryWriter()
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
      writer.count(summary.partial.count)
      for partial in summary.partial {
        writer.fixed(partial.id.bytes)
        writer.count(partial.chunks)
      }
    case .request(let request):
      begin(.request)
      writer.fixed(request.id.bytes)
      writer.byte(UInt8(request.level))
      writer.count(request.indices.count)
      for index in request.indices { writer.count(index) }
    case .missing(let id):
      begin(.missing)
      writer.fixed(id.bytes)
    case .piece(let id, let piece, let bytes):
      begin(.piece)
      writer.fixed(id.bytes)
      writer.byte(UInt8(piece.level))
      writer.count(piece.index)
      writer.fixed(bytes)
    }
    return Data(writer.bytes)
  }

  static func kind(of data: Data) -> Kind? { data.first.flatMap(Kind.init) }

  /// - Returns: nil for data that isn't a message or that exceeds a limit.
  init?(decoding data: Data) {
    var reader = BinaryReader(Array(data)[...])
    guard let message = try? Self.read(from: &reader), reader.isAtEnd else { return nil }
    self = message
  }

  private static func read(from reader: inout BinaryReader) throws(WireError) -> Self {
    let number = try reader.byte()
    guard let kind = Kind(rawValue: number) else { throw .unknown("journal message \(number)") }
    switch kind {
    case .query:
      return .query(
        Query(
          nonce: try reader.word(),
          inventory: Data(try reader.block(limit: GroupSessionLane.sizeLimit))))
    case .records:
      let flags = try reader.flags(2)
      let nonce: UInt64? = if flags[0] { try reader.word() } else { nil }
      return .records(
        Records(
          records: try reader.list(limit: recordLimit), nonce: nonce, hasMore: flags[1]))
    case .summary:
      let digest = try reader.word()
      let weight = try reader.count(limit: Int(UInt32.max))
      let complete = try reader.fixed(16 * (try reader.count(limit: completeLimit)))
      var partial: [Partial] = []
      for _ in 0..<(try reader.count(limit: partialLimit)) {
        partial.append(
          Partial(id: try uuid(&reader), chunks: try reader.count(limit: Int(UInt32.max))))
      }
      return .summary(
        Summary(digest: digest, weight: weight, complete: Data(complete), partial: partial))
    case .request:
      let (id, level) = (try uuid(&reader), Int(try reader.byte()))
      var indices: [Int] = []
      for _ in 0..<(try reader.count(limit: requestLimit)) {
        indices.append(try reader.count(limit: Int(UInt32.max)))
      }
      guard !indices.isEmpty else { throw .malformed }
      return .request(Request(id: id, level: level, indices: indices))
    case .missing: return .missing(try uuid(&reader))
    case .piece:
      let id = try uuid(&reader)
      let piece = Piece(
        level: Int(try reader.byte()), index: try reader.count(limit: Int(UInt32.max)))
      return .piece(
        id, piece, Data(try reader.remainder(limit: GroupSessionLane.sizeLimit)))
    }
  }

  private static func uuid(_ reader: inout BinaryReader) throws(WireError) -> UUID {
    guard let id = UUID(bytes: try reader.fixed(16)) else { throw .malformed }
    return id
  }
}
