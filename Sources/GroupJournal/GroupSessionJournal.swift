import Foundation
import GroupActivities
import Synchronization

/// A set of files, bytes and values that a session's participants share, also with late joiners.
///
/// Every participant sees the same set. An attachment stays available to all who join during the session,
/// also after the participant that added it has left. Every participant fetches small attachments (up to 1
/// MiB) at once. The senior participant, which has been in the party longest, keeps a second copy of a larger
/// one; the others fetch it when they load it. A participant that has a part of an attachment gives it to
/// others. Every piece is verified before it is stored, and a transfer resumes after a broken connection.
/// Transfers use their own share of the link and yield to the party's other messages.
///
/// A participant takes part while it holds a journal, one of its attachments, or its set of attachments. All
/// journals of one session are the same journal.
///
/// Mirrors `GroupActivities.GroupSessionJournal`, without its limit of 100 MB.
public final class GroupSessionJournal: Sendable {
  /// The largest attachment, in bytes: 1 TiB.
  public static let sizeLimit = AttachmentLayout.sizeLimit
  /// The largest metadata, in bytes when encoded.
  public static let metadataLimit = JournalBody.metadataLimit
  /// The number of attachments that one participant may add in a session, including removed ones.
  public static let countLimit = JournalRecord.slotLimit

  /// The name of the journal's lane.
  private static let lane = "journal"

  let lease: JournalLease

  /// Creates a journal of a session.
  ///
  /// - Parameters:
  ///   - session: the session. The journal fills once the session is joined.
  ///   - directory: the directory for fetched files, which have no names and are gone with the journal; `$TMPDIR` or
  ///     `/var/tmp` when nil. The first journal of a session decides.
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
    lease = JournalLease.lease(of: session) {
      JournalKeeper(
        lane: GroupSessionLane(Self.lane, session: session), directory: directory, timing: timing)
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

  /// Adds bytes, with metadata that every participant gets at once.
  ///
  /// - Throws: like ``add(_:)-(Data)``; ``JournalError/tooLarge(bytes:limit:)`` also for metadata over
  ///   ``metadataLimit``, and ``JournalError/notEncodable(_:)``.
  ///
  /// Mirrors `add(_:metadata:)`.
  @discardableResult
  public func add(
    _ data: Data, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(data, metadata: metadata, isOnDemand: false)
  }

  /// Adds bytes that participants fetch only when their users ask for them, such as a part of a film.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - metadata: the metadata that every participant gets at once.
  ///   - isOnDemand: false to add them like ``add(_:metadata:)-(Data,_)``.
  /// - Throws: like ``add(_:metadata:)-(Data,_)``.
  @discardableResult
  public func add(
    _ data: Data, metadata: some Codable & Sendable, isOnDemand: Bool
  ) async throws(JournalError) -> Attachment {
    try await add(
      .bytes(data), MessageName.bytes.text, try encode(metadata), isOnDemand: isOnDemand)
  }

  /// Adds a file in its current state.
  ///
  /// A file over 1 MiB is not copied but read in place, whenever another participant asks for it. If it
  /// changes, this participant no longer has the attachment.
  ///
  /// - Parameter file: a regular file's URL.
  /// - Throws: like ``add(_:)-(Data)``, and ``JournalError/notAFile(_:)``.
  @discardableResult
  public func add(_ file: URL) async throws(JournalError) -> Attachment {
    try await add(try source(file), Self.fileType, nil)
  }

  /// Adds a file, with metadata that every participant gets at once.
  ///
  /// - Throws: like ``add(_:)-(URL)`` and ``add(_:metadata:)-(Data,_)``.
  @discardableResult
  public func add(
    _ file: URL, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(try source(file), Self.fileType, try encode(metadata))
  }

  /// Adds a file that participants fetch only when their users ask for it, such as a film that is played while it arrives
  /// (``Attachment/open()``). No participant keeps a second copy of it without a user's request.
  ///
  /// - Parameters:
  ///   - file: a regular file's URL.
  ///   - metadata: the metadata that every participant gets at once.
  ///   - isOnDemand: false to add it like ``add(_:metadata:)-(URL,_)``.
  ///   - progress: called on the journal's thread while the file is read, which takes seconds for a film.
  /// - Throws: like ``add(_:)-(URL)`` and ``add(_:metadata:)-(Data,_)``, and ``JournalError/cancelled``.
  @discardableResult
  public func add(
    _ file: URL, metadata: some Codable & Sendable, isOnDemand: Bool,
    progress: @Sendable (AttachmentProgress) -> Void = { _ in }
  ) async throws(JournalError) -> Attachment {
    try await add(
      try source(file), Self.fileType, try encode(metadata), isOnDemand: isOnDemand,
      progress: progress)
  }

  /// Adds a value, encoded as JSON, under its type's stable name (`CustomMessageIdentifiable`).
  ///
  /// - Throws: like ``add(_:)-(Data)``, and ``JournalError/notEncodable(_:)``.
  @discardableResult
  public func add<Value: Codable & Sendable>(
    _ value: Value
  ) async throws(JournalError) -> Attachment {
    try await add(.bytes(try encode(value)), MessageName(of: Value.self).text, nil)
  }

  /// Adds a value, with metadata that every participant gets at once.
  ///
  /// - Throws: like ``add(_:)-(Value)`` and ``add(_:metadata:)-(Data,_)``.
  @discardableResult
  public func add<Value: Codable & Sendable>(
    _ value: Value, metadata: some Codable & Sendable
  ) async throws(JournalError) -> Attachment {
    try await add(
      .bytes(try encode(value)), MessageName(of: Value.self).text, try encode(metadata))
  }

  /// Removes an attachment for every participant, whichever of them added it. Removing it twice has no
  /// effect.
  ///
  /// - Throws: ``JournalError/party(_:)``.
  ///
  /// Mirrors `remove(attachment:)`.
  public func remove(attachment: Attachment) async throws(JournalError) {
    try await lease.keeper.remove(attachment.id)
  }

  /// All attachments, in the order in which they were added: the current set, and a new set after each
  /// change. Several loops may read it; a slow one misses sets in between.
  ///
  /// Mirrors `attachments`.
  public var attachments: Attachments { Attachments(lease: lease) }

  private static let fileType = "file"

  private func add(
    _ source: JournalKeeper.Source, _ type: String, _ metadata: Data?, isOnDemand: Bool = false,
    progress: @Sendable (AttachmentProgress) -> Void = { _ in }
  ) async throws(JournalError) -> Attachment {
    Attachment(
      try await lease.keeper.add(
        source, type: type, metadata: metadata, isOnDemand: isOnDemand, progress: progress),
      lease)
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
