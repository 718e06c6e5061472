import GroupActivities
import Logging
import NIOCore
import NIOPosix

/// A broker that speaks the NATS client protocol, small enough to run inside a host's process.
///
/// It carries what it is given: members' messages are sealed end to end, and each admission key sees
/// only its own party's subjects.
public actor Relay {
  private let configuration: RelayConfiguration
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private nonisolated let core: RelayCore
  private let logger: Logger
  private var channel: (any Channel)?
  private var children: ChildChannels?

  public init(configuration: RelayConfiguration, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    core = RelayCore(configuration: configuration, eventLoop: group.next(), logger: logger)
  }

  /// Starts to listen.
  ///
  /// - Returns: the port, which matters when ``RelayConfiguration/port`` is 0.
  /// - Throws: ``RelayError``.
  public func start() async throws(RelayError) -> Int {
    let core = core
    let children = ChildChannels()
    self.children = children
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 256)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          children.add(channel)
          try channel.pipeline.syncOperations.addHandler(ConnectionHandler(core: core))
        }
      }
    do {
      let channel = try await bootstrap.bind(host: configuration.host, port: configuration.port)
        .get()
      self.channel = channel
      return channel.localAddress?.port ?? configuration.port
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw .addressInUse(host: configuration.host, port: configuration.port)
    } catch {
      throw .cannotListen(
        host: configuration.host, port: configuration.port, reason: "\(error)")
    }
  }

  /// A connection of this process, without a socket, for the party that this key admits.
  public nonisolated func attach(admission: AdmissionKey) -> some GroupTransport {
    LoopbackTransport(
      core: core, prefix: PartySubjects(admissionPublicKey: admission.publicKey).prefix)
  }

  public func statistics() async -> RelayStatistics {
    let core = core
    do {
      return try await core.eventLoop.submit { core.statistics }.get()
    } catch {
      return RelayStatistics()  // The loop has ended, and with it all that there was to count.
    }
  }

  /// Tells the clients to go elsewhere, and closes.
  public func shutdown() async {
    let core = core
    try? await channel?.close()
    channel = nil
    try? await core.eventLoop.submit { core.lameDuck() }.get()
    await children?.closeAll()
    children = nil
    do {
      try await group.shutdownGracefully()
    } catch {
      logger.warning("the relay's loop didn't end cleanly: \(error)")
    }
  }
}
