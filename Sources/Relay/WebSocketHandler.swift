import NIOCore

/// Carries the stream of bytes between a client and its ``ClientHandler`` in the frames of a WebSocket.
final class WebSocketHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let client: ClientHandler
  private var decoder = WebSocketDecoder()
  /// A Boolean value that indicates whether a close frame was sent. Nothing follows it.
  private var hasClosed = false

  init(of client: ClientHandler) { self.client = client }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasClosed else { return }
    let before = decoder.frames
    let events = decoder.append(Array(unwrapInboundIn(data).readableBytesView))
    client.framesReceived(decoder.frames - before)
    for event in events { handle(event, context) }
  }

  private func handle(_ event: WebSocketDecoder.Event, _ context: ChannelHandlerContext) {
    switch event {
    case .bytes(let bytes): context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes)))
    case .ping(let payload):
      // A client that doesn't read gets no answers that would wait for it.
      guard !hasClosed, context.channel.isWritable else { return }
      write(WebSocketFrame.control(WebSocketFrame.pong, payload), context)
      context.flush()
    case .pong: break
    case .close(let payload): end(saying: Array(payload.prefix(2)), context)
    case .violated(let violation):
      end(saying: [UInt8(violation.code >> 8), UInt8(violation.code & 0xff)], context)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !hasClosed else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    write(WebSocketFrame.head(ofMessage: unwrapOutboundIn(data).readableBytes), context)
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // The end of the output is the end of the relay, or follows an error's text.
    if mode == .output { sendClose([0x03, 0xe9], context) }
    context.close(mode: mode, promise: promise)
  }

  private func end(saying payload: [UInt8], _ context: ChannelHandlerContext) {
    sendClose(payload, context)
    context.close(promise: nil)
  }

  private func sendClose(_ payload: [UInt8], _ context: ChannelHandlerContext) {
    guard !hasClosed else { return }
    hasClosed = true
    write(WebSocketFrame.control(WebSocketFrame.close, payload), context)
    context.flush()
  }

  private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
  }
}
