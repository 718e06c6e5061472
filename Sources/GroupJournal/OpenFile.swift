import Foundation

/// An open file, which is closed when its last reference goes away.
final class OpenFile: Sendable {
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

  /// Creates a file that has no name, so that it is gone with the last reference, also after a crash. Only this user can
  /// read it.
  init(unnamedIn directory: String) throws(JournalError) {
    path = directory
    let unnamed = open(directory, COpenFlags.unnamed | O_RDWR | O_CLOEXEC, 0o600)
    guard unnamed < 0 else {
      descriptor = unnamed
      return
    }
    // The file system doesn't support it. mkstemp(3) makes the file with mode 0600.
    var template = Array("\(directory)/matinee-journal-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .system("can't create a file in \(directory)") }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

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
    let done = data.withUnsafeMutableBytes { bytes in
      Result { () throws(JournalError) in try read(into: bytes, at: offset) }
    }
    return data.prefix(try done.get())
  }

  /// - Returns: the number of bytes; fewer than the buffer's at the end of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(JournalError) -> Int {
    var done = 0
    while done < buffer.count {
      let got = pread(
        descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .system("can't read \(path)") }
      if got == 0 { break }
      done += got
    }
    return done
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

/// Flags of `open(2)` that Swift doesn't import, since their macros are expressions.
private enum COpenFlags {
  /// `O_TMPFILE`: Linux, all architectures that Swift supports.
  static let unnamed: CInt = 0o20000000 | O_DIRECTORY
}

extension JournalError {
  /// An error for the system call that just failed, with its reason (`errno`).
  static func system(_ what: String) -> JournalError {
    .storage("\(what): \(String(cString: strerror(errno)))")
  }
}
