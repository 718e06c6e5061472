import AVFormat
import Foundation
import GRDB

/// A file's row in the database.
struct FileRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "file"

  var path: String
  var size: Int64
  var modified: Int64
  var identifier: String?
  var information: MediaInformation?
  /// The folder that contains the file, in a column of its own because `LIKE` can't use an index for it.
  var directory: String
  /// The words by which the file is found.
  var words: String
  /// The file's inode as a signed integer, as SQLite stores it; nil if it wasn't read.
  var inode: Int64?
  /// A Boolean value that indicates whether the program tried to compute the identifier, successfully or not.
  var isRead: Bool
  /// A Boolean value that indicates whether the file is on a disk that isn't mounted now.
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
