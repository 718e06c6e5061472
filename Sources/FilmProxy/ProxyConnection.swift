import Foundation

/// One client's connection, on its own thread: a request, the server's answer, and the end.
struct ProxyConnection {
  let client: CInt
  let core: ProxyCore

  /// The time for a request's head to arrive, in milliseconds.
  private static let headPatience: CInt = 10_000
  /// The time for each address to accept the connection, in milliseconds.
  private static let connectPatience: CInt = 10_000
  /// The time without data in both directions after which the connection ends, in milliseconds. It isn't limited while
  /// the client has yet to receive data: a paused client may wait, and the proxy ends with the film.
  private static let idlePatience: CInt = 60_000
  private static let addressLimit = 8
  /// Linux's POLLRDHUP (poll(2)), which the C library declares only for `_GNU_SOURCE`: the peer closed the connection.
  private static let hangUp: CInt = 0x2000

  func run() {
    guard let (request, rest) = readRequest() else { return }
    guard request.isAuthorized(by: core.credentials) else {
      return answer(
        "407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"matinee\""])
    }
    let verdict = core.judge(request.destination)
    guard case .connect(let addresses) = verdict else {
      if verdict == .refuse { return answer("403 Forbidden") }
      return answer("502 Bad Gateway", ["Matinee-Problem: unknown-host"])
    }
    let proxy = core.upstream.flatMap { $0.isUsed(for: request.destination.host) ? $0 : nil }
    let server: CInt
    do {
      server =
        if let proxy { try connect(to: [proxy.host], port: proxy.port, isNumeric: false) } else {
          try connect(to: addresses, port: request.destination.port, isNumeric: true)
        }
    } catch {
      return answer(
        "502 Bad Gateway",
        ["Matinee-Problem: \(error.code == ECONNREFUSED ? "refused" : "silent")"])
    }
    defer { close(server) }
    var up = Flow(limit: request.isTunnel ? .max : request.bodyLength)
    var down = Flow(limit: .max)
    if request.isTunnel, proxy == nil {
      down.fill(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
      guard up.append(rest) else { return }
    } else {
      guard up.append(rest) else { return }
      up.prepend(request.forwarded(to: proxy))
    }
    pass(server, &up, &down)
  }

  private func readRequest() -> (ProxyRequest, rest: [UInt8])? {
    var head = HeadBuffer()
    var chunk = [UInt8](repeating: 0, count: 4096)
    let deadline = ContinuousClock.now + .milliseconds(Int(Self.headPatience))
    while true {
      let left = (deadline - .now).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0 else { return nil }
      var descriptor = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, CInt(milliseconds)) > 0 else { return nil }
      let count = recv(client, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      switch head.append(chunk[..<count]) {
      case .incomplete: continue
      case .tooLong:
        answer("431 Request Header Fields Too Large")
        return nil
      case .complete(let head, let rest):
        do {
          return (try ProxyRequest(head: head), rest)
        } catch {
          answer(error == .unknownLength ? "411 Length Required" : "400 Bad Request")
          return nil
        }
      }
    }
  }

  private func answer(_ status: String, _ fields: [String] = []) {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0", "Connection: close"]
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    // An empty socket buffer has space for some hundred bytes.
    _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    shutdown(client, CInt(SHUT_WR))
  }

  private struct ConnectError: Error { var code: CInt }

  private func connect(
    to hosts: [String], port: Int, isNumeric: Bool
  ) throws(ConnectError) -> CInt {
    var failure = ConnectError(code: EHOSTUNREACH)
    for host in hosts.prefix(Self.addressLimit) {
      var hints = addrinfo()
      hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
      hints.ai_flags = isNumeric ? AI_NUMERICHOST : 0
      var list: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, String(port), &hints, &list) == 0 else { continue }
      defer { freeaddrinfo(list) }
      for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
        guard let entry else { continue }
        do {
          return try connect(to: entry.pointee)
        } catch {
          failure = error
        }
      }
    }
    throw failure
  }

  private func connect(to info: addrinfo) throws(ConnectError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let server = socket(info.ai_family, type, 0)
    guard server >= 0 else { throw ConnectError(code: errno) }
    if Glibc.connect(server, info.ai_addr, info.ai_addrlen) == 0 { return server }
    var failure = errno
    if failure == EINPROGRESS {
      var both = [
        pollfd(fd: server, events: Int16(POLLOUT), revents: 0),
        // Stopping the proxy causes this event too.
        pollfd(fd: client, events: Int16(Self.hangUp), revents: 0),
      ]
      failure = ETIMEDOUT
      if poll(&both, 2, Self.connectPatience) > 0, both[0].revents != 0, both[1].revents == 0 {
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(server, SOL_SOCKET, SO_ERROR, &failure, &length)
        if failure == 0 { return server }
      }
    }
    close(server)
    throw ConnectError(code: failure)
  }

  /// Passes bytes in both directions until one side ends, or both are silent.
  private func pass(_ server: CInt, _ up: inout Flow, _ down: inout Flow) {
    while true {
      if down.isOver, down.isEmpty { return }
      let serverEvents = (up.isEmpty ? 0 : POLLOUT) | (down.wantsMore ? POLLIN : 0)
      let clientEvents =
        Self.hangUp | (down.isEmpty ? 0 : POLLOUT) | (up.wantsMore || up.isDone ? POLLIN : 0)
      var both = [
        pollfd(fd: client, events: Int16(clientEvents), revents: 0),
        // A closed connection wakes poll(2) even if no event is requested.
        pollfd(fd: serverEvents == 0 ? -1 : server, events: Int16(serverEvents), revents: 0),
      ]
      let count = poll(&both, 2, down.isEmpty ? Self.idlePatience : -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      let (fromClient, fromServer) = (CInt(both[0].revents), CInt(both[1].revents))
      guard fromClient & (Self.hangUp | POLLHUP | POLLERR | POLLNVAL) == 0 else { return }
      if fromClient & POLLIN != 0 {
        // A second request on this connection may be for another server: the client has to connect again.
        guard !up.isDone, up.read(from: client) else { return }
      }
      if fromServer & (POLLIN | POLLHUP | POLLERR) != 0, down.wantsMore {
        guard down.read(from: server) else { return }
      }
      if !up.isEmpty, fromServer & POLLOUT != 0 {
        guard up.write(to: server) else { return }
      }
      if !down.isEmpty, fromClient & POLLOUT != 0 {
        guard down.write(to: client) else { return }
      }
    }
  }
}
