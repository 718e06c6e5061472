import Foundation
import Synchronization

/// What a session's participants put together: files, bytes and values that stay, also for those who come
/// later.
///
/// Everybody sees the same set. What is in it is there for whoever joins while the session lasts, also
/// when who added it has left: small attachments (up to 1 MiB) are fetched by everybody at once; of a larger one
/// the participant who has been in the party longest keeps a second copy, and the others fetch it when they
/// load it. Whoever has some of it gives it to others; every piece is checked before it is stored, and a
/// transfer goes on where it was after a broken connection. It takes its own share of the link and gives
/// way to everything else that the party says.
///
/// A participant takes part while it has a journal, one of its attachments, or its set of attachments in hand.
/// Any number of journals of one session are one.
///
/// Mirrors `GroupActivities.GroupSessionJournal`, without its limit of 100 MB.
public final class GroupSessionJournal: Sendable {
  /// The largest attachment, in bytes: 32 GiB.
  public static let sizeLimit = AttachmentLayout.sizeLimit
  /// The largest metadata, in bytes once encoded.
  public static let metadataLimit = JournalBody.metadataLimit
  /// How many attachments one participant may add in a session; removed ones count.
  public static let countLimit = JournalRecord.slotLimit

  let lease: JournalLease

  /// - Parameters:
  ///   - session: the journal fills when the session is joined.
  ///   - directory: where the directory for what is fetched is made, which only this user can look into and
  ///     which goes with the journal; `$TMPDIR` or `/var/tmp` when nil. It is the first journal's of a session
  ///     that counts.
  ///
  /// Mirrors `init(session:)`.
  public convenience init<Activity: GroupActivity>(
    session: GroupSession<Activity>, directory: URL? = nil
  ) {
    self.init(session: session, directory: directory, timing: JournalTiming())
  }

  init<Activity: GroupActivity>(
    session: GroupSession<Activity>, directory: URL?, timing: JournalTiming
  ) {
    lease = session.journal.lease {
      JournalKeeper(
        party: session.party, session: session.id, directory: directory, timing: timing)
    }
  }

  /// Adds bytes.
  ///
  /// - Throws: ``JournalError/party(_:)`` before the session was joined and after it ended,
  ///   ``JournalError/tooLarge(bytes:limit:)`` over ``sizeLimit``, ``JournalError/tooMany`` over
  ///   ``countLimit``, ``JournalError/storage(_:)``.
  ///
  /// Mirrors `add(_:)`.
  @discardableResult
  public func add(_ data: Data) async throws(JournalError) -> Attachment {
    try await add(.bytes(data), MessageName.bytes.text, nil)
  }

  /// Adds bytes, and something about them that everybody gets at once.
  ///
  /// - Throws: like ``add(_:)-(Data)``; ``JournalError/tooLarge(bytes:limit:)`` also for metadata over
  ///   ``metadataLimit``, and ``JournalError/notEncodable(_:)``.
  ///
  /// Mirrors `add(_:metadata:)`.
  @discardableResult
  public func add(
    _ data: Data, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(.bytes(data), MessageName.bytes.text, try encode(metadata))
  }

  /// Adds a file as it is now.
  ///
  /// A file over 1 MiB is not copied but read where it is, whenever somebody asks for it: if it is
  /// changed, this participant doesn't have it any more.
  ///
  /// - Parameter file: a regular file's URL.
  /// - Throws: like ``add(_:)-(Data)``, and ``JournalError/notAFile(_:)``.
  @discardableResult
  public func add(_ file: URL) async throws(JournalError) -> Attachment {
    try await add(try source(file), Self.fileType, nil)
  }

  /// Adds a file, and something about it that everybody gets at once.
  ///
  /// - Throws: like ``add(_:)-(URL)`` and ``add(_:metadata:)-(Data,_)``.
  @discardableResult
  public func add(
    _ file: URL, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(try source(file), Self.fileType, try encode(metadata))
  }

  /// Adds a value, encoded as JSON, under its type's stable name (``CustomMessageIdentifiable``).
  ///
  /// - Throws: like ``add(_:)-(Data)``, and ``JournalError/notEncodable(_:)``.
  @discardableResult
  public func add<Value: Codable & Sendable>(
    _ value: Value
  ) async throws(JournalError) -> Attachment {
    try await add(.bytes(try encode(value)), MessageName(of: Value.self).text, nil)
  }

  /// Adds a value, and something about it that everybody gets at once.
  ///
  /// - Throws: like ``add(_:)-(Value)`` and ``add(_:metadata:)-(Data,_)``.
  @discardableResult
  public func add<Value: Codable & Sendable>(
    _ value: Value, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(
      .bytes(try encode(value)), MessageName(of: Value.self).text, try encode(metadata))
  }

  /// Takes an attachment out for everybody, whoever added it. Nothing happens if it is out already.
  ///
  /// - Throws: ``JournalError/party(_:)``.
  ///
  /// Mirrors `remove(attachment:)`.
  public func remove(attachment: Attachment) async throws(JournalError) {
    try await lease.keeper.remove(attachment.id)
  }

  /// All attachments, in the order in which they were added: now, and whenever another one is there or one
  /// is gone. Several loops may read it; a slow one misses sets in between.
  ///
  /// Mirrors `attachments`.
  public var attachments: Attachments { Attachments(lease: lease) }

  private static let fileType = "file"

  private func add(
    _ source: JournalKeeper.Source, _ type: String, _ metadata: Data?
  ) async throws(JournalError) -> Attachment {
    Attachment(try await lease.keeper.add(source, type: type, metadata: metadata), lease)
  }

  private func source(_ file: URL) throws(JournalError) -> JournalKeeper.Source {
    guard file.isFileURL else { throw .notAFile(file.absoluteString) }
    return .file(file)
  }

  private func encode(_ value: some Encodable) throws(JournalError) -> Data {
    do {
      return try JSONEncoder().encode(value)
    } catch {
      throw .notEncodable("\(error)")
    }
  }
}
