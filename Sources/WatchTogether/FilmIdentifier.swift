import Crypto
import FileNames

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The identifiers by which participants recognize the same film, whatever its copies are named.
///
/// A file's identifier is a fingerprint of its content: `sha256:` and 64 lower-case hexadecimal digits. A stream's is
/// `url:` and its URL, or the digest of a long one. A playlist may contain a film twice, so the coordinator's item also names the entry.
public enum FilmIdentifier {
  /// The length of each of a fingerprint's three samples, in bytes.
  public static let sampleLength = 256 * 1024

  /// Returns a film file's fingerprint: the SHA-256 of the file's size (64 bits, little-endian) and three samples.
  ///
  /// The samples have ``sampleLength`` bytes, or fewer at the file's end. They begin at 0, at half the size (rounded
  /// down), and ``sampleLength`` before the end (at 0 in a shorter file). Reading a whole film would make the user wait.
  ///
  /// It blocks until the samples are read: a disk may have to spin up first.
  ///
  /// - Parameter path: the path, as `FileName` spells one that isn't UTF-8.
  /// - Throws: ``FilmError`` for a path without a readable, non-empty, regular file.
  public static func ofFile(_ path: String) throws(FilmError) -> String {
    // The type is checked before opening: opening a pipe waits for its writer, and opening a device may start it.
    guard var status = FileName.status(of: path) else { throw .missing(path) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .folder(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .special(path) }
    // The file may have been replaced by a pipe since the check.
    let file = path.withFileName { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard file >= 0 else { throw .unreadable(path) }
    defer { close(file) }
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .special(path)
    }
    let size = Int(status.st_size)
    guard size > 0 else { throw .empty(path) }
    let samples = samples(ofSize: size).map { sample(of: file, at: $0.lowerBound) }
    guard !samples.contains(nil) else { throw .unreadable(path) }
    return fingerprint(ofSize: size, samples: samples.compactMap(\.self))
  }

  /// Returns the ranges of a fingerprint's three samples in a film of a size.
  package static func samples(ofSize size: Int) -> [Range<Int>] {
    [0, size / 2, max(0, size - sampleLength)].map { $0..<min($0 + sampleLength, size) }
  }

  /// Returns the fingerprint of a film, of which the samples are known.
  package static func fingerprint(ofSize size: Int, samples: [[UInt8]]) -> String {
    var hash = SHA256()
    withUnsafeBytes(of: UInt64(size).littleEndian) { hash.update(bufferPointer: $0) }
    for sample in samples { hash.update(data: sample) }
    return text(hash.finalize())
  }

  /// Returns the identifier of a stream, which follows from its URL: `url:` and the URL. Of a URL of more than 900 bytes it
  /// has the SHA-256 instead, as `sha256:` and 64 lower-case hexadecimal digits: a coordinator's items have 1024 bytes.
  public static func ofStream(_ url: String) -> String {
    url.utf8.count <= 900 ? "url:" + url : "url:" + text(SHA256.hash(data: Array(url.utf8)))
  }

  private static func text(_ digest: SHA256.Digest) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "sha256:" + String(decoding: text, as: UTF8.self)
  }

  /// Returns the identifier of the coordinator's item for an entry of a playlist: `e`, the entry's identifier in 8
  /// hexadecimal digits, `:`, and the film's identifier.
  ///
  /// - Parameters:
  ///   - film: the film's identifier.
  ///   - entry: nil for a film that isn't in a playlist, whose item has the film's identifier.
  public static func item(_ film: String, entry: UInt32?) -> String {
    guard let entry else { return film }
    let digits = String(entry, radix: 16)
    return "e" + String(repeating: "0", count: 8 - digits.count) + digits + ":" + film
  }

  /// Returns the film's identifier in an item's.
  public static func film(ofItem item: String) -> String {
    let prefix = item.prefix(10)
    guard prefix.utf8.count == 10, prefix.first == "e", prefix.last == ":",
      UInt32(prefix.dropFirst().dropLast(), radix: 16) != nil
    else { return item }
    return String(item.dropFirst(10))
  }

  /// Returns the bytes at a position, ``sampleLength`` at most; nil if they can't be read.
  private static func sample(of file: CInt, at start: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: sampleLength)
    var count = 0
    while count < sampleLength {
      let read = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress! + count, sampleLength - count, off_t(start + count))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { return nil }
      if read == 0 { break }
      count += read
    }
    return Array(bytes.prefix(count))
  }
}
