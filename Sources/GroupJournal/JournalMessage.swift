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

  struct Query: Hashable, Sendable, Codable {
    var nonce: UInt64
    var inventory: Data
  }

  /// News for every participant, or the answer to a query.
  struct Records: Hashable, Sendable, Codable {
    var records: [JournalRecord]
    /// The answered query's nonce.
    var nonce: UInt64?
    /// A Boolean value that indicates whether more messages of the same answer follow.
    var hasMore = false
  }

  /// A participant's report of what it holds, sent now and then.
  struct Summary: Hashable, Sendable, Codable {
    var digest: UInt64
    var weight: Int
    /// The attachments of which it has everything: ids of 16 bytes, one after the other.
    var complete: Data
    /// The attachments of which it has only a number of leading chunks.
    var partial: [Partial]
  }

  struct Partial: Hashable, Sendable, Codable {
    var id: UUID
    var chunks: Int
  }

  /// A request for pieces of one level.
  struct Request: Hashable, Sendable, Codable {
    var id: UUID
    var level: Int
    var indices: [Int]
  }

  /// The limits on the number of items in one message.
  static let requestLimit = 32
  static let partialLimit = 64
  static let completeLimit = 1024
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

  /// A piece is `kind (1) · id (16) · level (1) · index (4) · bytes`, everything else `kind (1) · JSON`.
  func encoded() -> Data {
    switch self {
    case .query(let body): Self.encode(.query, body)
    case .records(let body): Self.encode(.records, body)
    case .summary(let body): Self.encode(.summary, body)
    case .request(let body): Self.encode(.request, body)
    case .missing(let id): Data([Kind.missing.rawValue] + id.bytes)
    case .piece(let id, let piece, let bytes):
      Data(
        [Kind.piece.rawValue] + id.bytes + [UInt8(piece.level)]
          + UInt64(piece.index).bigEndianBytes.suffix(4)) + bytes
    }
  }

  static func kind(of data: Data) -> Kind? { data.first.flatMap(Kind.init) }

  /// - Returns: nil for data that isn't a message or that exceeds a limit.
  init?(decoding data: Data) {
    guard let kind = Self.kind(of: data) else { return nil }
    let body = data.dropFirst()
    switch kind {
    case .query:
      guard let query = Self.decode(Query.self, body) else { return nil }
      self = .query(query)
    case .records:
      guard let records = Self.decode(Records.self, body) else { return nil }
      self = .records(records)
    case .summary:
      guard let summary = Self.decode(Summary.self, body), summary.weight >= 0,
        summary.complete.count % 16 == 0, summary.complete.count / 16 <= Self.completeLimit,
        summary.partial.count <= Self.partialLimit
      else { return nil }
      self = .summary(summary)
    case .request:
      guard let request = Self.decode(Request.self, body),
        (1...Self.requestLimit).contains(request.indices.count)
      else { return nil }
      self = .request(request)
    case .missing:
      guard let id = UUID(bytes: body) else { return nil }
      self = .missing(id)
    case .piece:
      guard body.count >= 21, let id = UUID(bytes: body.prefix(16)) else { return nil }
      let rest = body.dropFirst(16)
      let index = Int(UInt64(bigEndianBytes: rest.dropFirst().prefix(4)))
      self = .piece(
        id, Piece(level: Int(rest.first!), index: index), Data(rest.dropFirst(5)))
    }
  }

  private static func encode(_ kind: Kind, _ body: some Codable) -> Data {
    do {
      return Data([kind.rawValue]) + (try JSONEncoder().encode(body))
    } catch {
      preconditionFailure("a journal's \(kind) of ours can't be encoded: \(error)")
    }
  }

  private static func decode<Body: Codable>(_ type: Body.Type, _ data: Data) -> Body? {
    try? JSONDecoder().decode(type, from: data)
  }
}
