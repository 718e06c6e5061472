import Concurrency
import Crypto
import Foundation
import Screening

/// Reading films' identities.
extension FilmIdentity {
  /// - Throws: ``FilmError`` for a file that isn't there, can't be read, or is empty.
  init(_ location: String) throws(FilmError) {
    if let scheme = Self.scheme(of: location), scheme != "file" {
      self.init(
        identifier: PlaylistEntry.identifier(ofStream: location),
        title: Self.title(ofStream: location), location: location)
      return
    }
    let path = URL(string: location)?.scheme == "file" ? URL(string: location)!.path : location
    let url = URL(fileURLWithPath: (path as NSString).expandingTildeInPath)
    self.init(
      identifier: try Self.fingerprint(of: url),
      title: url.deletingPathExtension().lastPathComponent,
      location: url.standardizedFileURL.path)
  }

  /// Reads a film's identity without blocking the caller: a disk may have to spin up first.
  static func read(_ location: String) async throws(FilmError) -> FilmIdentity {
    try await OwnedThread.run("film") {
      Result { () throws(FilmError) in try FilmIdentity(location) }
    }.get()
  }

  /// Creates the identity of a file whose content is known.
  init(identifier: String, path: String) {
    self.init(
      identifier: identifier,
      title: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent, location: path)
  }

  /// Returns a file's name, or a page's whole address, since a name like "watch" is not specific. Credentials in the
  /// URL are omitted.
  private static func title(ofStream location: String) -> String {
    let name = location.split(whereSeparator: "?#".contains).first?.split(separator: "/").last
      .map { $0.removingPercentEncoding ?? String($0) }
    guard let parts = URLComponents(string: location), let host = parts.host, !host.isEmpty else {
      return name ?? location
    }
    if let name, parts.path.count > 1, name.contains(".") { return name }
    let page = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
    return (host.hasPrefix("www.") ? String(host.dropFirst(4)) : host) + page
      + (parts.query.map { "?" + $0 } ?? "")
  }

  private static let sample = 256 * 1024

  /// Returns the SHA-256 of the file's size and three samples: its beginning, middle and end. Reading a whole film
  /// would make the user wait.
  private static func fingerprint(of url: URL) throws(FilmError) -> String {
    let path = url.path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw .missing(path)
    }
    guard !isDirectory.boolValue else { throw .folder(path) }
    // The type is checked before opening: opening a pipe waits for its writer, and opening a device may start it.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .special(path)
    }
    // The file may have been replaced by a pipe since the check.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .special(path)
    }
    do {
      let size = try file.seekToEnd()
      guard size > 0 else { throw FilmError.empty(path) }
      var hash = SHA256()
      withUnsafeBytes(of: size.littleEndian) { hash.update(bufferPointer: $0) }
      let length = UInt64(sample)
      for start in [0, size / 2, size > length ? size - length : 0] {
        try file.seek(toOffset: start)
        if let data = try file.read(upToCount: sample) { hash.update(data: data) }
      }
      return "sha256:" + hash.finalize().map { String(format: "%02x", $0) }.joined()
    } catch let error as FilmError {
      throw error
    } catch {
      throw .unreadable(path)
    }
  }
}

/// A film that can't be opened.
enum FilmError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(String)
  case unreadable(String)
  case empty(String)
  case folder(String)
  /// A pipe, a socket or a device.
  case special(String)

  var description: String {
    switch self {
    case .missing(let path): "There is no file \(path)."
    case .unreadable(let path): "\(path) can't be read. Check its permissions."
    case .empty(let path): "\(path) is empty."
    case .folder(let path): "\(path) is a folder. Choose a film in it."
    case .special(let path): "\(path) is a pipe or a device, not a file. Choose a film file."
    }
  }
}
