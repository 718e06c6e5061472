import CMPV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that exists in memory only (`memfd_create(2)`), for data that mpv reads or writes and that must stay private:
/// nothing of it remains, however the program ends.
package final class MemoryFile: Sendable {
  private let descriptor: CInt

  /// Creates a file with these bytes.
  ///
  /// - Throws: ``MPVError/Reason/unavailable`` if there is no memory or no descriptor for it.
  package init(_ bytes: [UInt8] = []) throws(MPVError) {
    descriptor = cmpv_memory_file()
    guard descriptor >= 0 else { throw MPVError(.unavailable, "memfd_create", code: -errno) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw MPVError(.unavailable, "write", code: -errno) }
      rest = rest.dropFirst(count)
    }
  }

  deinit { close(descriptor) }

  /// The file's path in this process, valid as long as this object exists. Afterwards the path may name any file that was
  /// opened since: a program that still writes to it would destroy that file.
  package var path: String { Self.folder + "\(descriptor)" }

  private static let folder = "/proc/self/fd/"

  /// Returns whether a path is that of a file in memory.
  static func isPath(_ path: String) -> Bool { path.hasPrefix(folder) }

  /// The file's whole contents.
  package var bytes: [UInt8] {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return [] }
    var result = [UInt8](repeating: 0, count: Int(information.st_size))
    var length = 0
    while length < result.count {
      let count = result.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + length, $0.count - length, off_t(length))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      length += count
    }
    return Array(result.prefix(length))
  }
}
