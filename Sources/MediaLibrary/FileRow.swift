import AVFormat
import Foundation
import GRDB

/// How a file is kept.
struct FileRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "file"

  var path: String
  var size: Int64
  var modified: Int64
  var identifier: String?
  var information: MediaInformation?
  /// The folder that it is in; what `LIKE` can't find by an index.
  var directory: String
  /// What it is found by.
  var words: String
  /// Of the file's inode, as SQLite has integers; nil where nobody looked.
  var inode: Int64?
  /// Somebody computed its identifier, or tried to.
  var isRead: Bool
  /// It is on a disk that isn't mounted now.
  var isAway: Bool

  init(_ file: KnownFile, inode: Int64? = nil) {
    path = file.path
    (size, modified) = (file.version.size, file.version.modified)
    identifier = file.identifier
    information = file.information
    directory = Self.directory(of: file.path)
    words = SearchWords.of(path: file.path, title: file.information?.title)
    self.inode = inode
    isRead = file.identifier != nil
    isAway = false
  }

  var file: KnownFile {
    KnownFile(
      path: path, version: .init(size: size, modified: modified), identifier: identifier,
      information: information)
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
