#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Sockets of local servers, for example displays and the session bus.
package enum LocalSocket {
  /// Returns whether a server accepts connections at an address.
  ///
  /// - Parameter isAbstract: whether the name is outside the file system; in Linux such a name begins with a zero byte
  ///   (`unix(7)`).
  package static func isListening(_ path: String, isAbstract: Bool = false) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = (isAbstract ? [0] : []) + Array(path.utf8)
    let length = withUnsafeMutableBytes(of: &address.sun_path) { buffer -> Int? in
      guard name.count < buffer.count else { return nil }
      buffer.copyBytes(from: name)
      return name.count + (isAbstract ? 0 : 1)
    }
    guard let length, let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else {
      return false
    }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(offset + length)) == 0
      }
    }
  }
}
