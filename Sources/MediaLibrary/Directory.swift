import FileNames
import Foundation
import Timekeeping

/// The contents of one folder on the disk now.
struct Directory: Hashable, Sendable {
  struct File: Hashable, Sendable {
    var path: String
    var version: KnownFile.Version
    var inode: Int64
  }

  struct Folder: Hashable, Sendable {
    var path: String
    var identity: Identity
  }

  /// The identity of a folder; two paths to one folder have the same.
  struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  /// The films and audio files, in no order.
  var files: [File] = []
  var folders: [Folder] = []

  /// Reads a folder. A link counts as its target. Names that begin with a dot, and files that are neither films, audio
  /// files nor folders, are left out.
  ///
  /// - Returns: nil if the folder can't be read.
  init?(at path: String) {
    guard let directory = path.withFileName({ opendir($0) }) else { return nil }
    defer { closedir(directory) }
    let descriptor = dirfd(directory)
    let prefix = path == "/" ? "/" : path + "/"
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        // With half of the entries, the rest would look deleted.
        guard errno == 0 else { return nil }
        return
      }
      let name = FileName.name(of: entry)
      guard !name.hasPrefix(".") else { continue }
      let type = Int(entry.pointee.d_type)
      let mayBeFolder = type == Int(DT_DIR) || type == Int(DT_LNK) || type == Int(DT_UNKNOWN)
      guard mayBeFolder || MediaKind(fileNamed: name) != nil else { continue }
      var status = stat()
      guard name.withFileName({ fstatat(descriptor, $0, &status, 0) }) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: folders.append(Folder(path: prefix + name, identity: Identity(status)))
      case S_IFREG where MediaKind(fileNamed: name) != nil:
        files.append(
          File(
            path: prefix + name, version: KnownFile.Version(status),
            inode: Int64(truncatingIfNeeded: status.st_ino)))
      default: break
      }
    }
  }

  /// Returns the identity of a folder.
  ///
  /// - Returns: nil if there is no such folder.
  static func identity(of path: String) -> Identity? {
    guard let status = FileName.status(of: path), status.st_mode & S_IFMT == S_IFDIR else {
      return nil
    }
    return Identity(status)
  }
}

extension Directory.Identity {
  fileprivate init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

extension KnownFile.Version {
  init(_ status: stat) {
    size = Int64(status.st_size)
    // Clamped: a file may have any date, and dates after 2262 don't fit.
    let date: Duration = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
    modified = date.inNanoseconds
  }
}
