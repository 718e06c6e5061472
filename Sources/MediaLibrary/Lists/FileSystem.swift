import FileNames
import Foundation
import Screening

/// The reads of folders that the library's list needs. Each may take forever, for example on a disk that doesn't answer,
/// so they need a thread of their own.
protocol FileSystem: Sendable {
  /// Returns the films, audio files and folders in a folder: the folders and then the files, each sorted by title as
  /// people sort: 2 before 10, and Ä beside A. If there are too many for the list, its last line says so.
  func contents(of folder: String) throws(FolderProblem) -> [FilmShelf.Entry]
  /// Returns the time of the folder's last change.
  func lastChange(of folder: String) throws(FolderProblem) -> FolderChange
  /// Returns the entry for a path or URL that the user named.
  func entry(at location: String) -> FilmShelf.Entry
}

/// The time of a folder's last change.
package struct FolderChange: Hashable, Sendable {
  var seconds: Int
  var nanoseconds: Int
}

/// The reason why a folder can't be read.
package struct FolderProblem: Error, Hashable, CustomStringConvertible {
  let folder: String
  package let reason: String

  /// The advice fits one line of the list.
  package var description: String { "Can't read this folder (\(reason)). Go back, then try again" }
}

/// This machine's files.
struct LocalFileSystem: FileSystem {
  /// The maximum number of entries that are listed.
  static let limit = 2000

  func lastChange(of folder: String) throws(FolderProblem) -> FolderChange {
    guard let status = FileName.status(of: folder) else {
      throw FolderProblem(folder: folder, reason: String(cString: strerror(errno)))
    }
    return FolderChange(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  func contents(of folder: String) throws(FolderProblem) -> [FilmShelf.Entry] {
    guard let names = FileName.names(in: folder) else {
      throw FolderProblem(folder: folder, reason: String(cString: strerror(errno)))
    }
    var entries = names.filter { !$0.hasPrefix(".") }.compactMap { name in
      let entry = entry(at: folder == "/" ? "/" + name : folder + "/" + name)
      return entry.kind == .folder || MediaKind(fileNamed: name) != nil ? entry : nil
    }
    entries.sort { a, b in
      guard (a.kind == .folder) == (b.kind == .folder) else { return a.kind == .folder }
      return a.title.localizedStandardCompare(b.title) == .orderedAscending
    }
    let hidden = entries.count - Self.limit
    guard hidden > 0 else { return entries }
    return entries.prefix(Self.limit) + [
      FilmShelf.Entry(
        kind: .fact, title: "… and \(hidden) more, which only a search (/) finds", location: "more:"
      )
    ]
  }

  func entry(at location: String) -> FilmShelf.Entry {
    if FilmIdentity.scheme(of: location) != nil {
      return FilmShelf.Entry(kind: .film, title: location, location: location)
    }
    let url = URL(fileURLWithPath: location)
    if FilmShelf.isFolder(location) {
      return FilmShelf.Entry(
        kind: .folder, title: FileName.shown(url.lastPathComponent), location: location)
    }
    return FilmShelf.Entry(ofFileAt: location, file: FilmShelf.FileKey(location))
  }
}
