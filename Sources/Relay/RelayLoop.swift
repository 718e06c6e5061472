import Logging
import NIOCore
import Timekeeping

/// Carries out what the ``Broker`` decides: the only part of the relay that knows sockets.
///
/// Belongs to one event loop; every method is called on it.
final class RelayLoop {
  var broker: Broker
  let eventLoop: any EventLoop
  private let logger: Logger
  private var channels: [ConnectionID: any Channel] = [:]
  private var attachments: [ConnectionID: LoopbackTransport.Inbox] = [:]
  private var timer: RepeatedTask?
  private var isStopped = false
  /// Fulfilled when readers have taken everything, while shutting down.
  private var drained: EventLoopPromise<Bool>?

  /// How often those who are silent, slow or unproven are looked after.
  private static let tickInterval = TimeAmount.milliseconds(250)

  init(broker: Broker, eventLoop: any EventLoop, logger: Logger) {
    self.broker = broker
    self.eventLoop = eventLoop
    self.logger = logger
  }

  func started(port: Int) {
    broker.server.port = port
    let loop = NIOLoopBound(self, eventLoop: eventLoop)
    timer = eventLoop.scheduleRepeatedTask(
      initialDelay: Self.tickInterval, delay: Self.tickInterval
    ) { _ in loop.value.tick() }
  }

  private func tick() {
    let before = broker.statistics
    broker.tick(now: .now())
    carryOut()
    let after = broker.statistics
    if after.staleConnections > before.staleConnections {
      logger.info("relay dropped a connection that no longer answers")
    }
  }

  // MARK: Sockets

  /// - Returns: nil when the relay is going.
  func accepted(_ channel: any Channel) -> ConnectionID? {
    guard !isStopped else {
      channel.close(promise: nil)
      return nil
    }
    let id = broker.accepted(
      from: channel.remoteAddress?.ipAddress ?? "", nonce: Nonce.make(), now: .now())
    channels[id] = channel
    carryOut()
    return id
  }

  func received(_ bytes: ByteBuffer, from id: ConnectionID) {
    broker.received(bytes, from: id, now: .now())
  }

  func closed(_ id: ConnectionID) {
    channels[id] = nil
    broker.closed(id)
    carryOut()
  }

  /// Writes, delivers and closes, with one flush for each destination.
  func carryOut() {
    for effect in broker.takeEffects() {
      switch effect {
      case .write(let bytes, let id, let isLast): write(bytes, to: id, isLast: isLast)
      case .cut(let id):
        logger.notice("relay cut a slow consumer", metadata: ["connection": "\(id.number)"])
        channels.removeValue(forKey: id)?.close(promise: nil)
      case .deliver(let subject, let payload, let id):
        attachments[id]?.received(subject: subject, payload: payload)
      case .warn(let text, let id): attachments[id]?.warned(text)
      }
    }
    if let drained, broker.isDrained {
      self.drained = nil
      drained.succeed(true)
    }
  }

  private func write(_ bytes: ByteBuffer, to id: ConnectionID, isLast: Bool) {
    guard let channel = channels[id] else { return }
    let count = bytes.readableBytes
    let loop = NIOLoopBound(self, eventLoop: eventLoop)
    let written = channel.writeAndFlush(bytes)
    if isLast {
      channels[id] = nil
      let limit = eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
      written.whenComplete { _ in
        limit.cancel()
        channel.close(promise: nil)
      }
    } else {
      written.whenSuccess { loop.value.wrote(count, to: id) }
    }
  }

  private func wrote(_ count: Int, to id: ConnectionID) {
    broker.wrote(count, to: id, now: .now())
    if drained != nil { carryOut() }
  }

  // MARK: Attachments

  enum AttachmentRefusal: Error { case notAdmitted, stopped }

  func attach(
    _ inbox: LoopbackTransport.Inbox, admissionPublicKey: [UInt8]
  ) -> Result<ConnectionID, AttachmentRefusal> {
    guard !isStopped else { return .failure(.stopped) }
    guard let id = broker.attach(admissionPublicKey: admissionPublicKey, now: .now()) else {
      return .failure(.notAdmitted)
    }
    attachments[id] = inbox
    carryOut()
    return .success(id)
  }

  /// - Returns: the refusal's wording, or nil.
  func subscribe(_ id: ConnectionID, to subject: Subject, group: String?) -> String? {
    // The subject is its own identifier: subscribing twice is subscribing once.
    broker.subscribe(id, to: subject, group: group.map { Array($0.utf8) }, sid: subject.bytes)
  }

  func publish(_ payload: [UInt8], to subject: Subject, from id: ConnectionID) {
    broker.publish(ByteBuffer(bytes: payload), to: subject, from: id)
    carryOut()
  }

  func detach(_ id: ConnectionID) {
    attachments[id] = nil
    closed(id)
  }

  // MARK: The end

  /// - Returns: whether all was taken in time.
  func shutdown(drain: TimeAmount) -> EventLoopFuture<Bool> {
    isStopped = true
    timer?.cancel()
    broker.announceShutdown()
    let promise = eventLoop.makePromise(of: Bool.self)
    drained = promise
    carryOut()
    let loop = NIOLoopBound(self, eventLoop: eventLoop)
    let limit = eventLoop.scheduleTask(in: drain) { loop.value.giveUpDraining() }
    return promise.futureResult.map { isDrained in
      limit.cancel()
      loop.value.closeAll()
      return isDrained
    }
  }

  private func giveUpDraining() {
    drained?.succeed(false)
    drained = nil
  }

  private func closeAll() {
    for inbox in attachments.values { inbox.relayStopped() }
    attachments = [:]
    for channel in channels.values { channel.close(promise: nil) }
    channels = [:]
  }
}

/// Binds one socket to the ``RelayLoop``.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let loop: RelayLoop
  private var id: ConnectionID?

  init(loop: RelayLoop) { self.loop = loop }

  func channelActive(context: ChannelHandlerContext) { id = loop.accepted(context.channel) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let id else { return }
    loop.received(unwrapInboundIn(data), from: id)
  }

  func channelReadComplete(context: ChannelHandlerContext) { loop.carryOut() }

  func channelInactive(context: ChannelHandlerContext) {
    guard let id else { return }
    self.id = nil
    loop.closed(id)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The peer reset the connection, say: what follows is channelInactive.
    context.close(promise: nil)
  }
}

/// The challenge that a client signs: unpredictable, and text, since it stands in JSON.
enum Nonce {
  static func make() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var random = SystemRandomNumberGenerator()
    let text = (0..<22).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] }
    return String(decoding: text, as: UTF8.self)
  }
}

extension TimeAmount {
  init(_ duration: Duration) { self = .nanoseconds(duration.inNanoseconds) }
}
