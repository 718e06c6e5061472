import Crypto
import Foundation
import GroupActivities

/// One attachment as participants pass it on: its author, with a proof; and its description unless it was
/// removed.
struct JournalRecord: Hashable, Sendable, Codable {
  var author: Participant.ID
  /// The author's own count of the attachments that it added to the session, from 0. It bounds how many
  /// attachments of one participant the others must keep.
  var slot: Int
  /// SHA-256 of ``body``.
  var bodyHash: Data
  var proof: Proof
  /// A ``JournalBody``, encoded; nil once the attachment was removed. Every participant may remove every
  /// attachment, so a removal needs no proof. The author's proof stays, so that removals of invented
  /// attachments can't pile up.
  var body: Data?

  private enum CodingKeys: String, CodingKey {
    case author = "a"
    case slot = "n"
    case bodyHash = "h"
    case proof = "p"
    case body = "b"
  }

  /// The number of attachments of one author in one session, including removed ones.
  static let slotLimit = 1024
  /// The largest body, in bytes.
  static let bodyLimit = 25 * 1024

  /// Returns the statement that an author signs.
  static func statement(author: Participant.ID, slot: Int, bodyHash: Data) -> [UInt8] {
    author.bytes + UInt64(slot).bigEndianBytes + bodyHash
  }

  var statement: [UInt8] { Self.statement(author: author, slot: slot, bodyHash: bodyHash) }

  /// Returns a hash of all that identifies this attachment, so that not even a dishonest author can give two
  /// attachments the same id. A UUID of version 8 (RFC 9562 §5.8).
  func id(_ authorship: AttachmentAuthorship) -> UUID {
    var bytes = Array(SHA256.hash(data: authorship.provenBytes(statement)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// A Boolean value that indicates whether the record's shape is valid. It doesn't verify the proof.
  var isWithinLimits: Bool {
    (0..<Self.slotLimit).contains(slot) && bodyHash.count == 32 && proof.publicKey.count <= 32
      && proof.signature.count <= 64 && body?.count ?? 0 <= Self.bodyLimit
  }
}

/// An attachment's description, which its author writes once.
struct JournalBody: Hashable, Sendable, Codable {
  /// The time of the addition, in nanoseconds of group time. It only orders the attachments equally for every
  /// participant.
  var addedAt: Int64
  /// The content's size, in bytes.
  var size: Int64
  /// The root hash; see ``AttachmentLayout``.
  var root: Data
  /// The kind of content: a type's stable name, or the names for bytes and files.
  var type: String
  var fileName: String?
  var metadata: Data?

  /// The largest metadata, in bytes when encoded.
  static let metadataLimit = 16 * 1024
  static let typeLimit = MessageName.limit
  /// The longest file name, in characters.
  static let fileNameLimit = 200

  var isWithinLimits: Bool {
    AttachmentLayout(size: size) != nil && root.count == AttachmentLayout.hashSize
      && (1...Self.typeLimit).contains(type.utf8.count)
      && metadata?.count ?? 0 <= Self.metadataLimit
      && fileName?.utf8.count ?? 0 <= 4 * Self.fileNameLimit
  }

  func encoded() -> Data {
    do {
      return try JSONEncoder().encode(self)
    } catch {
      preconditionFailure("an attachment's description of ours can't be encoded: \(error)")
    }
  }
}

extension UUID {
  var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
