import Foundation
import GRDB
import Synchronization

/// The films that this user has watched, and the contents of files: an SQLite database that several programs may have
/// open at once.
///
/// Its methods wait for the disk, but for other programs no longer than ``patience``.
package final class MediaLibrary: Sendable {
  let database: any DatabaseWriter
  /// The folder of the library; nil for one in memory.
  let folder: URL?

  /// The path of the library's folder; nil for one in memory.
  package var path: String? { folder?.path }

  /// The longest wait for another program's lock. Its writing takes milliseconds.
  static let patience = Duration.seconds(5)
  /// The longest wait while opening, when the user waits: a library that another program keeps locked isn't used then.
  static let openingPatience = Duration.milliseconds(500)
  private static let busyPause = Duration.milliseconds(10)
  private static let fileName = "library.sqlite"

  private init(_ database: any DatabaseWriter, folder: URL?) {
    self.database = database
    self.folder = folder
  }

  /// Opens the library in a folder, or creates one there. Only this user can read it.
  ///
  /// - Returns: the library, and a notice for the user: a damaged library is set aside, and another one created.
  /// - Throws: ``MediaLibraryError``.
  package static func open(
    in folder: URL
  ) throws(MediaLibraryError) -> (library: MediaLibrary, notice: String?) {
    try open(in: folder, pageLimit: nil)
  }

  /// - Parameter pageLimit: the largest size in SQLite's pages, for a full disk.
  static func open(
    in folder: URL, pageLimit: Int?
  ) throws(MediaLibraryError) -> (library: MediaLibrary, notice: String?) {
    let file = folder.appendingPathComponent(fileName)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      // A folder that existed already may be open to others.
      chmod(folder.path, 0o700)
      do {
        return (try open(file, pageLimit: pageLimit), nil)
      } catch let error as DatabaseError where error.isDamage {
        let aside = try setAside(file)
        return (
          try open(file, pageLimit: pageLimit),
          "The library was damaged. It was moved to \(aside.path), and a new one was created. "
            + "The damaged one may contain invites: delete it when you don't need it."
        )
      }
    } catch {
      throw MediaLibraryError(error)
    }
  }

  /// Returns a Boolean value that indicates whether to try again to get a lock that another program holds.
  static func waits(after tries: Int, isOpen: Bool) -> Bool {
    busyPause * tries < (isOpen ? patience : openingPatience)
  }

  /// Returns a library that leaves no trace.
  package static func inMemory() throws(MediaLibraryError) -> MediaLibrary {
    do {
      let queue = try DatabaseQueue()
      try migrator.migrate(queue)
      return MediaLibrary(queue, folder: nil)
    } catch {
      throw MediaLibraryError(error)
    }
  }

  private static func open(_ file: URL, pageLimit: Int?) throws -> MediaLibrary {
    var configuration = Configuration()
    let isOpen = Flag()
    configuration.busyMode = .callback { tries in
      guard waits(after: tries, isOpen: isOpen.isSet) else { return false }
      usleep(useconds_t(busyPause / .microseconds(1)))
      return true
    }
    configuration.prepareDatabase { database in
      // Forgotten data, for example an invite, isn't left on the disk.
      try database.execute(sql: "PRAGMA secure_delete = ON")
      if let pageLimit {
        try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)")
      }
    }
    // SQLite gives new journals the database's permissions.
    tighten(file)
    if !FileManager.default.fileExists(atPath: file.path) {
      _ = FileManager.default.createFile(
        atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    if try pool.read({ try migrator.hasBeenSuperseded($0) }) { throw Newer() }
    try migrator.migrate(pool)
    isOpen.set()
    return MediaLibrary(pool, folder: file.deletingLastPathComponent())
  }

  /// A Boolean value that only ever becomes true.
  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
  }

  /// The library was made by a later version of the program.
  struct Newer: Error {}

  /// Moves a damaged library out of the way. Only the latest copy is kept: it may contain invites.
  private static func setAside(_ file: URL) throws -> URL {
    let manager = FileManager.default
    let prefix = file.lastPathComponent + ".damaged-"
    let folder = file.deletingLastPathComponent()
    for name in try manager.contentsOfDirectory(atPath: folder.path) where name.hasPrefix(prefix) {
      try manager.removeItem(at: folder.appendingPathComponent(name))
    }
    let aside = file.appendingPathExtension("damaged-1")
    try manager.moveItem(at: file, to: aside)
    for journal in journals where manager.fileExists(atPath: file.path + journal) {
      try manager.moveItem(atPath: file.path + journal, toPath: aside.path + journal)
    }
    tighten(aside)
    return aside
  }

  private static let journals = ["-wal", "-shm"]

  /// Removes other users' permissions, for libraries of versions and copies that left them.
  private static func tighten(_ file: URL) {
    for name in [""] + journals { chmod(file.path + name, 0o600) }
  }

  // MARK: - Watched films

  /// Stores how far a film was watched.
  ///
  /// - Parameter keepsLaterPosition: true if a later position that is stored already stays.
  package func remember(
    _ film: WatchedFilm, keepsLaterPosition: Bool = false
  ) async throws(MediaLibraryError) {
    try await write { database in
      var film = film
      if keepsLaterPosition, let stored = try FilmRow.fetchOne(database, key: film.identifier)?.film
      {
        film.position = max(film.position, stored.position)
      }
      try FilmRow(film).upsert(database)
    }
  }

  /// - Returns: nil for a film that wasn't watched.
  package func film(_ identifier: String) async throws(MediaLibraryError) -> WatchedFilm? {
    try await read { try FilmRow.fetchOne($0, key: identifier)?.film }
  }

  /// Returns the film that was last opened from each location, by location.
  package func films(
    at locations: [String]
  ) async throws(MediaLibraryError) -> [String: WatchedFilm] {
    try await read { database in
      let rows = try FilmRow.filter(locations.contains(Column("location")))
        .order(Column("watchedAt")).fetchAll(database)
      return Dictionary(rows.map { ($0.location, $0.film) }) { $1 }
    }
  }

  /// Returns the films among these that were watched, by identifier.
  package func films(
    _ identifiers: [String]
  ) async throws(MediaLibraryError) -> [String: WatchedFilm] {
    try await read { database in
      let rows = try FilmRow.fetchAll(database, keys: identifiers)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.identifier, $0.film) })
    }
  }

  /// Returns the films that were watched last, the latest first.
  package func recent(limit: Int) async throws(MediaLibraryError) -> [WatchedFilm] {
    try await read { database in
      try FilmRow.order(Column("watchedAt").desc).limit(limit).fetchAll(database).map(\.film)
    }
  }

  /// Forgets a film and the position in it. An unknown film is ignored.
  ///
  /// - Parameter identifier: ``WatchedFilm/identifier``.
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func forget(_ identifier: String) async throws(MediaLibraryError) {
    _ = try await write { try FilmRow.deleteOne($0, key: identifier) }
  }

  // MARK: - The database

  /// Empties the journal, which still contains data that was overwritten in the database.
  func clearJournal() async throws(MediaLibraryError) {
    guard let pool = database as? DatabasePool else { return }
    do {
      _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // Another program is reading; the next checkpoint clears the journal.
    } catch {
      throw MediaLibraryError(error)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(MediaLibraryError) -> Value {
    do {
      return try await database.read(body)
    } catch {
      throw MediaLibraryError(error)
    }
  }

  @discardableResult
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(MediaLibraryError) -> Value {
    do {
      return try await database.write(body)
    } catch {
      throw MediaLibraryError(error)
    }
  }
}

/// A reason why the library can't be used.
package enum MediaLibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The disk has no room for a change.
  case diskFull
  /// The library was made by a later version of this program, and is left unchanged.
  case newer
  /// The task that used the library was cancelled; the library is well.
  case cancelled
  /// Another failure of the database or its folder; the text never contains the user's data.
  case other(String)

  init(_ error: any Error) {
    self =
      switch error {
      case is MediaLibrary.Newer: .newer
      case is CancellationError: .cancelled
      case let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT: .cancelled
      case let error as DatabaseError where error.resultCode == .SQLITE_FULL: .diskFull
      case let error as DatabaseError:
        // Without the statement's arguments, which are the user's data.
        .other(error.message ?? error.resultCode.description)
      default: .other("\(error)")
      }
  }

  /// The problem, without its consequence.
  package var reason: String {
    switch self {
    case .diskFull: "The disk is full"
    case .newer: "The library was written by a newer version of Matinee"
    case .cancelled: "Cancelled"
    case .other(let reason): "The library can't be used (\(reason))"
    }
  }

  /// The consequence for a run that keeps no history because of the problem.
  package var withoutHistory: String { "\(reason). This session keeps no history." }

  package var description: String {
    switch self {
    case .diskFull: "\(reason). Free some space and try again."
    case .newer: "\(reason). Update Matinee to use it."
    case .cancelled: "\(reason). Try again."
    case .other: "\(reason). Nothing was changed. Restart Matinee and try again."
    }
  }
}

extension DatabaseError {
  fileprivate var isDamage: Bool {
    resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
  }
}
