import Foundation
import GRDB

/// The media folders that are scanned.
extension MediaLibrary {
  /// Adds a folder to the next scan, and to all later ones.
  ///
  /// - Parameter path: an absolute path.
  package func add(folder path: String) async throws(MediaLibraryError) {
    let path = Self.plain(path)
    try await write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO folder (path, addedAt) VALUES (?, ?)",
        arguments: [path, Date().timeIntervalSince1970])
    }
  }

  /// Removes a folder, and its files that aren't in another media folder.
  ///
  /// - Returns: false if there was no such folder.
  @discardableResult
  package func drop(folder path: String) async throws(MediaLibraryError) -> Bool {
    let path = Self.plain(path)
    return try await write { database in
      try database.execute(sql: "DELETE FROM folder WHERE path = ?", arguments: [path])
      guard database.changesCount > 0 else { return false }
      let others = try String.fetchAll(database, sql: "SELECT path FROM folder")
      let kept = others.filter { $0 != path }.map { Subtree($0) }
      let condition = (["1"] + kept.map { "NOT (\($0.condition))" }).joined(separator: " AND ")
      try database.execute(
        sql: "DELETE FROM file WHERE \(Subtree(path).condition) AND \(condition)",
        arguments: StatementArguments(([Subtree(path)] + kept).flatMap(\.bounds)))
      return true
    }
  }

  /// Returns the folders in the order in which they were added.
  package func folders() async throws(MediaLibraryError) -> [MediaFolder] {
    try await read { try Self.folders($0) }
  }

  static func folders(_ database: Database) throws -> [MediaFolder] {
    try Row.fetchAll(database, sql: "SELECT * FROM folder ORDER BY addedAt, path").map { row in
      let path: String = row["path"]
      let scannedAt: Double? = row["scannedAt"]
      return MediaFolder(
        path: path, addedAt: Date(timeIntervalSince1970: row["addedAt"]),
        scannedAt: scannedAt.map { Date(timeIntervalSince1970: $0) }, isAway: row["isAway"],
        fileCount: try Int.fetchOne(
          database, sql: "SELECT count(*) FROM file WHERE \(Subtree(path).condition)",
          arguments: StatementArguments(Subtree(path).bounds)) ?? 0)
    }
  }

  private static func plain(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? plain(String(path.dropLast())) : path
  }
}

/// All files below a folder, found with the index of their paths.
struct Subtree: Hashable, Sendable {
  private let folder: String

  init(_ folder: String) { self.folder = folder == "/" ? "" : folder }

  /// The SQL condition; its two arguments are ``bounds``.
  var condition: String { "path > ? AND path < ?" }
  /// The bounds of the paths. The zero follows the slash in ASCII.
  var bounds: [String] { [folder + "/", folder + "0"] }

  func contains(_ path: String) -> Bool { path.utf8.starts(with: (folder + "/").utf8) }
}

/// A folder whose films can be found by name and by content, even if they were never opened here.
package struct MediaFolder: Hashable, Sendable {
  /// The folder's absolute path.
  package var path: String
  /// The time at which the user added the folder.
  package var addedAt: Date
  /// The time of the last complete scan; nil for never.
  package var scannedAt: Date?
  /// A Boolean value that indicates whether the folder is missing now, because its disk isn't mounted. Its known files
  /// are kept.
  package var isAway: Bool
  /// The number of known films and audio files in the folder.
  package var fileCount: Int
}
