import Foundation
import Synchronization

/// Pictures in files that readers can open: only this user can read them, and their number is limited.
///
/// Replaces `MPMediaItemArtwork`, which passes pictures in memory.
public final class ArtworkCache: Sendable {
  /// A picture that can't be kept.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  private let folder: URL
  private let limit: Int
  /// Allows one operation at a time.
  private let lock = Mutex(())

  /// The limit of one picture's size, in bytes.
  public static let sizeLimit = 16 * 1024 * 1024

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - folder: the cache's own folder; created when it is needed (mode 0700).
  ///   - limit: the number of files that are kept: the most recently used ones.
  public init(folder: URL, limit: Int = 64) {
    precondition(limit > 0, "a cache for nothing")
    self.folder = folder
    self.limit = limit
  }

  /// Returns the URL of a stored picture, and marks it as used now; nil if there is none.
  ///
  /// - Parameter name: letters, digits, `-` and `_`.
  public func url(for name: String) -> URL? {
    lock.withLock { _ in
      for type in ImageType.allCases {
        let url = url(name, type)
        guard utimensat(AT_FDCWD, url.path, nil, 0) == 0 else { continue }
        return url
      }
      return nil
    }
  }

  /// Stores a picture, in place of an older one with this name.
  ///
  /// - Parameters:
  ///   - data: the contents of a JPEG, PNG, WebP or GIF file, at most ``sizeLimit``.
  ///   - name: letters, digits, `-` and `_`.
  /// - Returns: the picture's URL.
  /// - Throws: ``Failure`` if the data has another format or is too large, or can't be written.
  @discardableResult
  public func store(_ data: Data, as name: String) throws(Failure) -> URL {
    guard let type = ImageType(data), data.count <= Self.sizeLimit else {
      throw Failure(description: "the image isn't JPEG, PNG, WebP or GIF, or is too large")
    }
    let url = url(name, type)
    let temporary = folder.appendingPathComponent(".\(UUID().uuidString)").path
    return try lock.withLock { _ throws(Failure) in
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw Failure(description: "\(folder.path) can't be created")
      }
      // A folder that existed before may be open to other users.
      chmod(folder.path, 0o700)
      let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure(url) }
      let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      close(descriptor)
      guard written == data.count, rename(temporary, url.path) == 0 else {
        unlink(temporary)
        throw failure(url)
      }
      removeOldest(but: url)
      return url
    }
  }

  private func failure(_ url: URL) -> Failure {
    Failure(description: "\(url.path) can't be written: \(String(cString: strerror(errno)))")
  }

  private func url(_ name: String, _ type: ImageType) -> URL {
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 45 || byte == 95
    }
    precondition(isPlain && !name.isEmpty && name.utf8.count <= 128, "a file's name “\(name)”")
    return folder.appendingPathComponent("\(name).\(type.rawValue)")
  }

  private func removeOldest(but kept: URL) {
    let files =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.contentModificationDateKey])) ?? []
    guard files.count > limit else { return }
    let dated = files.map { file in
      let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
      return (file: file, date: values?.contentModificationDate ?? .distantPast)
    }
    let oldest = dated.filter { $0.file.lastPathComponent != kept.lastPathComponent }
      .sorted { $0.date < $1.date }
    for (file, _) in oldest.prefix(files.count - limit) { unlink(file.path) }
  }
}

/// A picture's format, identified by its first bytes.
private enum ImageType: String, CaseIterable {
  case jpeg = "jpg"
  case png, webp, gif

  init?(_ data: Data) {
    let head = Array(data.prefix(12))
    if head.starts(with: [0xff, 0xd8, 0xff]) {
      self = .jpeg
    } else if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self = .png
    } else if head.starts(with: Array("RIFF".utf8)), head.count == 12,
      head[8...].elementsEqual("WEBP".utf8)
    {
      self = .webp
    } else if head.starts(with: Array("GIF8".utf8)) {
      self = .gif
    } else {
      return nil
    }
  }
}
