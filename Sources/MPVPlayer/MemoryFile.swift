import CMPV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file in memory alone (`memfd_create(2)`), for what mpv reads or writes and nobody else is to find: nothing of it
/// remains, however the program ends.
public final class MemoryFile: Sendable {
  private let descriptor: CInt

  /// - Throws: ``MPVError/Reason/unavailable`` if there is no memory or no descriptor for it.
  public init(_ bytes: [UInt8] = []) throws(MPVError) {
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

  /// Where this process finds it, as long as this object is there.
  public var path: String { "/proc/self/fd/\(descriptor)" }

  /// All that is in it.
  public var bytes: [UInt8] {
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
