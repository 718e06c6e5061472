import Glibc

/// The form of an address that the system's calls use.
extension SocketAddress {
  /// - Returns: nil if the address is neither IPv4 nor IPv6.
  package init?(_ storage: sockaddr_storage) {
    var storage = storage
    let found: SocketAddress? = withUnsafePointer(to: &storage) { pointer in
      switch CInt(pointer.pointee.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          SocketAddress(
            IPv4: UInt32(bigEndian: address.pointee.sin_addr.s_addr),
            port: UInt16(bigEndian: address.pointee.sin_port))
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          withUnsafeBytes(of: address.pointee.sin6_addr) {
            SocketAddress($0, port: UInt16(bigEndian: address.pointee.sin6_port))
          }
        }
      default: return nil
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// Creates the address to which a socket is bound.
  ///
  /// - Returns: nil if the system doesn't report it; `errno` has the reason.
  package init?(boundTo descriptor: CInt) {
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

  /// - Parameter text: a numeric address, IPv6 without brackets.
  /// - Returns: nil for any other text, also for one with a zone.
  package init?(text: String, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(IPv4: UInt32(bigEndian: v4.s_addr), port: port)
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      let bytes = withUnsafeBytes(of: &v6) { Array($0) }
      self.init(bytes, port: port)
    } else {
      return nil
    }
  }

  /// Calls `body` with the address as the system's calls take it.
  package func withSystemAddress<Value>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
      return Self.with(&address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
    return Self.with(&address, body)
  }

  private static func with<Form, Value>(
    _ address: inout Form, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Form>.size))
      }
    }
  }
}
