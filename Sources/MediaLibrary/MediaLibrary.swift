import AVFormat
import Foundation
import GRDB
import Timekeeping

/// What this user has watched, and what is in which file: an SQLite database that several programs may have open at
/// once.
///
/// Its methods wait for the disk, not for each other's programs longer than ``patience``.
public final class MediaLibrary: Sendable {
  private let database: any DatabaseWriter

  /// Another program's writing takes milliseconds.
  static let patience = 5.0
  private static let fileName = "library.sqlite"

  private init(_ database: any DatabaseWriter) { self.database = database }

  /// Opens the library in a folder, or begins one there. Only this user can read it.
  ///
  /// - Returns: the library, and what to tell the user: a damaged one is set aside, and another one begun.
  /// - Throws: ``MediaLibraryError``.
  public static func open(
    in folder: URL
  ) throws(MediaLibraryError) -> (library: MediaLibrary, notice: String?) {
    let file = folder.appendingPathComponent(fileName)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      do {
        return (try open(file), nil)
      } catch let error as DatabaseError where error.isDamage {
        let aside = try setAside(file)
        return (
          try open(file),
          "the library was damaged: it is set aside as \(aside.path), and another one is begun"
        )
      }
    } catch {
      throw MediaLibraryError(error)
    }
  }

  /// A library that leaves no trace.
  public static func inMemory() throws(MediaLibraryError) -> MediaLibrary {
    do {
      let queue = try DatabaseQueue()
      try migrator.migrate(queue)
      return MediaLibrary(queue)
    } catch {
      throw MediaLibraryError(error)
    }
  }

  private static func open(_ file: URL) throws -> MediaLibrary {
    var configuration = Configuration()
    configuration.busyMode = .timeout(patience)
    // SQLite gives the journals the database's permissions.
    if !FileManager.default.fileExists(atPath: file.path) {
      _ = FileManager.default.createFile(
        atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    if try pool.read({ try migrator.hasBeenSuperseded($0) }) { throw Newer() }
    try migrator.migrate(pool)
    return MediaLibrary(pool)
  }

  /// It was made by a later version of the program.
  struct Newer: Error {}

  private static func setAside(_ file: URL) throws -> URL {
    let manager = FileManager.default
    for number in 1... {
      let aside = file.appendingPathExtension("damaged-\(number)")
      guard !manager.fileExists(atPath: aside.path) else { continue }
      try manager.moveItem(at: file, to: aside)
      for journal in ["-wal", "-shm"] {
        try? manager.moveItem(atPath: file.path + journal, toPath: aside.path + journal)
      }
      return aside
    }
    preconditionFailure("there is always another number")
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("what was watched, and what is in files") { database in
      try database.create(table: "film") { table in
        table.primaryKey("identifier", .text)
        table.column("title", .text).notNull()
        table.column("location", .text).notNull()
        table.column("position", .integer).notNull()
        table.column("duration", .integer)
        table.column("watchedAt", .double).notNull().indexed()
      }
      try database.create(table: "file") { table in
        table.primaryKey("path", .text)
        table.column("size", .integer).notNull()
        table.column("modified", .integer).notNull()
        table.column("identifier", .text).indexed()
        table.column("information", .jsonText)
      }
    }
    return migrator
  }

  // MARK: - What was watched

  /// Remembers how far a film was watched.
  public func remember(_ film: WatchedFilm) async throws(MediaLibraryError) {
    try await write { try FilmRow(film).upsert($0) }
  }

  /// - Returns: nil for a film that wasn't watched.
  public func film(_ identifier: String) async throws(MediaLibraryError) -> WatchedFilm? {
    try await read { try FilmRow.fetchOne($0, key: identifier)?.film }
  }

  /// Those that were opened from there last, by location.
  public func films(
    at locations: [String]
  ) async throws(MediaLibraryError) -> [String: WatchedFilm] {
    try await read { database in
      let rows = try FilmRow.filter(locations.contains(Column("location")))
        .order(Column("watchedAt")).fetchAll(database)
      return Dictionary(rows.map { ($0.location, $0.film) }) { $1 }
    }
  }

  /// The films that were watched last, the latest first.
  public func recent(limit: Int) async throws(MediaLibraryError) -> [WatchedFilm] {
    try await read { database in
      try FilmRow.order(Column("watchedAt").desc).limit(limit).fetchAll(database).map(\.film)
    }
  }

  public func forget(_ identifier: String) async throws(MediaLibraryError) {
    _ = try await write { try FilmRow.deleteOne($0, key: identifier) }
  }

  // MARK: - What is in files

  public func remember(_ file: KnownFile) async throws(MediaLibraryError) {
    try await write { try FileRow(file).upsert($0) }
  }

  /// What is known of these files, by path; of another version of a file it counts for nothing, which is for the
  /// caller to see.
  public func files(_ paths: [String]) async throws(MediaLibraryError) -> [String: KnownFile] {
    try await read { database in
      let rows = try FileRow.fetchAll(database, keys: paths)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0.file) })
    }
  }

  /// Files that have been this film: they may have changed or gone.
  public func files(of identifier: String) async throws(MediaLibraryError) -> [KnownFile] {
    try await read { database in
      try FileRow.filter(Column("identifier") == identifier).fetchAll(database).map(\.file)
    }
  }

  // MARK: - The database

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(MediaLibraryError) -> Value {
    do {
      return try await database.read(body)
    } catch {
      throw MediaLibraryError(error)
    }
  }

  @discardableResult
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(MediaLibraryError) -> Value {
    do {
      return try await database.write(body)
    } catch {
      throw MediaLibraryError(error)
    }
  }
}

