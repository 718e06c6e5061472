import Foundation

/// An open file, which is closed when its last reference goes away.
final class OpenFile {
  private let descriptor: CInt
  let path: String

  /// - Parameters:
  ///   - flags: the flags of `open(2)`.
  ///   - mode: the mode of the file if this call creates it.
  init(path: String, flags: CInt, mode: mode_t = 0o600) throws(JournalError) {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? .fileExists(path) : .system("can't open \(path)")
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// - Returns: true if no other process holds the lock. The lock ends with the file or the process.
  func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// - Returns: the size in bytes; nil unless it is a regular file.
  func size() throws(JournalError) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .system("can't read the attributes of \(path)")
    }
    return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
  }

  /// - Returns: the bytes; fewer than `count` at the end of the file.
  func read(_ count: Int, at offset: Int64) throws(JournalError) -> Data {
    var data = Data(count: count)
    var done = 0
    while done < count {
      let got = data.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset) + off_t(done))
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system("can't read \(path)") }
      if got == 0 { break }
      done += got
    }
    return data.prefix(done)
  }

  func write(_ data: Data, at offset: Int64) throws(JournalError) {
    var done = 0
    while done < data.count {
      let put = data.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + done, data.count - done, off_t(offset) + off_t(done))
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { throw .system("can't write \(path)") }
      done += put
    }
  }
}

extension JournalError {
  /// An error for the system call that just failed, with its reason (`errno`).
  static func system(_ what: String) -> JournalError {
    .storage("\(what): \(String(cString: strerror(errno)))")
  }
}

/// The stored parts of one attachment: its chunks, and the hashes that prove them to other participants.
struct AttachmentFile {
  let layout: AttachmentLayout
  let chunks: OpenFile
  /// The file of the hash blocks; nil when there is only one chunk.
  let blocks: OpenFile?
  /// A Boolean value that indicates whether the chunks are in the user's own file, which may change.
  let isBorrowed: Bool

  func write(_ piece: Piece, _ bytes: Data) throws(JournalError) {
    guard let file = piece.level == 0 ? chunks : blocks else { return }
    try file.write(bytes, at: layout.offset(of: piece))
  }

  /// - Returns: the piece's bytes; nil if the file has changed.
  func read(_ piece: Piece) throws(JournalError) -> Data? {
    guard let file = piece.level == 0 ? chunks : blocks else { return nil }
    let bytes = try file.read(layout.length(of: piece), at: layout.offset(of: piece))
    guard bytes.count == layout.length(of: piece) else { return nil }
    guard isBorrowed, piece.level == 0, piece != layout.top, let blocks else { return bytes }
    let offset =
      layout.offset(of: piece.parent)
      + Int64(piece.index % AttachmentLayout.fanOut * AttachmentLayout.hashSize)
    let expected = try blocks.read(AttachmentLayout.hashSize, at: offset)
    return AttachmentLayout.hash(bytes, level: 0) == expected ? bytes : nil
  }

  /// Reads the whole content, which must fit into memory.
  func readAll() throws(JournalError) -> Data? {
    let bytes = try chunks.read(Int(layout.size), at: 0)
    return bytes.count == Int(layout.size) ? bytes : nil
  }
}
