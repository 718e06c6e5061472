import Foundation
import GroupActivities

extension GroupSessionJournal {
  /// An attachment in the journal. Its content may still be in transfer, or only with other participants.
  ///
  /// Mirrors `GroupSessionJournal.Attachment`.
  public struct Attachment: Sendable, Identifiable {
    private let entry: JournalBook.Entry
    /// The lease that keeps the journal's files while the attachment is in use.
    private let lease: JournalLease

    init(_ entry: JournalBook.Entry, _ lease: JournalLease) {
      self.entry = entry
      self.lease = lease
    }

    /// The attachment's identifier: unique, and the same for every participant.
    public var id: UUID { entry.id }
    /// The content's size, in bytes.
    public var size: Int64 { entry.body.size }
    /// The participant that added the attachment, proven by its key. It may have left.
    public var addedBy: Participant.ID { entry.author }
    /// The name of the file that was added, or nil for bytes and values: without directories or control
    /// characters.
    public var fileName: String? { entry.body.fileName.map(Self.safe) }

    /// A Boolean value that indicates whether participants fetch the content only when their users ask for it.
    public var isOnDemand: Bool { entry.body.isOnDemand }

    /// The largest content that ``load(_:)-(Data.Type)`` loads into memory, in bytes.
    public static let memoryLimit: Int64 = 256 << 20

    /// Returns the content as a value of the type that was added, once it is complete here.
    ///
    /// - Throws: ``JournalError/removed``, ``JournalError/unavailable`` when for ten seconds no participant
    ///   in the session had it, ``JournalError/wrongType(_:wanted:)``, ``JournalError/notDecodable(_:)``,
    ///   ``JournalError/tooLarge(bytes:limit:)`` over ``memoryLimit``, ``JournalError/storage(_:)``,
    ///   ``JournalError/cancelled``, ``JournalError/party(_:)`` when the session is over.
    ///
    /// Mirrors `load(_:)`.
    public func load<Value: Codable & Sendable>(
      _ type: Value.Type
    ) async throws(JournalError) -> Value {
      let name = MessageName(of: type).text
      guard name == entry.body.type else {
        throw .wrongType(PartyText.clean(entry.body.type, limit: 128), wanted: name)
      }
      return try Self.decode(type, try await load(Data.self))
    }

    /// Returns the content's bytes, whatever its type.
    ///
    /// - Throws: like ``load(_:)-(Value.Type)``, but for ``JournalError/wrongType(_:wanted:)`` and
    ///   ``JournalError/notDecodable(_:)``.
    public func load(_ type: Data.Type) async throws(JournalError) -> Data {
      try await lease.keeper.load(id, limit: Self.memoryLimit)
    }

    /// Copies the content to a new file, piece by piece, once it is complete here.
    ///
    /// - Parameter file: the new file's URL. No file may exist there yet.
    /// - Throws: like ``load(_:)-(Value.Type)``, but for the limit; ``JournalError/fileExists(_:)``,
    ///   ``JournalError/notAFile(_:)``.
    public func load(to file: URL) async throws(JournalError) {
      guard file.isFileURL else { throw .notAFile(file.absoluteString) }
      try await lease.keeper.load(id, to: file.path)
    }

    /// Opens the content for reading while it arrives. The transfer begins now and goes on while the reader is in use.
    ///
    /// - Throws: ``JournalError/storage(_:)`` if the disk has too little room for all of it, ``JournalError/removed``,
    ///   ``JournalError/party(_:)`` when the session is over.
    public func open() async throws(JournalError) -> AttachmentReader {
      try await lease.keeper.open(id, lease)
    }

    /// Returns the metadata that was added with the attachment. It is available at once.
    ///
    /// - Throws: ``JournalError/noMetadata``, ``JournalError/notDecodable(_:)``.
    ///
    /// Mirrors `loadMetadata(of:)`.
    public func loadMetadata<Metadata: Codable & Sendable>(
      of type: Metadata.Type
    ) async throws(JournalError) -> Metadata {
      guard let metadata = entry.body.metadata else { throw .noMetadata }
      return try Self.decode(type, metadata)
    }

    /// The transfer's current progress; nil once the attachment was removed.
    public var progress: AttachmentProgress? {
      get async { await lease.keeper.currentProgress(of: id) }
    }

    /// The transfer's progress, now and after each change. A slow reader misses values in between. Ends when
    /// the content is complete, the attachment is removed, or the session is over.
    public var progressUpdates: AsyncStream<AttachmentProgress> {
      get async { await lease.keeper.progress(of: id) }
    }

    /// The number of the content's bytes that each of the other participants in the session has, by its last report, which
    /// is some seconds old. The participant that added the attachment has all, unless it reported that its file changed.
    public var holdings: [Participant.ID: Int64] {
      get async { await lease.keeper.holdings(of: id) }
    }

    private static func decode<Value: Decodable>(
      _ type: Value.Type, _ data: Data
    ) throws(JournalError) -> Value {
      do {
        return try JSONDecoder().decode(type, from: data)
      } catch {
        throw .notDecodable("\(error)")
      }
    }

    /// Cleans a name that came from another participant, which may not have cleaned it.
    private static func safe(_ name: String) -> String {
      let cleaned = PartyText.clean(
        name.replacingOccurrences(of: "/", with: "_"), limit: JournalBody.fileNameLimit)
      return ["", ".", ".."].contains(cleaned) ? "attachment" : cleaned
    }
  }
}

extension GroupSessionJournal.Attachment: Hashable {
  public static func == (a: Self, b: Self) -> Bool { a.id == b.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The progress of an attachment's transfer to this participant.
public struct AttachmentProgress: Hashable, Sendable {
  /// The number of the content's bytes that are here, from 0 to ``totalBytes``.
  public let completedBytes: Int64
  /// The content's size, in bytes.
  public let totalBytes: Int64
  /// A Boolean value that indicates whether the content is complete. An empty attachment needs it: its byte
  /// counts are always equal.
  public let isFinished: Bool

  /// The completed fraction, from 0 to 1.
  public var fraction: Double {
    totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : isFinished ? 1 : 0
  }
}
