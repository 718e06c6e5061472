import Foundation
import GRDB

/// The folders that are looked through.
extension MediaLibrary {
  /// Has a folder looked through by the next scan, and by each after it.
  ///
  /// - Parameter path: an absolute one.
  public func add(folder path: String) async throws(MediaLibraryError) {
    let path = Self.plain(path)
    try await write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO folder (path, addedAt) VALUES (?, ?)",
        arguments: [path, Date().timeIntervalSince1970])
    }
  }

  /// Forgets a folder, and the files in it that no other one has.
  ///
  /// - Returns: false if there was no such folder.
  @discardableResult
  public func drop(folder path: String) async throws(MediaLibraryError) -> Bool {
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

  /// In the order in which they were added.
  public func folders() async throws(MediaLibraryError) -> [MediaFolder] {
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

/// All files below a folder, by the index of their paths.
struct Subtree: Hashable, Sendable {
  private let folder: String

  init(_ folder: String) { self.folder = folder == "/" ? "" : folder }

  /// With two arguments: ``bounds``.
  var condition: String { "path > ? AND path < ?" }
  /// What comes right after a slash is a zero.
  var bounds: [String] { [folder + "/", folder + "0"] }

  func contains(_ path: String) -> Bool { path.utf8.starts(with: (folder + "/").utf8) }
}
