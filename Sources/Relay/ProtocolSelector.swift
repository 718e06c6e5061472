import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// Recognises by a client's first bytes what it speaks, and prepares its channel: TLS, HTTP with the way to a WebSocket,
/// or the plain protocol, whose clients wait for the relay's greeting.
final class ProtocolSelector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// `plain` → `greeted` if the relay has a certificate; both → `secure` with TLS; all → `done`.
  private enum Stage {
    case plain, secure, done
    /// The client was asked to begin TLS.
    case greeted
  }

  private let host: BrokerHost
  private let client: ClientHandler
  private var stage = Stage.plain

  init(for client: ClientHandler, of host: BrokerHost) {
    self.client = client
    self.host = host
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    greetLater(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent { greetLater(context) }
    context.fireUserInboundEventTriggered(event)
  }

  /// Greets a client that doesn't speak first.
  private func greetLater(_ context: ChannelHandlerContext) {
    let expected = stage
    let limits = host.broker.limits
    let delay =
      host.certificate == nil
      ? limits.greetingDelay : min(limits.greetingDelay, limits.securedGreetingDelay)
    host.schedule(in: TimeAmount(delay)) { [self] in
      if stage == expected, expected != .done { greet(context) }
    }
  }

  private func greet(_ context: ChannelHandlerContext) {
    let requiresTLS = stage == .plain && host.certificate != nil
    client.greet(requiresTLS: requiresTLS)
    if requiresTLS { stage = .greeted } else { finish(context) }
  }

  private func finish(_ context: ChannelHandlerContext) {
    stage = .done
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard stage != .done, let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else {
      return context.fireChannelRead(data)
    }
    do {
      switch first {
      // The handshake record of TLS (RFC 8446 §5.1).
      case 0x16 where stage != .secure: try secure(context, bytes)
      // GET, HEAD.
      case UInt8(ascii: "G") where stage != .greeted, UInt8(ascii: "H") where stage != .greeted:
        try speakHTTP(context)
        context.fireChannelRead(data)
        finish(context)
      // A client that would have begun TLS after the greeting.
      case UInt8(ascii: "C") where stage == .plain && host.certificate != nil && bytes.isOneByte:
        greet(context)
      default:
        if stage == .secure || host.certificate == nil {
          client.greet(requiresTLS: false)
          context.fireChannelRead(data)
          finish(context)
        } else {
          stage = .done
          client.refusePlainBytes()
        }
      }
    } catch {
      context.close(promise: nil)
    }
  }

  /// Begins TLS with the bytes that have arrived.
  private func secure(_ context: ChannelHandlerContext, _ bytes: ByteBuffer) throws {
    guard let certificate = host.certificate else { return context.close(promise: nil) }
    let pipeline = context.pipeline.syncOperations
    try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context), position: .first)
    if stage == .greeted { finish(context) } else { stage = .secure }
    pipeline.fireChannelRead(NIOAny(bytes))
  }

  private func speakHTTP(_ context: ChannelHandlerContext) throws {
    client.isOnWeb = true
    let pipeline = context.pipeline.syncOperations
    let (encoder, others) = try pipeline.addWebCodec(position: .after(self))
    let isRefused = stage == .plain && host.certificate != nil
    let answering = WebAnswerHandler { [host, client] path in
      client.isAnswered = true
      return isRefused ? .plainRefused : host.answer(to: path)
    }
    let upgrading = HTTPServerUpgradeHandler(
      upgraders: isRefused ? [] : [WebSocketUpgrade(of: client)], httpEncoder: encoder,
      extraHTTPHandlers: others + [answering], upgradeCompletionHandler: { _ in })
    try pipeline.addHandlers([upgrading, answering], position: .before(client))
  }
}

extension BrokerHost {
  /// Answers a request at the clients' port: its root is the page for friends with a browser.
  fileprivate func answer(to path: String) -> WebAnswer {
    guard path == "/", let page else { return WebAnswer(status: .notFound, body: "not found\n") }
    return WebAnswer(status: .ok, type: "text/html; charset=utf-8", body: page)
  }
}

extension ByteBuffer {
  fileprivate var isOneByte: Bool { readableBytes == 1 }
}

extension WebAnswer {
  fileprivate static let plainRefused = WebAnswer(
    status: .forbidden, body: "this relay requires TLS; use https:// or wss://\n")
}
