import Concurrency
import DequeModule
import GroupActivities
import NATSProtocol
import NIOCore
import NIOTLS
import Timekeeping

/// The client's end of the NATS protocol on one channel, on its event loop: INFO, TLS if it is due, CONNECT and PONG,
/// then messages, until the end.
final class ProtocolHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The protection of a channel.
  enum Security: Hashable, Sendable {
    /// TLS begins after INFO: in any case, or only if the server asks for it.
    case afterInfo(isRequired: Bool)
    /// The protection is final.
    case settled(isVerified: Bool)
  }

  private enum Phase: Sendable {
    case awaitingInfo
    /// TLS is being set up.
    case securing(ServerInfo)
    /// CONNECT was sent.
    case greeting(ServerInfo)
    case open
  }

  /// The lines that aren't messages between two pings: more than any server has to say.
  private static let lineLimit = 10_000

  private let attempt: ConnectionAttempt
  private let link: Link
  private var security: Security
  private var phase = Phase.awaitingInfo
  private var parser = ServerOperationParser()
  private var context: ChannelHandlerContext?
  /// The callers that wait for the answers to pings, in order; nil for the pings that only show whether the server is
  /// there.
  private var pings: Deque<OneShot<Bool>?> = []
  private var nextPing: Scheduled<Void>?
  /// The pings without an answer since the server's last one.
  private var unanswered = 0
  private var owesPong = false
  private var lines = 0
  /// The writes that the socket hasn't taken, and the last time that it took one.
  private var writes = 0
  private var progress = HostTime.now()
  private var writeLimit: Scheduled<Void>?

  init(_ attempt: ConnectionAttempt, security: Security) {
    self.attempt = attempt
    link = attempt.link
    self.security = security
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    link.attach(self, on: context.eventLoop)
    guard attempt.speaksFirst else { return }
    write(Array(Self.connect.prefix(1)))
    context.flush()
  }

  /// The first bytes of CONNECT.
  private static let connect = Array("CONNECT".utf8)

  func channelInactive(context: ChannelHandlerContext) { finish() }
  func handlerRemoved(context: ChannelHandlerContext) { finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { link.end(.lost) }

  /// Ends the connection. No byte that comes until the channel is closed is parsed.
  private func end(_ reason: NATSError) {
    context = nil
    link.end(reason)
  }

  private func finish() {
    context = nil
    nextPing?.cancel()
    writeLimit?.cancel()
    for answer in pings { answer?.fulfil(false) }
    pings = []
    link.end(.lost)
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let time = HostTime.now()
    guard self.context != nil else { return }
    // Clear text that comes before TLS could be anyone's.
    if case .securing = phase { return end(.violation) }
    parser.append(Array(buffer: unwrapInboundIn(data)))
    do throws(ProtocolViolation) {
      while self.context != nil, let operation = try parser.next() { perform(operation, at: time) }
    } catch {
      end(.violation)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    parser.compact()
    answerPing()
  }

  private func perform(_ operation: ServerOperation, at time: HostTime) {
    if case .message(let message) = operation {
      if case .open = phase { link.observer.received(message, at: time) }
      return
    }
    lines += 1
    guard lines <= Self.lineLimit else { return end(.flood) }
    switch operation {
    case .message, .ok: break
    case .ping: owesPong = true
    case .pong: answered()
    case .info(let info): introduced(info)
    case .error(let error): complained(error)
    }
  }

  private func introduced(_ info: ServerInfo) {
    link.noteInfo(info)
    if info.isLameDuck == true { link.observer.leaving() }
    guard case .awaitingInfo = phase else { return }
    guard case .afterInfo(let isRequired) = security else { return greet(info) }
    if info.requiresTLS == true, attempt.speaksFirst {
      // The first byte of TLS would come after one in clear text.
      end(.spokeTooSoon)
    } else if info.requiresTLS == true || isRequired && info.offersTLS == true {
      secure(info)
    } else if isRequired {
      end(.noTLS)
    } else {
      security = .settled(isVerified: false)
      greet(info)
    }
  }

  private func complained(_ error: ServerError) {
    guard case .open = phase else { return end(.server(error)) }
    switch error.kind {
    case .subscriptionRefused(let subject): link.noteRefusal(error, of: subject)
    case .publishRefused: break
    case .authorization, .staleConnection, .other: return end(.server(error))
    }
    link.observer.reported(PartyText.clean(error.text, limit: NATSError.textLimit))
  }

  private func answered() {
    unanswered = 0
    guard case .greeting(let info) = phase else {
      pings.popFirst()??.fulfil(true)
      return
    }
    phase = .open
    schedulePing()
    link.opened(info, isVerified: security == .settled(isVerified: true))
  }

  // MARK: Connecting

  private func secure(_ info: ServerInfo) {
    guard parser.bufferedBytes == 0, let context else { return end(.violation) }
    phase = .securing(info)
    attempt.secure(context.channel)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent,
      case .securing(let info) = phase
    {
      security = .settled(isVerified: true)
      greet(info)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func greet(_ info: ServerInfo) {
    do {
      let options = try attempt.options(for: info)
      phase = .greeting(info)
      attempt.beginStep()
      let connect = ClientOperation.connect(try options.json()[...]).bytes
      write(Array(connect.dropFirst(attempt.speaksFirst ? 1 : 0)) + ClientOperation.ping.bytes)
      context?.flush()
    } catch {
      end(.unsigned)
    }
  }

  // MARK: Sending

  /// Writes all that is queued.
  func drain() {
    while let part = link.nextPart() { write(part.bytes, as: part) }
    context?.flush()
  }

  /// Asks the server for an answer to all that was written.
  func ping(_ answer: OneShot<Bool>?) {
    guard context != nil else {
      answer?.fulfil(false)
      return
    }
    pings.append(answer)
    write(ClientOperation.ping.bytes)
    context?.flush()
  }

  /// Answers the server's pings, once for all that came, and not while it doesn't read the last answer.
  private func answerPing() {
    guard owesPong, writes == 0 else { return }
    owesPong = false
    write(ClientOperation.pong.bytes)
    context?.flush()
  }

  private func write(_ bytes: [UInt8], as part: Link.Part? = nil) {
    guard let context else { return }
    if writes == 0 { progress = .now() }
    writes += 1
    limitWriting()
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self, link] _ in
      if let part { link.sent(part) }
      self?.wrote()
    }
    context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
  }

  private func wrote() {
    writes -= 1
    progress = .now()
    answerPing()
  }

  /// Ends the connection if the server doesn't read.
  private func limitWriting() {
    guard writeLimit == nil, let context else { return }
    let limit = attempt.configuration.writeDeadline
    writeLimit = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
      [weak self] in
      guard let self else { return }
      writeLimit = nil
      guard writes > 0 else { return }
      if .now() - progress >= limit { end(.notReading) } else { limitWriting() }
    }
  }

  private func schedulePing() {
    let interval = TimeAmount(attempt.configuration.pingInterval)
    nextPing = context?.eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
      self?.pingIsDue()
    }
  }

  private func pingIsDue() {
    guard unanswered < 2 else { return end(.stale) }
    lines = 0
    unanswered += 1
    ping(nil)
    schedulePing()
  }
}
