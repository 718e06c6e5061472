import Foundation
import MediaLibrary
import Screening

/// The reads of folders that the library's list needs. Each may take forever, for example on a disk that doesn't answer,
/// so they need a thread of their own.
protocol FileSystem: Sendable {
  /// Returns the films, audio files and folders in a folder: the folders and then the files, each sorted by title
  /// without regard to case.
  func contents(of folder: String) throws(FolderProblem) -> [FilmShelf.Entry]
  /// Returns the time of the folder's last change.
  func lastChange(of folder: String) throws(FolderProblem) -> FolderChange
  /// Returns the entry for a path or URL that the user named.
  func entry(at location: String) -> FilmShelf.Entry
}

/// The time of a folder's last change.
struct FolderChange: Hashable, Sendable {
  var seconds: Int
  var nanoseconds: Int
}

/// The reason why a folder can't be read.
struct FolderProblem: Error, Hashable, CustomStringConvertible {
  let folder: String
  let reason: String

  /// The advice fits one line of the list.
  var description: String { "Can't read this folder (\(reason)). Go back, then try again" }
}

/// This machine's files.
struct LocalFileSystem: FileSystem {
  /// The maximum number of names that are read in one folder.
  private static let limit = 2000

  func lastChange(of folder: String) throws(FolderProblem) -> FolderChange {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw FolderProblem(folder: folder, reason: String(cString: strerror(errno)))
    }
    return FolderChange(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  func contents(of folder: String) throws(FolderProblem) -> [FilmShelf.Entry] {
    guard let directory = opendir(folder) else {
      throw FolderProblem(folder: folder, reason: String(cString: strerror(errno)))
    }
    closedir(directory)
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw FolderProblem(folder: folder, reason: error.localizedDescription)
    }
    let entries = names.filter { !$0.hasPrefix(".") }.prefix(Self.limit).compactMap { name in
      let entry = entry(at: URL(fileURLWithPath: folder).appendingPathComponent(name).path)
      return entry.kind == .folder || MediaKind(fileNamed: name) != nil ? entry : nil
    }
    return entries.sorted { a, b in
      (a.kind == .folder ? 0 : 1, a.title.lowercased()) < (
        b.kind == .folder ? 0 : 1, b.title.lowercased()
      )
    }
  }

  func entry(at location: String) -> FilmShelf.Entry {
    if FilmIdentity.scheme(of: location) != nil {
      return FilmShelf.Entry(kind: .film, title: location, location: location)
    }
    let url = URL(fileURLWithPath: location)
    if FilmShelf.isFolder(location) {
      return FilmShelf.Entry(kind: .folder, title: url.lastPathComponent, location: location)
    }
    return FilmShelf.Entry(ofFileAt: location, file: FilmShelf.FileKey(location))
  }
}
