import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Changes a connection from HTTP to a WebSocket (RFC 6455 §4.2), whatever the path.
///
/// NIO's own decoder would collect each frame before it passes it on; ``WebSocketDecoder`` doesn't.
struct WebSocketUpgrade: HTTPServerProtocolUpgrader {
  private let client: ClientHandler
  private let handshake = NIOWebSocketServerUpgrader(
    shouldUpgrade: { channel, request in
      // A key is 16 bytes in base64.
      let isValid =
        request.method == .GET
        && request.headers.first(name: "Sec-WebSocket-Key")?.utf8.count == 24
      return channel.eventLoop.makeSucceededFuture(isValid ? HTTPHeaders() : nil)
    },
    upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })

  init(of client: ClientHandler) { self.client = client }

  var supportedProtocol: String { handshake.supportedProtocol }
  var requiredUpgradeHeaders: [String] { handshake.requiredUpgradeHeaders }

  func buildUpgradeResponse(
    channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
  ) -> EventLoopFuture<HTTPHeaders> {
    handshake.buildUpgradeResponse(
      channel: channel, upgradeRequest: upgradeRequest,
      initialResponseHeaders: initialResponseHeaders)
  }

  func upgrade(
    context: ChannelHandlerContext, upgradeRequest: HTTPRequestHead
  ) -> EventLoopFuture<Void> {
    do {
      try context.pipeline.syncOperations.addHandler(
        WebSocketHandler(of: client), position: .before(client))
    } catch {
      return context.eventLoop.makeFailedFuture(error)
    }
    client.isOnWeb = false
    client.greet(requiresTLS: false)
    return context.eventLoop.makeSucceededVoidFuture()
  }
}