/// Why the library can't be used.
public enum MediaLibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  case diskFull
  /// Made by a later version of this program, which is left alone.
  case newer
  case other(String)

  init(_ error: any Error) {
    self =
      switch error {
      case is MediaLibrary.Newer: .newer
      case let error as DatabaseError where error.resultCode == .SQLITE_FULL: .diskFull
      case let error as DatabaseError:
        // Without the statement's arguments, which are people's.
        .other(error.message ?? error.resultCode.description)
      default: .other("\(error)")
      }
  }

  public var description: String {
    switch self {
    case .diskFull: "the disk is full: what is watched isn't remembered"
    case .newer: "the library is a later version's: what is watched isn't remembered"
    case .other(let reason):
      "the library can't be used (\(reason)): what is watched isn't remembered"
    }
  }
}

extension DatabaseError {
  fileprivate var isDamage: Bool {
    resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
  }
}

// MARK: - Rows

private struct FilmRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "film"

  var identifier: String
  var title: String
  var location: String
  /// Nanoseconds.
  var position: Int64
  var duration: Int64?
  /// Seconds since 1970.
  var watchedAt: Double

  init(_ film: WatchedFilm) {
    identifier = film.identifier
    title = film.title
    location = film.location
    position = film.position.nanoseconds
    duration = film.duration?.nanoseconds
    watchedAt = film.watchedAt.timeIntervalSince1970
  }

  var film: WatchedFilm {
    WatchedFilm(
      identifier: identifier, title: title, location: location,
      position: MediaTime(nanoseconds: position),
      duration: duration.map { MediaTime(nanoseconds: $0) },
      watchedAt: Date(timeIntervalSince1970: watchedAt))
  }
}

private struct FileRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "file"

  var path: String
  var size: Int64
  var modified: Int64
  var identifier: String?
  var information: MediaInformation?

  init(_ file: KnownFile) {
    path = file.path
    (size, modified) = (file.version.size, file.version.modified)
    identifier = file.identifier
    information = file.information
  }

  var file: KnownFile {
    KnownFile(
      path: path, version: .init(size: size, modified: modified), identifier: identifier,
      information: information)
  }
}
