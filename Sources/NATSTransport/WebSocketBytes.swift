import NIOCore
import NIOWebSocket

/// The bytes inside of a server's binary frames, and the frames around the client's bytes (RFC 6455).
///
/// NATS is a stream: frames and fragments have no meaning of their own, so none is collected.
final class WebSocketBytes: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = WebSocketFrame

  private let link: Link
  /// A Boolean value that indicates whether the last data frame has a continuation.
  private var isContinued = false
  /// A Boolean value that indicates whether the server hasn't read the last answer to a ping.
  private var isAnswering = false

  init(_ link: Link) { self.link = link }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    // A server doesn't mask, and no extension was agreed upon.
    guard frame.maskKey == nil, frame.reservedBits.isEmpty else { return link.end(.violation) }
    switch frame.opcode {
    case .binary where !isContinued, .continuation where isContinued:
      isContinued = !frame.fin
      if frame.data.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(frame.data)) }
    case .ping: answer(frame.data, context)
    case .pong: break
    case .connectionClose: link.end(.lost)
    default: link.end(.violation)
    }
  }

  private func answer(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    guard !isAnswering else { return }
    isAnswering = true
    let frame = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: data)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.isAnswering = false
    }
    context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let frame = WebSocketFrame(
      fin: true, opcode: .binary, maskKey: .random(), data: unwrapOutboundIn(data))
    context.write(wrapOutboundOut(frame), promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    link.end(error is NIOWebSocketError ? .violation : .lost)
  }
}
