import NIOCore
import NIOHTTP1
import NIOPosix
import Timekeeping

/// Reports the state of a relay over HTTP: `/healthz`, `/varz` in JSON and `/metrics` for
/// Prometheus.
///
/// It only answers, with counts and limits: no subject, key, name or address of a client. Each
/// connection is answered once and closed; a limited number of simultaneous connections bounds its
/// cost. It authenticates no client, so it belongs on an address that only the operator reaches.
public final class RelayMonitor: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  /// The address on which it listens. If the requested port was 0, this has the port that the
  /// system chose.
  public let address: RelayAddress

  private static let connectionLimit = 16
  private static let patience = TimeAmount.seconds(5)

  /// Listens and answers until ``shutdown()``.
  ///
  /// - Throws: ``RelayError``.
  public init(of relay: Relay, host: String, port: Int) async throws(RelayError) {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let asking = NIOLoopBoundBox.makeBoxSendingValue([any Channel](), eventLoop: group.next())
    let wanted = RelayAddress(host: host, port: port)
    do {
      listener = try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            // A request is answered at once, so the oldest connection had the most time to send
            // one.
            if asking.value.count >= Self.connectionLimit {
              asking.value.removeFirst().close(promise: nil)
            }
            asking.value.append(channel)
            channel.closeFuture.whenComplete { _ in asking.value.removeAll { $0 === channel } }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(MonitorHandler(relay: relay))
            let limit = channel.eventLoop.scheduleTask(in: Self.patience) {
              channel.close(promise: nil)
            }
            channel.closeFuture.whenComplete { _ in limit.cancel() }
          }
        }
        .bind(host: host, port: port).get()
    } catch {
      try? await group.shutdownGracefully()
      guard let code = (error as? IOError)?.errnoCode else {
        throw RelayError(.addressUnavailable, "Can't listen on \(wanted): \(error)")
      }
      throw RelayError(binding: "\(wanted)", errno: code)
    }
    self.group = group
    address = RelayAddress(host: host, port: listener.localAddress?.port ?? port)
  }

  deinit { group.shutdownGracefully { _ in } }

  /// Stops answering. Idempotent.
  public func shutdown() async {
    try? await listener.close()
    try? await group.shutdownGracefully()
  }
}

/// Answers one request and closes.
private final class MonitorHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let relay: Relay
  private var isAnswered = false

  init(relay: Relay) { self.relay = relay }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    isAnswered = true
    let withBody = head.method == .GET
    guard withBody || head.method == .HEAD else {
      return answer(.methodNotAllowed, withBody: true, context)
    }
    let path = String(head.uri.prefix { $0 != "?" })
    let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.makeFutureWithTask { [relay] in
      MonitorPage(path: path, report: await relay.report())
    }.whenSuccess { page in
      let (handler, context) = here.value
      handler.answer(page, withBody: withBody, context)
    }
  }

  private func answer(_ page: MonitorPage, withBody: Bool, _ context: ChannelHandlerContext) {
    let body = ByteBuffer(string: page.body)
    let headers = HTTPHeaders([
      ("Content-Type", page.type), ("Content-Length", "\(body.readableBytes)"),
      ("Cache-Control", "no-store"), ("Connection", "close"),
    ])
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: page.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if withBody { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
