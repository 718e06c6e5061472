import NIOCore

/// The last handler of a client's channel: brings what arrives to the broker, and its output to the socket.
final class ClientHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The connection's identifier at the broker; nil before the channel is active.
  private(set) var id: ConnectionID?
  private let host: BrokerHost
  private let address: String
  private var context: ChannelHandlerContext?
  /// A Boolean value that indicates whether the broker has forgotten the client, whose last bytes are on their way.
  private(set) var isLeaving = false
  /// A Boolean value that indicates whether the client sends nothing more, and some of what it sent still waits.
  var closesWhenResumed = false
  /// A Boolean value that indicates whether the client speaks HTTP: nothing of the broker is for it then.
  var isOnWeb = false
  /// A Boolean value that indicates whether the answer to an HTTP request is on its way, which closes the channel.
  var isAnswered = false

  /// The size of the parts in which output is handed over, in bytes: a slow reader shows its progress part by part.
  private static let part = 64 << 10
  /// The time for a client to read its last bytes.
  private static let leavingTime = TimeAmount.seconds(1)

  /// - Parameter address: the client's, in numbers.
  init(of host: BrokerHost, from address: String) {
    self.host = host
    self.address = address
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  /// The channel is closed.
  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    host.closed(self)
  }

  func channelActive(context: ChannelHandlerContext) {
    id = host.accepted(self, from: address)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A leaving connection is read from only so that the kernel doesn't reset it: a reset could discard the last bytes
    // that the relay sent.
    guard !isLeaving, let id else { return }
    host.received(Array(unwrapInboundIn(data).readableBytesView), from: id)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { host.inputEnded(self) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Introduces the relay to the client.
  ///
  /// - Parameter requiresTLS: whether the client has to begin TLS.
  func greet(requiresTLS: Bool) {
    if let id { host.greet(id, from: address, requiresTLS: requiresTLS) }
  }

  /// Ends a client that should have begun TLS.
  func refusePlainBytes() {
    if let id { host.refusePlainBytes(of: id) }
  }

  /// Counts frames as operations: those of a WebSocket may be empty.
  func framesReceived(_ count: Int) {
    if let id { host.framesReceived(count, from: id) }
  }

  /// Writes bytes of the broker's output.
  func write(_ bytes: [UInt8]) {
    guard let context, let id else { return }
    var rest = ByteBuffer(bytes: bytes)
    while let part = rest.readSlice(length: min(rest.readableBytes, Self.part)),
      part.readableBytes > 0
    {
      let count = part.readableBytes
      context.write(wrapOutboundOut(part)).assumeIsolated().whenSuccess { [host, id] in
        host.wrote(count, to: id)
      }
    }
    context.flush()
  }

  /// Writes the last bytes and closes once the client has read them, or at once unless there is time for that.
  func leave(saying bytes: [UInt8], waits: Bool) {
    guard let context, !isLeaving else { return }
    isLeaving = true
    if isOnWeb {
      if !isAnswered || !waits { context.close(promise: nil) }
      return
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    guard waits else { return context.close(promise: nil) }
    setReading(true)
    context.close(mode: .output, promise: nil)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.leavingTime) { self.close() }
  }

  /// Ends the output of a client, which the broker still knows, and ignores what it sends.
  func endOutput() {
    isLeaving = true
    context?.close(mode: .output, promise: nil)
  }

  /// Closes without sending what is still queued.
  func close() { context?.close(promise: nil) }

  func setReading(_ reads: Bool) {
    try? context?.channel.syncOptions?.setOption(.autoRead, value: reads)
  }
}
