import NIOCore
import NIOSSL
import NIOTLS

/// One request of a probe on its connection: a tunnel through the proxy if there is one, TLS, the request, and the head
/// of the answer.
final class ProbeExchange: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    case connecting
    case tunnelling
    case securing(NIOSSLClientHandler)
    case asking
    /// The head of the answer is complete, and the range's bytes arrive.
    case reading(HTTPProbe.Reply)
    case over
  }

  private let range: Range<Int>
  private let target: ProbeTarget
  private let proxy: UpstreamProxy?
  /// Nil without TLS.
  private let trust: NIOSSLContext?
  /// A Boolean value that indicates whether the certificate has to contain the server's address. On a connection to
  /// a proxy TLS itself would look for the proxy's.
  private let comparesAddress: Bool
  private let patience: TimeAmount
  private let deadline: NIODeadline
  private let reply: EventLoopPromise<HTTPProbe.Reply>
  private var phase = Phase.connecting
  private var head = HeadBuffer()
  private var alarm: Scheduled<Void>?

  init(
    _ range: Range<Int>, of target: ProbeTarget, through proxy: UpstreamProxy?,
    _ trust: NIOSSLContext?, comparingAddress comparesAddress: Bool, within patience: TimeAmount,
    until deadline: NIODeadline, _ reply: EventLoopPromise<HTTPProbe.Reply>
  ) {
    self.range = range
    self.target = target
    self.proxy = proxy
    self.trust = trust
    self.comparesAddress = comparesAddress
    self.patience = patience
    self.deadline = deadline
    self.reply = reply
  }

  func channelActive(context: ChannelHandlerContext) {
    alarm = context.eventLoop.assumeIsolated().scheduleTask(
      deadline: min(.now() + patience, deadline)
    ) { [weak self] in self?.giveUp(context) }
    if trust != nil, let proxy {
      phase = .tunnelling
      send(target.tunnel(through: proxy), context)
    } else {
      proceed(context)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data).readableBytesView
    switch phase {
    case .tunnelling, .asking:
      switch head.append(bytes) {
      case .incomplete: break
      case .tooLong: end(.garbled, context)
      case .complete(let head, let rest):
        let answer = HTTPProbe.Answer(head: head, from: target.text)
        // A single byte is only asked for to get an answer.
        guard case .asking = phase, range.count > 1,
          let part = HTTPProbe.Part(head: head, of: range)
        else { return read(answer, context) }
        phase = .reading(.init(answer: answer, part: part))
        collect(rest, context)
      }
    case .reading: collect(bytes, context)
    case .connecting, .securing, .over: break
    }
  }

  private func collect(_ bytes: some Sequence<UInt8>, _ context: ChannelHandlerContext) {
    guard case .reading(var reply) = phase else { return }
    phase = .over
    if reply.part?.append(bytes, of: range) == false {
      phase = .reading(reply)
    } else {
      finish(reply, context)
    }
  }

  private func read(_ received: HTTPProbe.Answer, _ context: ChannelHandlerContext) {
    guard case .tunnelling = phase, case .status(200...299, _, _) = received else {
      return end(received, context)
    }
    head = HeadBuffer()
    proceed(context)
  }

  /// Begins TLS, or asks a server without it.
  private func proceed(_ context: ChannelHandlerContext) {
    guard let trust else { return ask(context) }
    do {
      let handler = try NIOSSLClientHandler(
        context: trust, serverHostname: target.hasNumericHost ? nil : target.host)
      phase = .securing(handler)
      try context.pipeline.syncOperations.addHandler(handler, position: .first)
    } catch {
      end(.untrusted, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted? = event as? TLSUserEvent, case .securing(let handler) = phase
    else { return }
    if comparesAddress, !Self.names(of: handler.peerCertificate, contain: target.addressBytes) {
      return end(.untrusted, context)
    }
    ask(context)
  }

  private static func names(
    of certificate: NIOSSLCertificate?, contain address: [UInt8]?
  ) -> Bool {
    guard let certificate, let address else { return false }
    return certificate._subjectAlternativeNames().contains {
      $0.nameType == .ipAddress && $0.contents.elementsEqual(address)
    }
  }

  private func ask(_ context: ChannelHandlerContext) {
    phase = .asking
    send(target.request(for: range, to: trust == nil ? proxy : nil), context)
  }

  private func send(_ text: String, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if case .securing = phase { end(.noTLS, context) } else { giveUp(context) }
  }

  /// Ends without a whole head: servers of other protocols send a part of one, or another text.
  private func giveUp(_ context: ChannelHandlerContext) {
    end(
      head.bytes.isEmpty ? .silent : .init(head: head.bytes, from: target.text), context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .securing = phase else { return giveUp(context) }
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      end(.untrusted, context)
    case NIOSSLError.unableToValidateCertificate: end(.untrusted, context)
    // The code's name is all that is public of it.
    case NIOSSLError.handshakeFailed(let cause)
    where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
      end(.untrusted, context)
    default: end(.noTLS, context)
    }
  }

  private func end(_ outcome: HTTPProbe.Answer, _ context: ChannelHandlerContext) {
    if case .over = phase { return }
    finish(.init(answer: outcome), context)
  }

  private func finish(_ outcome: HTTPProbe.Reply, _ context: ChannelHandlerContext) {
    phase = .over
    alarm?.cancel()
    reply.succeed(outcome)
    context.close(promise: nil)
  }
}
