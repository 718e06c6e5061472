import Concurrency
import NIOCore
import NIOPosix

/// One client's connection, on its event loop: a request, the server's answer, and the end.
///
/// A chunk is read from one side once the last one was written to the other, so that neither fills the memory.
final class ProxyConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    case reading(HeadBuffer)
    /// The judge decides, or the server is being connected.
    case waiting
    case passing(any Channel)
    case over
  }

  /// The time for a request's head to arrive.
  private static let headPatience = TimeAmount.seconds(10)
  /// The time for each address to accept the connection.
  private static let connectPatience = TimeAmount.seconds(10)
  /// The time without data in both directions after which the connection ends. It isn't limited while the client has
  /// yet to receive data: a paused client may wait, and the proxy ends with the film.
  private static let idlePatience = TimeAmount.seconds(60)
  private static let addressLimit = 8

  private let core: ProxyCore
  private var phase = Phase.reading(HeadBuffer())
  private var client: (any Channel)?
  /// The bytes that the client may still send.
  private var bytesLeft = 0
  private var alarm: Scheduled<Void>?
  private var lastPassed = NIODeadline.now()
  /// The writes that the client's socket hasn't taken.
  private var pendingAnswers = 0
  private var hasServerEnded = false

  init(_ core: ProxyCore) { self.core = core }

  func channelActive(context: ChannelHandlerContext) {
    client = context.channel
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: Self.headPatience) { [weak self] in
      self?.end()
    }
    context.read()
  }

  func channelInactive(context: ChannelHandlerContext) { end() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let chunk = unwrapInboundIn(data)
    switch phase {
    case .reading(var head):
      let outcome = head.append(chunk.readableBytesView)
      phase = .reading(head)
      read(outcome, context)
    case .passing(let server):
      // A second request on this connection may be for another server: the client has to connect again.
      guard take(chunk.readableBytes) else { return end() }
      send(chunk, to: server)
    // Nothing is read then; these are the last bytes of a client that has closed its end.
    case .waiting: end()
    case .over: break
    }
  }

  private func end() {
    alarm?.cancel()
    if case .passing(let server) = phase { server.close(promise: nil) }
    phase = .over
    client?.close(promise: nil)
    client = nil
  }

  // MARK: The request

  private func read(_ outcome: HeadBuffer.Outcome, _ context: ChannelHandlerContext) {
    switch outcome {
    case .incomplete: context.read()
    case .tooLong: answer("431 Request Header Fields Too Large")
    case .complete(let head, let rest):
      alarm?.cancel()
      do {
        try judge(ProxyRequest(head: head), rest, on: context.eventLoop)
      } catch {
        answer(error == .unknownLength ? "411 Length Required" : "400 Bad Request")
      }
    }
  }

  private func judge(_ request: ProxyRequest, _ rest: [UInt8], on loop: any EventLoop) {
    guard request.isAuthorized(by: core.credentials) else {
      return answer(
        "407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"matinee\""])
    }
    phase = .waiting
    let verdict = loop.makePromise(of: FilmProxy.Verdict.self)
    do {
      try OwnedThread.make("film proxy") { [core] in
        verdict.succeed(core.judge(request.destination))
      }
    } catch {
      verdict.succeed(.refuse)
    }
    verdict.futureResult.assumeIsolated().whenSuccess { [weak self] verdict in
      guard let self, case .waiting = phase else { return }
      switch verdict {
      case .refuse: answer("403 Forbidden")
      case .unknownHost: answer("502 Bad Gateway", ["Matinee-Problem: unknown-host"])
      case .connect(let addresses): connect(request, to: addresses, rest, on: loop)
      }
    }
  }

  private func answer(_ status: String, _ fields: [String] = []) {
    alarm?.cancel()
    phase = .over
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0", "Connection: close"]
    let client = client
    client?.writeAndFlush(ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n"))
      .whenComplete { _ in client?.close(promise: nil) }
  }

  // MARK: The server

  private func connect(
    _ request: ProxyRequest, to addresses: [String], _ rest: [UInt8], on loop: any EventLoop
  ) {
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(Self.connectPatience)
      .channelOption(.autoRead, value: false)
      .channelOption(.maxMessagesPerRead, value: 1)
    let proxy = core.upstream.flatMap { $0.isUsed(for: request.destination.host) ? $0 : nil }
    let server =
      if let proxy { bootstrap.connect(host: proxy.host, port: proxy.port) } else {
        Self.connect(
          bootstrap, addresses.prefix(Self.addressLimit), port: request.destination.port, on: loop)
      }
    server.assumeIsolated().whenComplete { [weak self] result in
      switch result {
      case .success(let server):
        guard let self, case .waiting = phase else { return server.close(promise: nil) }
        pass(request, rest, through: proxy, to: server)
      case .failure(let error):
        guard let self, case .waiting = phase else { return }
        let problem = Self.isRefusal(error) ? "refused" : "silent"
        answer("502 Bad Gateway", ["Matinee-Problem: \(problem)"])
      }
    }
  }

  /// Connects to the first address that accepts.
  private static func connect(
    _ bootstrap: ClientBootstrap, _ addresses: ArraySlice<String>, port: Int, on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    guard let first = addresses.first else {
      return loop.makeFailedFuture(ChannelError.connectTimeout(connectPatience))
    }
    let channel: EventLoopFuture<any Channel>
    do {
      channel = bootstrap.connect(to: try SocketAddress(ipAddress: first, port: port))
    } catch {
      channel = loop.makeFailedFuture(error)
    }
    let others = addresses.dropFirst()
    guard !others.isEmpty else { return channel }
    return channel.assumeIsolated().flatMapError { _ in
      connect(bootstrap, others, port: port, on: loop)
    }.nonisolated()
  }

  static func isRefusal(_ error: any Error) -> Bool {
    if let several = error as? NIOConnectionError {
      return several.connectionErrors.last.map { isRefusal($0.error) } ?? false
    }
    return (error as? IOError)?.errnoCode == ECONNREFUSED
  }

  private func pass(
    _ request: ProxyRequest, _ rest: [UInt8], through proxy: UpstreamProxy?, to server: any Channel
  ) {
    phase = .passing(server)
    bytesLeft = request.isTunnel ? .max : request.bodyLength
    guard take(rest.count) else { return end() }
    do {
      try server.pipeline.syncOperations.addHandler(ServerHandler(self))
    } catch {
      return end()
    }
    watchIdleness(on: server.eventLoop)
    if request.isTunnel, proxy == nil {
      give(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"))
      send(ByteBuffer(bytes: rest), to: server)
    } else {
      send(ByteBuffer(bytes: request.forwarded(to: proxy) + rest), to: server)
      server.read()
    }
  }

  /// - Returns: false if the client sends more than it may.
  private func take(_ count: Int) -> Bool {
    guard count <= bytesLeft else { return false }
    if bytesLeft != .max { bytesLeft -= count }
    return true
  }

  private func send(_ chunk: ByteBuffer, to server: any Channel) {
    lastPassed = .now()
    server.writeAndFlush(chunk).assumeIsolated().whenComplete { [weak self] result in
      guard let self, case .passing = phase else { return }
      if case .failure = result, !hasServerEnded { return end() }
      client?.read()
    }
  }

  /// Passes a part of the answer on.
  fileprivate func give(_ chunk: ByteBuffer) {
    guard case .passing(let server) = phase, let client else { return }
    lastPassed = .now()
    pendingAnswers += 1
    client.writeAndFlush(chunk).assumeIsolated().whenComplete { [weak self] result in
      guard let self else { return }
      pendingAnswers -= 1
      if case .failure = result { return end() }
      lastPassed = .now()
      if hasServerEnded { endAfterAnswers() } else { server.read() }
    }
  }

  fileprivate func serverEnded() {
    hasServerEnded = true
    endAfterAnswers()
  }

  private func endAfterAnswers() { if pendingAnswers == 0 { end() } }

  private func watchIdleness(on loop: any EventLoop) {
    alarm = loop.assumeIsolated().scheduleTask(in: Self.idlePatience) { [weak self] in
      guard let self else { return }
      if pendingAnswers == 0, .now() - lastPassed >= Self.idlePatience { return end() }
      watchIdleness(on: loop)
    }
  }
}

/// The server's end of a connection.
private final class ServerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ProxyConnection

  init(_ connection: ProxyConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.give(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) { connection.serverEnded() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
