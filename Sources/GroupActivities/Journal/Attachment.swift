import Foundation

extension GroupSessionJournal {
  /// Something that somebody put into the journal. Its content may be on its way, or still elsewhere.
  ///
  /// Mirrors `GroupSessionJournal.Attachment`.
  public struct Attachment: Sendable, Identifiable {
    private let entry: JournalBook.Entry
    /// Holding an attachment holds the journal's files.
    private let lease: JournalLease

    init(_ entry: JournalBook.Entry, _ lease: JournalLease) {
      self.entry = entry
      self.lease = lease
    }

    /// The same for everybody, and never another attachment's.
    public var id: UUID { entry.id }
    /// How large its content is, in bytes.
    public var size: Int64 { entry.body.size }
    /// Who added it, proven by its key; it may have left.
    public var addedBy: Participant.ID { entry.author }
    /// What its file was called, if it was added as one: a name without directories, cleaned of control
    /// characters.
    public var fileName: String? { entry.body.fileName.map(Self.safe) }

    /// The largest content that ``load(_:)-(Data.Type)`` takes into memory, in bytes.
    public static let memoryLimit: Int64 = 256 << 20

    /// The content as a value of the type that was added, as soon as all of it is here.
    ///
    /// - Throws: ``JournalError/removed``, ``JournalError/unavailable`` when for ten seconds nobody who is
    ///   here had it, ``JournalError/wrongType(_:wanted:)``, ``JournalError/notDecodable(_:)``,
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

    /// The content as bytes, whatever was added.
    ///
    /// - Throws: like ``load(_:)-(Value.Type)``.
    public func load(_ type: Data.Type) async throws(JournalError) -> Data {
      try await lease.keeper.load(id, limit: Self.memoryLimit)
    }

    /// Copies the content to a new file, piece by piece, as soon as all of it is here.
    ///
    /// - Parameter file: a file's URL, of which nothing must be there yet.
    /// - Throws: like ``load(_:)-(Value.Type)``, but for the limit; ``JournalError/fileExists(_:)``,
    ///   ``JournalError/notAFile(_:)``.
    public func load(to file: URL) async throws(JournalError) {
      guard file.isFileURL else { throw .notAFile(file.absoluteString) }
      try await lease.keeper.load(id, to: file.path)
    }

    /// What was added with it, which is here already.
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

    /// How much of the content is here now; nil once it was removed.
    public var progress: AttachmentProgress? {
      get async { await lease.keeper.currentProgress(of: id) }
    }

    /// How much of the content is here now, and more as it comes, without steps in between for a slow
    /// reader. Ends when all is here, with the attachment, or with the session.
    public var progressUpdates: AsyncStream<AttachmentProgress> {
      get async { await lease.keeper.progress(of: id) }
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

    /// It came from somebody else, who may not have cleaned it.
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

/// How much of an attachment's content is here.
public struct AttachmentProgress: Hashable, Sendable {
  public let completedBytes: Int64
  public let totalBytes: Int64
  /// Whether all of it is here: of nothing, nothing may be all.
  public let isFinished: Bool

  /// From 0 to 1.
  public var fraction: Double {
    totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : isFinished ? 1 : 0
  }
}
