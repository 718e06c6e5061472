import CEpoll
import Glibc
import STUN
import Timekeeping

/// Carries out the decisions of the ``STUNResponder``: a UDP socket at the relay's own port, and one at another port.
///
/// It belongs to the relay's thread. As with ``MonitorSockets``, the relay's loop watches a single descriptor.
final class STUNSockets {
  /// A descriptor that can be read when there is something to do.
  let descriptor: CInt
  /// The addresses at which it answers: that of the relay, and then the one with another port, if there is one.
  let addresses: [RelayAddress]
  private let sockets: [CInt]
  private var responder: STUNResponder
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: STUNMessage.sizeLimit + 1, alignment: 16)

  /// The datagrams for which the relay's own connections wait.
  private static let datagramsAtOnce = 32

  /// - Parameter relay: the address at which the relay listens.
  /// - Throws: ``RelayError`` if the relay's port is taken for UDP.
  init(beside relay: RelayAddress, at now: HostTime) throws(RelayError) {
    let first = try Self.bound(relay, port: relay.port)
    let other = Self.otherSocket(relay)
    sockets = [first] + (other.map { [$0.socket] } ?? [])
    addresses =
      [relay] + (other.map { [RelayAddress(host: relay.host, port: Int($0.port))] } ?? [])
    // The address of a socket for all addresses is unspecified: a client replaces it by the one that it knows.
    responder = STUNResponder(
      otherAddress: other.flatMap { SocketAddress(text: relay.host, port: $0.port) }, at: now)
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    let code = errno
    guard descriptor >= 0 else {
      for socket in sockets { Glibc.close(socket) }
      buffer.deallocate()
      throw RelayError(binding: "\(relay)", errno: code)
    }
    for socket in sockets {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.u64 = UInt64(socket)
      epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
    }
  }

  deinit {
    for socket in sockets { Glibc.close(socket) }
    if descriptor >= 0 { Glibc.close(descriptor) }
    buffer.deallocate()
  }

  /// Handles what has happened, and returns at once if that is nothing.
  func run(now: HostTime) {
    var events = [epoll_event](repeating: epoll_event(), count: sockets.count)
    let count = epoll_wait(descriptor, &events, CInt(events.count), 0)
    for event in events.prefix(max(0, Int(count))) {
      answer(on: CInt(truncatingIfNeeded: event.data.u64), now: now)
    }
  }

  private func answer(on socket: CInt, now: HostTime) {
    for _ in 0..<Self.datagramsAtOnce {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let count = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(socket, buffer.baseAddress, buffer.count, 0, $0, &length)
        }
      }
      // An error that a router reported for an earlier datagram says nothing about the next one.
      guard count >= 0 else {
        if errno == EAGAIN { return }
        continue
      }
      guard count <= STUNMessage.sizeLimit, let source = SocketAddress(storage),
        let answer = responder.answer(to: Array(buffer[..<count]), from: source, at: now)
      else { continue }
      withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = sendto(socket, answer, answer.count, CInt(MSG_NOSIGNAL), $0, length)
        }
      }
    }
  }

  // MARK: Binding

  /// Binds the next port, or else one that the system chooses.
  private static func otherSocket(_ relay: RelayAddress) -> (socket: CInt, port: UInt16)? {
    for port in [relay.port + 1, 0] where port <= 65535 {
      guard let socket = try? bound(relay, port: port) else { continue }
      if let port = SocketAddress(boundTo: socket)?.port { return (socket, port) }
      Glibc.close(socket)
    }
    return nil
  }

  private static func bound(_ relay: RelayAddress, port: Int) throws(RelayError) -> CInt {
    let wanted = RelayAddress(host: relay.host, port: port)
    // The relay's address is numeric: its listening socket has it.
    guard let number = UInt16(exactly: port),
      let address = SocketAddress(text: relay.host, port: number)
    else { throw RelayError(.addressUnavailable, "\(wanted) isn't a numeric address.") }
    let kind = CInt(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    // With :: the socket takes IPv4 too, as the listening socket does.
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw RelayError(binding: "UDP \(wanted)", errno: errno) }
    guard address.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw RelayError(binding: "UDP \(wanted)", errno: code)
    }
    return descriptor
  }
}
