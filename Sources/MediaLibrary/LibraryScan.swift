import AVFormat
import FileNames
import Foundation
import GRDB
import Synchronization

/// One scan of all media folders: first their files, then the contents of new and changed files.
///
/// It blocks and takes long, so it needs a thread of its own. It can be cancelled at any point; the next scan
/// continues.
struct LibraryScan {
  let library: MediaLibrary
  /// Computes the identifier of the film in a file; nil for one that can't be read.
  let identify: @Sendable (String) -> String?
  let isCancelled: @Sendable () -> Bool
  let report: @Sendable (ScanProgress) -> Void
  private(set) var progress = ScanProgress()

  /// The number of rows that are written at once: some milliseconds of the database's time.
  private static let batch = 100
  /// The longest time between two writes of results, in seconds.
  private static let flushInterval = 2.0

  init(
    library: MediaLibrary, identify: @escaping @Sendable (String) -> String?,
    isCancelled: @escaping @Sendable () -> Bool, report: @escaping @Sendable (ScanProgress) -> Void
  ) {
    self.library = library
    self.identify = identify
    self.isCancelled = isCancelled
    self.report = report
  }

  mutating func run() throws {
    let folders = try library.database.read { try MediaLibrary.folders($0) }
    var damage: DamagedMounts?
    for folder in folders where !isCancelled() {
      do {
        try look(through: folder)
      } catch let error as DamagedMounts {
        // The other folders are scanned nevertheless.
        damage = error
      }
    }
    try readAll()
    progress.phase = .idle
    report(progress)
    if let damage { throw damage }
  }

  // MARK: - Which files there are

  private mutating func look(through folder: MediaFolder) throws {
    let database = library.database
    let subtree = Subtree(folder.path)
    let mounts = try database.read { database in
      try String.fetchOne(
        database, sql: "SELECT mounts FROM folder WHERE path = ?", arguments: [folder.path])
    }
    var walk = FolderWalk(folder.path, mounts: try Self.mounts(mounts, of: folder.path))
    /// Files that are gone or moved; which of the two is known at the end of the walk.
    var missing: [String] = []
    var seen = 0
    while let step = walk.next() {
      guard !isCancelled() else { return }
      switch step {
      case .away: progress.unreadable += 1
      case .directory(let path, let directory):
        missing += try record(directory, at: path)
        seen += directory.files.count
        progress.seen += directory.files.count
        report(progress)
      }
    }
    // An empty root is more likely a missing disk than the deletion of all films.
    let isAway =
      walk.away.contains(folder.path)
      || (seen == 0 && folder.fileCount > 0 && walk.visited.count <= 1)
    let found = walk
    let gone = missing
    try database.write { database in
      if !isAway {
        let known = try String.fetchAll(
          database, sql: "SELECT DISTINCT directory FROM file WHERE \(subtree.condition)",
          arguments: StatementArguments(subtree.bounds))
        for directory in known where !found.visited.contains(directory) {
          if found.isAway(directory) {
            try database.execute(
              sql: "UPDATE file SET isAway = 1 WHERE directory = ?", arguments: [directory])
          } else {
            try database.execute(
              sql: "DELETE FROM file WHERE directory = ?", arguments: [directory])
          }
        }
        for path in gone {
          try database.execute(sql: "DELETE FROM file WHERE path = ?", arguments: [path])
        }
      } else {
        try database.execute(
          sql: "UPDATE file SET isAway = 1 WHERE \(subtree.condition)",
          arguments: StatementArguments(subtree.bounds))
      }
      try database.execute(
        sql: "UPDATE folder SET isAway = ?, scannedAt = ?, mounts = ? WHERE path = ?",
        arguments: [
          isAway, isAway ? folder.scannedAt?.timeIntervalSince1970 : Date().timeIntervalSince1970,
          Self.json(found.mounts), folder.path,
        ])
    }
  }

  /// Compares a folder with its known contents, and records new and changed files.
  ///
  /// - Returns: the paths of known files that are missing.
  private func record(_ directory: Directory, at path: String) throws -> [String] {
    let known = try library.database.read { database in
      var known: [String: Known] = [:]
      let rows = try Row.fetchCursor(
        database,
        sql: "SELECT path, size, modified, inode, isAway FROM file WHERE directory = ?",
        arguments: [path])
      while let row = try rows.next() {
        known[row[0]] = Known(
          version: .init(size: row[1], modified: row[2]), inode: row[3], isAway: row[4])
      }
      return known
    }
    let fresh = directory.files.filter { file in
      known[file.path] != Known(version: file.version, inode: file.inode, isAway: false)
    }
    for start in stride(from: 0, to: fresh.count, by: Self.batch) {
      guard !isCancelled() else { return [] }
      let files = fresh[start..<min(start + Self.batch, fresh.count)]
      try library.database.write { database in
        for file in files { try Self.note(file, in: database) }
      }
    }
    return Array(Set(known.keys).subtracting(directory.files.map(\.path)))
  }

