import Crypto
import Foundation

/// One attachment as participants pass it on: who added it, proven; and, unless it was removed, what it is.
struct JournalRecord: Hashable, Sendable, Codable {
  var author: Participant.ID
  /// The author's own count of what it added to the session, from 0. It bounds how many one participant
  /// can make the others keep.
  var slot: Int
  /// SHA-256 of ``body``.
  var bodyHash: Data
  var proof: Proof
  /// A ``JournalBody``, encoded; nil once the attachment was removed. Anyone may remove anything, so that
  /// this needs no proof; that the author really added it keeps removals of nothing from piling up.
  var body: Data?

  private enum CodingKeys: String, CodingKey {
    case author = "a"
    case slot = "n"
    case bodyHash = "h"
    case proof = "p"
    case body = "b"
  }

  /// For each author and session. What it removed counts too.
  static let slotLimit = 1024
  /// A body, in bytes.
  static let bodyLimit = 25 * 1024

  static func provenBytes(
    session: GroupSessionID, author: Participant.ID, slot: Int, bodyHash: Data
  ) -> [UInt8] {
    ProofPurpose.attachment.label + session.rawValue.bigEndianBytes + author.high.bigEndianBytes
      + author.low.bigEndianBytes + UInt64(slot).bigEndianBytes + bodyHash
  }

  func provenBytes(session: GroupSessionID) -> [UInt8] {
    Self.provenBytes(session: session, author: author, slot: slot, bodyHash: bodyHash)
  }

  /// A hash of all that makes it this attachment, so that no two have the same, whoever wishes so. A UUID
  /// of version 8 (RFC 9562 §5.8).
  func id(session: GroupSessionID) -> UUID {
    var bytes = Array(SHA256.hash(data: provenBytes(session: session)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Its shape only; not whether it is true.
  var isWithinLimits: Bool {
    (0..<Self.slotLimit).contains(slot) && bodyHash.count == 32 && proof.publicKey.count <= 32
      && proof.signature.count <= 64 && body?.count ?? 0 <= Self.bodyLimit
  }
}

/// What an attachment is, as its author wrote it down once.
struct JournalBody: Hashable, Sendable, Codable {
  /// In nanoseconds of group time; only puts attachments in the same order for everybody.
  var addedAt: Int64
  /// In bytes.
  var size: Int64
  /// See ``AttachmentLayout``.
  var root: Data
  /// What was added: a type's stable name, or that it is bytes or a file.
  var type: String
  var fileName: String?
  var metadata: Data?

  /// In bytes, once encoded.
  static let metadataLimit = 16 * 1024
  static let typeLimit = AppMessage.typeLimit
  /// In characters.
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
