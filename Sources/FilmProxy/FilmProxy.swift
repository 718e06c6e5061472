import Concurrency
import Foundation
import Synchronization

/// A local proxy for HTTP and HTTPS through which a player reaches only the servers that a judge admits.
///
/// It listens on the loopback interface, for clients that know its password. It connects to exactly the addresses that
/// the judge returned, so that a name can't mean another server meanwhile. The proxy and all of its connections end
/// with ``stop()``, or with the last reference.
package final class FilmProxy: Sendable {
  /// A judge's decision.
  package enum Verdict: Hashable, Sendable {
    /// - Parameter addresses: the numeric addresses to connect to, in order.
    case connect(addresses: [String])
    /// The client gets an error, and no connection is made.
    case refuse
    /// The host's name can't be resolved.
    case unknownHost
  }

  /// A failure to listen; `code` is an errno.
  package struct ListeningError: Error, Hashable, Sendable {
    /// The errno.
    package let code: CInt
  }

  /// The proxy's URL, which includes the credentials.
  package let url: String
  private let core: ProxyCore

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - upstream: the user's own proxy, which then carries all connections.
  ///   - judge: decides about each connection. It is called on the connection's own thread, and may block.
  package init(
    upstream: UpstreamProxy? = nil,
    judge: @escaping @Sendable (ProxyDestination) -> Verdict
  ) throws(ListeningError) {
    var generator = SystemRandomNumberGenerator()
    let password = (0..<2).map { _ in String(generator.next(), radix: 36) }.joined()
    let (listener, port) = try Self.listen()
    core = ProxyCore(
      listener: listener, credentials: "matinee:\(password)", upstream: upstream, judge: judge)
    url = "http://matinee:\(password)@127.0.0.1:\(port)"
    core.start()
  }

  deinit { core.stop() }

  /// Closes the proxy and all of its connections. Idempotent.
  package func stop() { core.stop() }

  /// The number of open connections.
  package var connectionCount: Int { core.connectionCount }

  private static func listen() throws(ListeningError) -> (CInt, UInt16) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw ListeningError(code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && Glibc.listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else {
      let code = errno
      close(listener)
      throw ListeningError(code: code)
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }
}

/// The state that the proxy's threads share.
final class ProxyCore: Sendable {
  let credentials: String
  let upstream: UpstreamProxy?
  let judge: @Sendable (ProxyDestination) -> FilmProxy.Verdict
  private let listener: CInt
  private let state = Mutex(State())

  private struct State {
    var isStopped = false
    var clients: Set<CInt> = []
  }

  /// The maximum number of connections. FFmpeg needs few of them, and yt-dlp a handful.
  private static let connectionLimit = 64

  init(
    listener: CInt, credentials: String, upstream: UpstreamProxy?,
    judge: @escaping @Sendable (ProxyDestination) -> FilmProxy.Verdict
  ) {
    self.listener = listener
    self.credentials = credentials
    self.upstream = upstream
    self.judge = judge
  }

  var connectionCount: Int { state.withLock { $0.clients.count } }

  func start() {
    OwnedThread.start("film proxy") { [self] in
      while takeNext() {}
      close(listener)
    }
  }

  func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      // This wakes accept(2) and poll(2). Each thread closes its own descriptor.
      shutdown(listener, CInt(SHUT_RDWR))
      for client in state.clients { shutdown(client, CInt(SHUT_RDWR)) }
    }
  }

  private func end(_ client: CInt) {
    state.withLock { state in
      state.clients.remove(client)
      _ = close(client)
    }
  }

  /// - Returns: false once the proxy is stopped.
  private func takeNext() -> Bool {
    let client = accept(listener, nil, nil)
    guard client >= 0 else {
      guard !state.withLock({ $0.isStopped }) else { return false }
      // Wait before the next attempt: the process may have no free descriptors.
      if errno != EINTR, errno != ECONNABORTED { poll(nil, 0, 100) }
      return true
    }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    let isTaken = state.withLock { state in
      guard !state.isStopped, state.clients.count < Self.connectionLimit else { return false }
      state.clients.insert(client)
      return true
    }
    guard isTaken else {
      close(client)
      return true
    }
    do {
      try OwnedThread.make("film proxy") { [self] in
        ProxyConnection(client: client, core: self).run()
        end(client)
      }
    } catch {
      end(client)
    }
    return true
  }
}
