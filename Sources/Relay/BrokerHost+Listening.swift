import Logging
import NIOCore
import NIOPosix

/// The sockets that listen.
extension BrokerHost {
  /// The largest part of a client's input that is read at once, in bytes. A connection keeps the memory for it.
  private static let largestRead = 16 << 10
  /// The number of connections that the kernel may accept before the program takes them.
  private static let backlog: Int32 = 1024

  /// Listens for clients. Resolving a name may take a while, during which the relay serves no connection.
  ///
  /// - Parameter wanted: with the host `*` for every address of this machine.
  func listen(
    on wanted: RelayAddress, done: @escaping @Sendable (Result<RelayAddress, RelayError>) -> Void
  ) {
    // On Linux an IPv6 socket on :: accepts IPv4 too, unless the system is configured otherwise or has no IPv6.
    let isAny = wanted.host == "*"
    let first = isAny ? RelayAddress(host: "::", port: wanted.port) : wanted
    listen(on: first) { host, channel, address in
      let client = ClientHandler(of: host, from: address)
      try channel.pipeline.syncOperations.addHandlers([
        ProtocolSelector(for: client, of: host), client,
      ])
    } done: { [self] result in
      switch result {
      case .success(let (_, address)):
        broker.server.port = address.port
        done(.success(address))
      case .failure(let error) where isAny && error.kind == .addressUnavailable:
        listen(on: RelayAddress(host: "0.0.0.0", port: wanted.port), done: done)
      case .failure(let error): done(.failure(error))
      }
    }
  }

  /// Listens for connections.
  ///
  /// - Parameters:
  ///   - configure: adds the handlers of one connection, of which it gets the client's address in numbers.
  ///   - done: called with the number that names the listener, and its address with the port that the system chose if
  ///     the wanted one is 0.
  func listen(
    on wanted: RelayAddress,
    configure: @escaping (BrokerHost, any Channel, _ address: String) throws -> Void,
    done: @escaping (Result<(number: Int, address: RelayAddress), RelayError>) -> Void
  ) {
    let address: SocketAddress
    do throws(RelayError) {
      address = try wanted.resolved()
    } catch {
      return done(.failure(error))
    }
    let acceptor = NIOLoopBound(
      ConnectionAcceptor(of: self, configure: configure), eventLoop: loop)
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(acceptor.value)
        }
      }
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try acceptor.value.configure(channel) }
      }
      .bind(to: address).assumeIsolated().whenComplete { [self] result in
        switch result {
        case .success(let listener):
          guard let bound = listener.localAddress.flatMap(RelayAddress.init),
            let number = add(listener)
          else {
            return done(.failure(RelayError(.other, "Can't listen on \(wanted).")))
          }
          done(.success((number, bound)))
        case .failure(let error):
          done(.failure(RelayError(binding: "\(wanted)", error)))
        }
      }
  }

  /// Sets the options of a client's socket.
  fileprivate static func setOptions(of channel: any Channel) throws {
    try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
    // A client that has sent everything may still read.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    // One read for each client and round of the loop, so that none keeps the others waiting.
    try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    try channel.syncOptions?.setOption(
      .recvAllocator,
      value: AdaptiveRecvByteBufferAllocator(
        minimum: 512, initial: 1024, maximum: largestRead))
  }
}

/// Accepts the connections of one listening socket.
private final class ConnectionAcceptor: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  private let host: BrokerHost
  private let configureClient: (BrokerHost, any Channel, _ address: String) throws -> Void
  /// The last time that descriptors were lacking: a lasting lack is reported once.
  private var lackedAt: NIODeadline?

  /// The time without a lack of descriptors after which the next lack is reported again.
  private static let lackInterval = TimeAmount.seconds(60)
  /// The time without accepting after a lack of descriptors.
  private static let lackPause = TimeAmount.milliseconds(250)

  init(
    of host: BrokerHost,
    configure: @escaping (BrokerHost, any Channel, _ address: String) throws -> Void
  ) {
    self.host = host
    configureClient = configure
  }

  func configure(_ channel: any Channel) throws {
    try configure(channel, address: channel.remoteAddress?.ipAddress ?? "")
  }

  private func configure(_ channel: any Channel, address: String) throws {
    try BrokerHost.setOptions(of: channel)
    try configureClient(host, channel, address)
  }

  /// Moves the descriptor of an accepted connection above the reserved low numbers. Those stay free for the rest of the
  /// process: some libraries can wait for no others, and no number of connections takes the last one.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let accepted = unwrapInboundIn(data)
    let reserved = CInt(clamping: host.broker.limits.reservedDescriptors)
    let descriptor = try? accepted.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self, { $0 })
    guard let descriptor, descriptor < reserved else {
      return context.fireChannelRead(data)
    }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, reserved)
    let address = accepted.remoteAddress?.ipAddress ?? ""
    accepted.close(promise: nil)
    guard moved >= 0 else { return pause(context) }
    let acceptor = NIOLoopBound(self, eventLoop: context.eventLoop)
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try acceptor.value.configure(channel, address: address)
        }
      }
      .withConnectedSocket(moved).assumeIsolated().whenFailure { _ in acceptor.value.lacked() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, error.errnoCode != ECONNABORTED else { return }
    pause(context)
  }

  /// Stops accepting for a while when descriptors or memory are lacking: connections wait in the kernel, and would wake
  /// the thread again at once.
  private func pause(_ context: ChannelHandlerContext) {
    lacked()
    let options = context.channel.syncOptions
    try? options?.setOption(.autoRead, value: false)
    host.schedule(in: Self.lackPause) { try? options?.setOption(.autoRead, value: true) }
  }

  private func lacked() {
    let now = NIODeadline.now()
    if lackedAt.map({ now - $0 > Self.lackInterval }) ?? true {
      host.logger.warning(
        "The relay has too few file descriptors for all connections: new ones wait. Raise the limit of open files (ulimit -n)."
      )
    }
    lackedAt = now
  }
}

extension RelayAddress {
  fileprivate init?(_ address: SocketAddress) {
    guard let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: port)
  }

  /// Looks the name up, which may take a while.
  fileprivate func resolved() throws(RelayError) -> SocketAddress {
    guard (0...65535).contains(port) else {
      throw RelayError(.addressUnavailable, "\(self): the port must be between 0 and 65535")
    }
    do {
      return try SocketAddress.makeAddressResolvingHost(host, port: port)
    } catch {
      throw RelayError(.addressUnavailable, "Can't listen on \(self): the name isn't known.")
    }
  }
}

extension RelayError {
  fileprivate init(binding address: String, _ error: any Error) {
    if let error = error as? IOError {
      self.init(binding: address, errno: error.errnoCode)
    } else {
      self.init(.other, "Can't listen on \(address): \(error)")
    }
  }
}
