import Crypto
import Foundation
import GroupActivities

/// One attachment as participants pass it on: its author, with a proof; and its description unless it was
/// removed.
struct JournalRecord: Hashable, Sendable {
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

  /// The number of attachments of one author in one session, including removed ones.
  static let slotLimit = 1024
  private static let hashSize = 32
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
    (0..<Self.slotLimit).contains(slot) && bodyHash.count == Self.hashSize
      && body?.count ?? 0 <= Self.bodyLimit
  }
}

/// An attachment's description, which its author writes once.
struct JournalBody: Hashable, Sendable {
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
  /// A Boolean value that indicates whether participants fetch it only when their users ask for it.
  var isOnDemand = false

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
}

extension JournalRecord: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    precondition(bodyHash.count == Self.hashSize, "a hash of \(bodyHash.count) bytes")
    writer.value(author)
    writer.count(slot)
    writer.fixed(bodyHash)
    writer.value(proof)
    writer.flags(body != nil)
    if let body { writer.block(body) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    author = try reader.value()
    slot = try reader.count(limit: Self.slotLimit - 1)
    bodyHash = Data(try reader.fixed(Self.hashSize))
    proof = try reader.value()
    if try reader.flag() { body = Data(try reader.block(limit: Self.bodyLimit)) }
  }
}

extension JournalBody: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(fileName != nil, metadata != nil, isOnDemand)
    writer.word(addedAt)
    writer.number(UInt64(max(0, size)))
    writer.fixed(root)
    writer.text(type)
    if let fileName { writer.text(fileName) }
    if let metadata { writer.block(metadata) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(3)
    isOnDemand = has[2]
    addedAt = try reader.signedWord()
    size = try reader.nonnegative()
    root = Data(try reader.fixed(AttachmentLayout.hashSize))
    type = try reader.text(limit: Self.typeLimit)
    if has[0] { fileName = try reader.text(limit: 4 * Self.fileNameLimit) }
    if has[1] { metadata = Data(try reader.block(limit: Self.metadataLimit)) }
  }
}

extension UUID: BinaryCodable {
  var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  package func write(to writer: inout BinaryWriter) { writer.fixed(bytes) }

  package init(from reader: inout BinaryReader) throws(WireError) {
    guard let id = UUID(bytes: try reader.fixed(16)) else { throw .malformed }
    self = id
  }
}
