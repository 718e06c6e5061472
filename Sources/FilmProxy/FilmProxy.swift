import Concurrency
import NIOCore
import NIOPosix
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

  /// The proxy's URL, which includes the credentials.
  package let url: String
  private let core: ProxyCore
  private let listener: any Channel

  static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - upstream: the user's own proxy, which then carries all connections.
  ///   - judge: decides about each connection. It is called on a thread of its own, and may block.
  /// - Throws: the reason why no port can be had.
  package init(
    upstream: UpstreamProxy? = nil,
    judge: @escaping @Sendable (ProxyDestination) -> Verdict
  ) throws {
    var generator = SystemRandomNumberGenerator()
    let password = (0..<2).map { _ in String(generator.next(), radix: 36) }.joined()
    let core = ProxyCore(credentials: "matinee:\(password)", upstream: upstream, judge: judge)
    self.core = core
    listener = try ServerBootstrap(group: Self.loop)
      .serverChannelOption(.backlog, value: 64)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { client in
        guard core.take(client) else { return client.close() }
        return client.eventLoop.makeCompletedFuture {
          try client.pipeline.syncOperations.addHandler(ProxyConnection(core))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    url = "http://matinee:\(password)@127.0.0.1:\(listener.localAddress?.port ?? 0)"
  }

  deinit { stop() }

  /// Closes the proxy and all of its connections. Idempotent.
  package func stop() {
    listener.close(promise: nil)
    core.stop()
  }

  /// The number of open connections.
  package var connectionCount: Int { core.connectionCount }
}

/// The state that the proxy's connections share.
final class ProxyCore: Sendable {
  let credentials: String
  let upstream: UpstreamProxy?
  let judge: @Sendable (ProxyDestination) -> FilmProxy.Verdict
  private let state = Mutex(State())

  private struct State {
    var isStopped = false
    var clients: [ObjectIdentifier: any Channel] = [:]
  }

  /// The maximum number of connections. FFmpeg needs few of them, and yt-dlp a handful.
  private static let connectionLimit = 64

  init(
    credentials: String, upstream: UpstreamProxy?,
    judge: @escaping @Sendable (ProxyDestination) -> FilmProxy.Verdict
  ) {
    self.credentials = credentials
    self.upstream = upstream
    self.judge = judge
  }

  var connectionCount: Int { state.withLock { $0.clients.count } }

  func stop() {
    let clients = state.withLock { state in
      state.isStopped = true
      return state.clients.values
    }
    for client in clients { client.close(promise: nil) }
  }

  /// - Returns: false if the proxy is stopped, or has enough connections.
  func take(_ client: any Channel) -> Bool {
    state.withLock { state in
      guard !state.isStopped, state.clients.count < Self.connectionLimit else { return false }
      let id = ObjectIdentifier(client)
      state.clients[id] = client
      client.closeFuture.whenComplete { [weak self] _ in
        self?.state.withLock { $0.clients[id] = nil }
      }
      return true
    }
  }
}