  private struct Known: Hashable {
    var version: KnownFile.Version
    var inode: Int64?
    var isAway: Bool
  }

  /// Records a file. If the same version is known under this name, or with the same inode under another name, its
  /// contents needn't be read again.
  private static func note(_ file: Directory.File, in database: Database) throws {
    let (size, modified) = (file.version.size, file.version.modified)
    let old = try FileRow.fetchOne(database, key: file.path)
    let same =
      old?.size == size && old?.modified == modified
      ? old
      : try FileRow.fetchOne(
        database,
        sql: """
          SELECT * FROM file WHERE inode = ? AND size = ? AND modified = ? AND isRead LIMIT 1
          """, arguments: [file.inode, size, modified])
    var row = FileRow(
      KnownFile(
        path: file.path, version: file.version, identifier: same?.identifier,
        information: same?.information), inode: file.inode)
    row.isRead = same?.isRead ?? false
    try row.upsert(database)
  }

  /// - Throws: ``DamagedMounts``: without the list, the films of a disk that isn't mounted would look deleted.
  private static func mounts(_ json: String?, of folder: String) throws -> Set<String> {
    guard let json else { return [] }
    do {
      return Set(try JSONDecoder().decode([String].self, from: Data(json.utf8)))
    } catch {
      throw DamagedMounts(folder: folder)
    }
  }

  /// The list of a media folder's mounted disks can't be read.
  struct DamagedMounts: Error, CustomStringConvertible {
    let folder: String

    var description: String {
      "the record of \(folder) is damaged: remove this media folder from the library and add it again"
    }
  }

  private static func json(_ mounts: Set<String>) throws -> String {
    String(decoding: try JSONEncoder().encode(mounts.sorted()), as: UTF8.self)
  }

  // MARK: - What is in them

  private mutating func readAll() throws {
    let database = library.database
    let toRead = "NOT isRead AND NOT isAway"
    progress.toRead = try database.read { database in
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM file WHERE \(toRead) AND \(Self.inFolders)") ?? 0
    }
    guard progress.toRead > 0 else { return }
    progress.phase = .reading
    report(progress)
    var after = ""
    while !isCancelled() {
      let last = after
      let paths = try database.read { database in
        try String.fetchAll(
          database,
          sql: """
            SELECT path FROM file WHERE \(toRead) AND path > ? AND \(Self.inFolders)
            ORDER BY path LIMIT \(Self.batch)
            """, arguments: [last])
      }
      guard let end = paths.last else { return }
      after = end
      try read(paths)
    }
  }

  /// The condition for files in a media folder: files examined elsewhere aren't scanned.
  private static let inFolders = """
    EXISTS (SELECT 1 FROM folder WHERE NOT folder.isAway AND file.path > rtrim(folder.path, '/') || '/'
      AND file.path < rtrim(folder.path, '/') || '0')
    """

  private mutating func read(_ paths: [String]) throws {
    var rows: [FileRow] = []
    var flushedAt = Date()
    for path in paths {
      guard !isCancelled() else { break }
      let begin = Date()
      if let row = read(path) { rows.append(row) }
      progress.read += 1
      if -flushedAt.timeIntervalSinceNow > Self.flushInterval {
        try write(rows)
        rows = []
        flushedAt = Date()
        report(progress)
      }
      // Pause for as long as the reading took: other programs need the disk, too.
      Thread.sleep(forTimeInterval: min(0.5, -begin.timeIntervalSinceNow))
    }
    try write(rows)
    report(progress)
  }

  /// Examines a file.
  ///
  /// - Returns: nil if the file is gone meanwhile.
  private func read(_ path: String) -> FileRow? {
    guard let status = FileName.status(of: path), status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var row = FileRow(
      KnownFile(
        path: path, version: .init(status), identifier: identify(path),
        information: MediaInformation.read(path)),
      inode: Int64(truncatingIfNeeded: status.st_ino))
    // A file that can't be read now is examined again after it has changed.
    row.isRead = true
    return row
  }

  private func write(_ rows: [FileRow]) throws {
    guard !rows.isEmpty else { return }
    try library.database.write { database in
      for row in rows {
        // Dropping a folder meanwhile has also removed its files.
        guard try FileRow.exists(database, key: row.path) else { continue }
        try row.update(database)
      }
    }
  }
}

/// The progress of a scan.
package struct ScanProgress: Hashable, Sendable {
  /// The phase of a scan. It looks for files first, then reads the new and changed ones.
  package enum Phase: Hashable, Sendable {
    /// Looking for files, and reading them.
    case looking, reading
    /// The scan is over, or hasn't begun.
    case idle
  }

  /// The current phase.
  package var phase = Phase.looking
  /// The number of films and audio files that were found.
  package var seen = 0
  /// The number of new or changed files that have been examined; ``toRead`` is the number of all of them.
  package var read = 0
  /// The number of new or changed files, known once the phase is `reading`.
  package var toRead = 0
  /// The number of folders that can't be read, or aren't mounted.
  package var unreadable = 0
}
