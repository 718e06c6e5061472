import CEpoll
import Glibc

/// A TCP socket that listens for connections. It is closed when it is released.
final class ListeningSocket {
  let descriptor: CInt
  /// The address on which it listens. If the requested port was 0, this has the port that the
  /// system chose.
  let address: RelayAddress

  /// The number of connections that the kernel may accept before the program takes them.
  private static let backlog: CInt = 1024

  /// - Parameters:
  ///   - host: a name or a literal address. Resolving a name may take a while.
  ///   - port: 0 for any.
  init(host: String, port: Int) throws(RelayError) {
    let wanted = RelayAddress(host: host, port: port)
    guard (0...65535).contains(port) else {
      throw RelayError(.addressUnavailable, "\(wanted): the port must be between 0 and 65535")
    }
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &found)
    guard status == 0, let found else {
      throw RelayError(
        .addressUnavailable,
        "Can't listen on \(wanted): \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(found) }
    descriptor = try Self.open(found.pointee, wanted)
    guard let address = RelayAddress(ofSocket: descriptor) else {
      Glibc.close(descriptor)
      throw RelayError(.other, "Can't listen on \(wanted): the socket has no address")
    }
    self.address = address
  }

  deinit { Glibc.close(descriptor) }

  private static func open(
    _ info: addrinfo, _ wanted: RelayAddress
  ) throws(RelayError) -> CInt {
    let kind = info.ai_socktype | CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(info.ai_family, kind, info.ai_protocol)
    guard descriptor >= 0 else { throw RelayError(binding: "\(wanted)", errno: errno) }
    var one: CInt = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, backlog) == 0
    else {
      let code = errno
      Glibc.close(descriptor)
      throw RelayError(binding: "\(wanted)", errno: code)
    }
    return descriptor
  }

  /// Returns the next connection and its address, or the errno that says why there is none.
  func accept() -> Result<(descriptor: CInt, address: String), Errno> {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        accept4(
          descriptor, $0, &length, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
    }
    guard accepted >= 0 else { return .failure(Errno(code: errno)) }
    var one: CInt = 1
    setsockopt(accepted, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    return .success((accepted, RelayAddress(storage)?.host ?? ""))
  }

  struct Errno: Error { let code: CInt }
}

extension RelayAddress {
  fileprivate init?(ofSocket descriptor: CInt) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0 else { return nil }
    self.init(storage)
  }

  fileprivate init?(_ storage: sockaddr_storage) {
    var storage = storage
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let port: in_port_t? = withUnsafePointer(to: &storage) { pointer in
      switch CInt(pointer.pointee.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          withUnsafePointer(to: address.pointee.sin_addr) {
            _ = inet_ntop(AF_INET, $0, &text, socklen_t(text.count))
          }
          return address.pointee.sin_port
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          withUnsafePointer(to: address.pointee.sin6_addr) {
            _ = inet_ntop(AF_INET6, $0, &text, socklen_t(text.count))
          }
          return address.pointee.sin6_port
        }
      default: return nil
      }
    }
    guard let port else { return nil }
    let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.init(host: host, port: Int(UInt16(bigEndian: port)))
  }
}
