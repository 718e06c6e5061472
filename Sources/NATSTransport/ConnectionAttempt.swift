import GroupActivities
import NATSProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// The making of one connection with one server: the channel, its layers, and the client's proof.
struct ConnectionAttempt: Sendable {
  let server: ServerAddress
  /// A Boolean value that indicates whether nothing may be sent in clear text.
  let requiresTLS: Bool
  let configuration: NATSConfiguration
  let identity: ClientIdentity
  let trust: ServerTrust
  let link: Link
  /// A Boolean value that indicates whether the client sends CONNECT's first byte at once. A relay of Matinee's then
  /// introduces itself without waiting whether this is a browser, and any other server reads on.
  var speaksFirst = false

  /// The one event loop of all connections, whose work is to move bytes.
  private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// A server's frames hold whole messages, and several of them.
  private static let frameLimit = 16 << 20

  /// Begins to connect. The link has the outcome.
  func begin() {
    ClientBootstrap(group: Self.loop)
      .connectTimeout(TimeAmount(configuration.connectTimeout))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Until the layers are there.
      .channelOption(.autoRead, value: false)
      .connect(host: server.bareHost, port: server.port)
      .whenComplete { [self] result in
        switch result {
        case .failure(let error): link.end(Self.reason(for: error))
        case .success(let channel):
          guard link.attach(channel) else { return }
          beginStep()
          addLayers(to: channel)
        }
      }
  }

  func beginStep() { link.beginStep(of: configuration.connectTimeout) }

  /// Returns the client's answer to a server's challenge.
  func options(for info: ServerInfo) throws -> ConnectOptions {
    var options = ConnectOptions()
    if let words = server.userInfo?.split(separator: ":", maxSplits: 1) {
      (options.user, options.pass) =
        words.count == 2 ? (String(words[0]), String(words[1])) : (nil, nil)
      options.token = words.count == 1 ? String(words[0]) : nil
      if case .party = identity { return options }
    }
    // A server that asks for no proof sends no challenge.
    guard let nonce = info.nonce else { return options }
    options.jwt = identity.jwt
    options.nkey = identity.nkey
    options.sig = ConnectOptions.text(of: try identity.signature(for: Array(nonce.utf8)))
    return options
  }

  // MARK: Layers

  private func addLayers(to channel: any Channel) {
    switch server.scheme {
    case .nats, .tls: add(.afterInfo(isRequired: requiresTLS), to: channel)
    case .tlsFirst, .wss: secure(channel) { addProtocol(to: channel, isVerified: true) }
    case .ws where requiresTLS: secure(channel) { addProtocol(to: channel, isVerified: true) }
    case .ws: addProtocol(to: channel, isVerified: false)
    }
  }

  private func addProtocol(to channel: any Channel, isVerified: Bool) {
    server.scheme.usesWebSocket
      ? upgrade(channel, isVerified: isVerified)
      : add(.settled(isVerified: isVerified), to: channel)
  }

  private func add(_ security: ProtocolHandler.Security, to channel: any Channel) {
    do {
      try channel.pipeline.syncOperations.addHandler(ProtocolHandler(self, security: security))
      startReading(channel)
    } catch {
      link.end(.lost)
    }
  }

  private func startReading(_ channel: any Channel) {
    channel.setOption(.autoRead, value: true).whenFailure { _ in link.end(.lost) }
  }

  /// Begins TLS.
  ///
  /// - Parameter next: adds the layers above it. They needn't wait for its handshake.
  func secure(_ channel: any Channel, then next: @escaping @Sendable () -> Void = {}) {
    trust.context(on: channel.eventLoop).whenComplete { result in
      do {
        try HandshakeWatch.begin(with: try result.get(), server: server, on: channel, of: link)
        beginStep()
        next()
      } catch {
        link.end(.tls("\(error)"))
      }
    }
  }

  /// Changes an HTTP connection to a WebSocket connection, whose binary frames carry the protocol.
  private func upgrade(_ channel: any Channel, isVerified: Bool) {
    let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
      maxFrameSize: Self.frameLimit, enableAutomaticErrorHandling: false
    ) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers([
          WebSocketBytes(link),
          ProtocolHandler(self, security: .settled(isVerified: isVerified)),
        ])
      }
    }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/", headers: ["Host": "\(server.host):\(server.port)"])
    var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: head, upgraders: [upgrader],
        notUpgradingCompletionHandler: { $0.eventLoop.makeFailedFuture(NATSError.noWebSocket) }))
    // INFO may come with the answer.
    pipeline.leftOverBytesStrategy = .forwardBytes
    do {
      try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
        configuration: pipeline
      ).whenFailure { _ in link.end(.noWebSocket) }
      startReading(channel)
    } catch {
      link.end(.lost)
    }
  }

  private static func reason(for error: any Error) -> NATSError {
    guard let error = error as? NIOConnectionError else { return .unreachable }
    return error.connectionErrors.isEmpty ? .unknownHost : .unreachable
  }
}
