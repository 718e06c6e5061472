import NIOCore
import Timekeeping

/// One client's socket: bytes in, bytes out, and the timers that belong to it. Decides nothing.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let core: RelayCore
  private var parser: ProtocolParser
  private var context: ChannelHandlerContext?
  private var id: Broker.ConnectionID?
  private var authenticationTimer: Scheduled<Void>?
  private var pingTimer: RepeatedTask?
  private var unansweredPings = 0
  /// Bytes written and not yet taken by the kernel.
  private var pendingBytes = 0
  private var isClosing = false

  init(core: RelayCore) {
    self.core = core
    parser = ProtocolParser(payloadLimit: core.configuration.payloadLimit)
  }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    let address = context.remoteAddress?.ipAddress ?? ""
    guard let (id, info) = core.open(self, address: address) else {
      write(ByteBuffer(string: "-ERR 'maximum connections exceeded'\r\n"))
      flush()
      return close()
    }
    self.id = id
    write(info)
    flush()
    let core = core
    authenticationTimer = context.eventLoop.scheduleTask(
      in: TimeAmount(core.configuration.authenticationTimeout)
    ) { core.authenticationTimedOut(id) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let id, !isClosing else { return }
    unansweredPings = 0
    parser.feed(unwrapInboundIn(data))
    do {
      while !isClosing, let operation = try parser.next() { core.handle(operation, from: id) }
    } catch {
      core.violated(error, by: id)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) { core.flush() }

  func channelInactive(context: ChannelHandlerContext) {
    authenticationTimer?.cancel()
    pingTimer?.cancel()
    if let id { core.closed(id) }
    id = nil
    self.context = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    isClosing = true
    context.close(promise: nil)
  }

  // MARK: - For the core

  func write(_ bytes: ByteBuffer) {
    guard let context, let channel = Optional(context.channel), !isClosing else { return }
    let count = bytes.readableBytes
    pendingBytes += count
    guard pendingBytes <= core.configuration.pendingLimit else {
      isClosing = true
      if let id { core.isSlow(id) }
      channel.close(mode: .all, promise: nil)
      return
    }
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.write(wrapOutboundOut(bytes)).whenComplete { _ in handler.value.pendingBytes -= count }
  }

  func flush() { context?.flush() }

  /// Closes once what was written is out.
  func close() {
    guard !isClosing, let context else { return }
    isClosing = true
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  func admitted() {
    authenticationTimer?.cancel()
    guard let context, pingTimer == nil else { return }
    let interval = TimeAmount(core.configuration.pingInterval)
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    pingTimer = context.eventLoop.scheduleRepeatedTask(
      initialDelay: interval, delay: interval
    ) { _ in handler.value.ping() }
  }

  private func ping() {
    guard let id else { return }
    unansweredPings += 1
    guard unansweredPings <= 2 else { return core.isStale(id) }
    write(ByteBuffer(string: "PING\r\n"))
    flush()
  }
}

extension TimeAmount {
  init(_ duration: Duration) { self = .nanoseconds(duration.inNanoseconds) }
}
