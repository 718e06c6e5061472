import Concurrency
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A connection to a server of Syncplay's protocol.
struct RoomLine: Sendable {
  private let channel: any Channel
  /// The server's lines, and the beginning of TLS; they end with the connection.
  let arrivals: SyncplayConnection.Arrivals
  private let failure: FailureNote

  private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// - Throws: the reason why the server can't be reached.
  static func connect(to host: String, port: Int) async throws -> RoomLine {
    let (failure, arrivals) = (FailureNote(), OneShot<SyncplayConnection.Arrivals>())
    let channel = try await ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let connection = SyncplayConnection { arrivals.fulfil($0) }
          try channel.pipeline.syncOperations.addHandlers([failure, connection])
        }
      }
      .connect(host: host, port: port).get()
    guard let arrivals = await arrivals.value() else { throw CancellationError() }
    return RoomLine(channel: channel, arrivals: arrivals, failure: failure)
  }

  /// Begins TLS. The server's certificate has to be for this host.
  func secure(for host: String, _ context: NIOSSLContext) async throws {
    let channel = channel
    let isNumeric = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    try await channel.eventLoop.submit {
      let handler = try NIOSSLClientHandler(
        context: context, serverHostname: isNumeric ? nil : host)
      try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }.get()
  }

  func send(_ bytes: [UInt8]) {
    // A server that doesn't read is gone.
    guard channel.isWritable else { return close() }
    channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
  }

  func close() { channel.close(promise: nil) }

  /// The reason for the end of the connection; nil if the server closed it.
  var reason: String? { failure.error.withLock { $0 }.map(Self.words) }

  static func words(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else { return "there is no such host" }
      return words(for: first.error)
    case let error as IOError: return String(cString: strerror(error.errnoCode))
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      return "its certificate isn't valid for this address, or no known authority vouches for it"
    case ChannelError.connectTimeout: return "it doesn't answer"
    default: return "\(error)"
    }
  }
}

/// Keeps the error that ends a connection.
private final class FailureNote: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  let error = Mutex<(any Error)?>(nil)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    self.error.withLock { $0 = $0 ?? error }
    context.fireErrorCaught(error)
  }
}
