import CEpoll
import Glibc
import NATSProtocol
import Timekeeping

/// Carries out the decisions of the ``MonitorMachine``: the sockets of a status page.
///
/// It belongs to the relay's thread. Its sockets are in an epoll set of their own, which the relay's loop watches like a
/// single descriptor: so the relay's own sockets need no look at these.
final class MonitorSockets {
  /// A descriptor that can be read when there is something to do.
  let descriptor: CInt
  let address: RelayAddress
  private let listener: ListeningSocket
  private var machine = MonitorMachine()
  /// The part of each connection's answer that the kernel hasn't taken yet, by descriptor.
  private var unsent: [CInt: ByteQueue] = [:]
  private var isAccepting = true
  private var buffer = [UInt8](repeating: 0, count: 4096)

  /// The limit of events for which the relay's own connections wait.
  private static let eventsAtOnce = 8

  /// - Throws: ``RelayError`` if it can't listen there.
  init(host: String, port: Int) throws(RelayError) {
    listener = try ListeningSocket(host: host, port: port)
    address = RelayAddress(host: host, port: listener.address.port)
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    let code = errno
    guard descriptor >= 0 else { throw RelayError(binding: "\(address)", errno: code) }
    change(EPOLL_CTL_ADD, listener.descriptor, EPOLLIN.rawValue)
  }

  deinit {
    for socket in unsent.keys { Glibc.close(socket) }
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Handles what has happened, and returns at once if that is nothing.
  ///
  /// - Parameter report: makes the relay's report; nil if the relay is about to stop.
  func run(now: HostTime, report: () -> RelayReport?) {
    var events = [epoll_event](repeating: epoll_event(), count: Self.eventsAtOnce)
    let count = epoll_wait(descriptor, &events, CInt(events.count), 0)
    for event in events.prefix(max(0, Int(count))) {
      let socket = CInt(truncatingIfNeeded: event.data.u64)
      if socket == listener.descriptor {
        accept(now: now)
      } else if unsent[socket] != nil {
        if event.events & EPOLLOUT.rawValue != 0 { send(on: socket) }
        if event.events & ~EPOLLOUT.rawValue != 0 { receive(socket, now: now, report: report) }
      }
    }
  }

  /// Closes the connections whose time is over.
  func timePassed(now: HostTime) {
    for action in machine.timePassed(now: now) { perform(action) { nil } }
    guard !isAccepting else { return }
    isAccepting = true
    change(EPOLL_CTL_MOD, listener.descriptor, EPOLLIN.rawValue)
  }

  private func accept(now: HostTime) {
    switch listener.accept() {
    case .success(let (socket, _)):
      guard change(EPOLL_CTL_ADD, socket, EPOLLIN.rawValue) else {
        Glibc.close(socket)
        return
      }
      unsent[socket] = ByteQueue()
      if let action = machine.accepted(Int(socket), now: now) { perform(action) { nil } }
    case .failure(let error)
    where error.code == EINTR || error.code == ECONNABORTED || error.code == EAGAIN:
      return
    case .failure:
      // Descriptors or memory are lacking. The connection waits in the kernel, and would wake the thread at once.
      isAccepting = false
      change(EPOLL_CTL_MOD, listener.descriptor, 0)
    }
  }

  private func receive(_ socket: CInt, now: HostTime, report: () -> RelayReport?) {
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 {
      let action = machine.received(buffer[..<count], from: Int(socket), now: now)
      if let action { perform(action, report: report) }
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      hasEnded(socket, isClosed: count < 0)
    }
  }

  /// A client that has sent everything may still read.
  private func hasEnded(_ socket: CInt, isClosed: Bool) {
    if !isClosed, unsent[socket]?.isEmpty == false {
      change(EPOLL_CTL_MOD, socket, EPOLLOUT.rawValue)
    } else {
      close(socket)
    }
  }

  private func perform(_ action: MonitorMachine.Action, report: () -> RelayReport?) {
    switch action {
    case .answer(let request, let number):
      let page = MonitorPage(answering: request, report: report)
      answer(page.response(withBody: request.method != "HEAD"), on: CInt(number))
    case .refuse(let number):
      answer(MonitorPage.badRequest.response(withBody: true), on: CInt(number))
    case .close(let number): close(CInt(number))
    }
  }

  private func answer(_ response: [UInt8], on socket: CInt) {
    unsent[socket] = ByteQueue(response)
    send(on: socket)
  }

  /// Sends as much as the kernel takes, and announces the end after the last byte. What still arrives is read: closing
  /// at once would reset the connection, and with it what the client hasn't read yet.
  private func send(on socket: CInt) {
    guard var rest = unsent[socket] else { return }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return close(socket)
      }
    }
    unsent[socket] = rest
    if rest.isEmpty { shutdown(socket, CInt(SHUT_WR)) }
    change(EPOLL_CTL_MOD, socket, EPOLLIN.rawValue | (rest.isEmpty ? 0 : EPOLLOUT.rawValue))
  }

  private func close(_ socket: CInt) {
    guard unsent.removeValue(forKey: socket) != nil else { return }
    machine.closed(Int(socket))
    Glibc.close(socket)
  }

  /// - Returns: false if the system has no room for one more watched descriptor.
  @discardableResult
  private func change(_ operation: CInt, _ socket: CInt, _ interest: UInt32) -> Bool {
    var event = epoll_event()
    event.events = interest
    event.data.u64 = UInt64(socket)
    return epoll_ctl(descriptor, operation, socket, &event) == 0
  }
}
