import Glibc
import STUN

/// A UDP socket of one address family, bound to all addresses of this machine.
final class PathSocket: Sendable {
  let descriptor: CInt
  let port: UInt16
  let isIPv6: Bool

  /// The bytes of the longest datagram that is read, and one more that shows a longer one.
  static let bufferSize = 2048

  /// - Parameter port: 0 for any.
  init(isIPv6: Bool, port: UInt16) throws(DirectPathError) {
    self.isIPv6 = isIPv6
    let kind = CInt(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw .last("Can't make a UDP socket") }
    self.descriptor = descriptor
    var one: CInt = 1
    if isIPv6 {
      setsockopt(
        descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<CInt>.size))
    }
    let any = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
    guard let wanted = SocketAddress(any, port: port),
      wanted.withSystemAddress({ bind(descriptor, $0, $1) }) == 0
    else {
      let error = DirectPathError.last("Can't use UDP port \(port)")
      Glibc.close(descriptor)
      throw error
    }
    guard let bound = SocketAddress(boundTo: descriptor) else {
      let error = DirectPathError.last("Can't read the UDP port")
      Glibc.close(descriptor)
      throw error
    }
    self.port = bound.port
  }

  deinit { Glibc.close(descriptor) }

  /// Sends a datagram if the kernel takes it now. A datagram that can't be sent is a lost one.
  func send(_ bytes: [UInt8], to remote: SocketAddress) {
    remote.withSystemAddress { address, length in
      _ = sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
    }
  }

  /// The result of one attempt to read.
  enum Reading {
    case datagram([UInt8], from: SocketAddress)
    /// A datagram of no use: too long, or from an address of no known family.
    case useless
    case nothing
  }

  /// Reads one datagram.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let count = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(
          descriptor, buffer.baseAddress, buffer.count, CInt(MSG_TRUNC), $0, &length)
      }
    }
    guard count >= 0 else {
      // An error that a router reported for an earlier datagram, or an interrupted call: the next one may succeed.
      return errno == EAGAIN ? .nothing : .useless
    }
    guard count <= buffer.count, let remote = SocketAddress(storage) else { return .useless }
    return .datagram(Array(buffer[..<count]), from: remote)
  }
}
