import Crypto
import GroupActivities
import Logging
import NIOCore
import NIOPosix
import NKeys
import Synchronization
import Timekeeping

/// A broker that speaks enough of the NATS client protocol for any NATS client, in this process.
///
/// It carries opaque bytes under opaque subjects and knows of a party only the public half of its
/// admission key. Everything it holds belongs to one event loop (``Broker`` decides, ``RelayLoop``
/// acts), so there are no locks around it, and a peer that doesn't read delays nobody.
public final class Relay: Sendable {
  public let configuration: RelayConfiguration
  private let group: MultiThreadedEventLoopGroup
  let loop: NIOLoopBoundBox<RelayLoop>
  private let logger: Logger
  private let life = Mutex(Life())

  private struct Life: Sendable {
    enum Phase: Sendable { case new, starting, running, stopped }
    var phase = Phase.new
    var listeners: [any Channel] = []
    var addresses: [RelayAddress] = []
  }

  public init(configuration: RelayConfiguration, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let identity = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    let server = ServerDescription(
      identifier: NKey.text(of: identity, role: .server), host: configuration.host,
      port: configuration.port, maximumPayload: configuration.limits.payload)
    let broker = Broker(
      configuration: configuration, server: server, random: SystemRandomNumberGenerator())
    let eventLoop = group.next()
    loop = .makeBoxSendingValue(
      RelayLoop(broker: broker, eventLoop: eventLoop, logger: logger), eventLoop: eventLoop)
  }

  deinit {
    // The thread would outlive a relay that nobody shut down.
    group.shutdownGracefully { _ in }
  }

  /// The port it listens on; nil before ``start()`` and after ``shutdown()``.
  public var boundPort: Int? { boundAddresses.first?.port }

  /// Where it listens; empty before ``start()`` and after ``shutdown()``.
  public var boundAddresses: [RelayAddress] { life.withLock { $0.addresses } }

  /// Listens and serves until ``shutdown()``.
  ///
  /// - Returns: where it listens, with the port that the system chose if the configured one is 0.
  /// - Throws: ``RelayError``; the relay can be started again after all kinds but `alreadyStarted`.
  @discardableResult
  public func start() async throws(RelayError) -> [RelayAddress] {
    try life.withLock { life throws(RelayError) in
      guard life.phase == .new else {
        throw RelayError(.alreadyStarted, "the relay was started or shut down before")
      }
      life.phase = .starting
    }
    let listeners: [any Channel]
    do {
      listeners = try await listen()
    } catch {
      life.withLock { if $0.phase == .starting { $0.phase = .new } }
      throw error
    }
    let addresses = listeners.compactMap { $0.localAddress.flatMap(RelayAddress.init) }
    let isRunning = life.withLock { life in
      guard life.phase == .starting else { return false }
      life.phase = .running
      life.listeners = listeners
      life.addresses = addresses
      return true
    }
    guard isRunning else {
      for listener in listeners { try? await listener.close() }
      throw RelayError(.alreadyStarted, "the relay was shut down while it started")
    }
    let port = addresses.first?.port ?? configuration.port
    group.next().execute { [loop] in loop.value.started(port: port) }
    logger.info(
      "relay listening",
      metadata: ["addresses": "\(addresses.map(\.description).joined(separator: ", "))"])
    return addresses
  }

  /// A member's connection without a socket, for the process that the relay runs in.
  ///
  /// - Parameter admissionPublicKey: the party's key, ``AdmissionKey/publicKey``. Connecting is
  ///   refused unless the relay admits it.
  public func attach(as admissionPublicKey: [UInt8]) -> LoopbackTransport {
    LoopbackTransport(relay: self, admissionPublicKey: admissionPublicKey)
  }

  /// What it has done so far. After ``shutdown()`` all zero.
  public func statistics() async -> RelayStatistics {
    await onLoop { $0.broker.statistics } ?? RelayStatistics()
  }

  /// Runs `body` on the event loop; nil when that has stopped.
  func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (RelayLoop) -> Value
  ) async -> Value? {
    guard life.withLock({ $0.phase != .stopped }) else { return nil }
    return try? await loop.eventLoop.submit { [loop] in body(loop.value) }.get()
  }

  /// Stops listening, tells clients that this server is about to go, waits until they have taken
  /// what is queued for them (``RelayConfiguration/Limits/drain`` at most) and closes. Idempotent.
  public func shutdown() async {
    let listeners: [any Channel]? = life.withLock { life in
      guard life.phase != .stopped else { return nil }
      defer {
        life.phase = .stopped
        life.listeners = []
        life.addresses = []
      }
      return life.listeners
    }
    guard let listeners else { return }
    for listener in listeners { try? await listener.close() }
    let drained = try? await group.next().flatSubmit { [loop, configuration] in
      loop.value.shutdown(drain: TimeAmount(configuration.limits.drain))
    }.get()
    logger.info("relay stopped", metadata: ["drained": "\(drained ?? false)"])
    try? await group.shutdownGracefully()
  }

  // MARK: Listening

  private func listen() async throws(RelayError) -> [any Channel] {
    guard configuration.host == "*" else {
      return [try await listen(host: configuration.host)]
    }
    // On Linux an IPv6 socket on :: takes IPv4 too, unless the system says otherwise or has none.
    do {
      return [try await listen(host: "::")]
    } catch  where error.kind == .addressUnavailable {
      return [try await listen(host: "0.0.0.0")]
    }
  }

  private func listen(host: String) async throws(RelayError) -> any Channel {
    let address = RelayAddress(host: host, port: configuration.port)
    guard (0...65535).contains(configuration.port) else {
      throw RelayError(.addressUnavailable, "\(address): a port lies between 0 and 65535")
    }
    do {
      return try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { [loop] channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(loop: loop.value))
          }
        }
        .bind(host: host, port: configuration.port).get()
    } catch {
      throw RelayError(binding: address.description, failed: error)
    }
  }
}

/// Where a relay listens.
public struct RelayAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or a literal address, without brackets.
  public var host: String
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  init?(_ address: SocketAddress) {
    guard let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: port)
  }

  /// `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
