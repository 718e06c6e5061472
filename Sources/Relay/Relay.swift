import Concurrency
import Crypto
import Logging
import NATSProtocol
import Synchronization
import Timekeeping

/// A broker in this process that speaks the part of the NATS client protocol that parties need.
///
/// It carries opaque bytes under opaque subjects. It knows only the public half of a party's
/// admission key. All of its state belongs to one thread (`Broker` decides, `BrokerHost` acts),
/// so there are no locks around it, and a peer that doesn't read delays no other peer.
public final class Relay: Sendable {
  /// The configuration, constant for the relay's life.
  public let configuration: RelayConfiguration
  let thread: RelayThread
  private let logger: Logger
  private let life = Mutex(Life())

  private struct Life: Sendable {
    enum Phase: Sendable { case new, starting, running, stopped }
    var phase = Phase.new
    var addresses: [RelayAddress] = []
  }

  /// Creates a relay with an identity of its own. It has a thread at once, but doesn't listen before ``start()``.
  public init(configuration: RelayConfiguration, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    let identity = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    let server = ServerInfo(
      identifier: NKey.text(of: identity, role: .server), host: configuration.host,
      port: configuration.port, maximumPayload: configuration.limits.payload)
    let broker = Broker(
      configuration: configuration, server: server, random: SystemRandomNumberGenerator())
    thread = RelayThread(broker: broker, page: configuration.page, logger: logger)
    thread.execute { [certificate = configuration.certificate] in $0.certificate = certificate }
  }

  // The thread would outlive a relay that was not shut down.
  deinit { thread.stop() }

  /// The port on which it listens; nil before ``start()`` and after ``shutdown()``.
  public var boundPort: Int? { boundAddresses.first?.port }

  /// The addresses on which it listens; empty before ``start()`` and after ``shutdown()``.
  public var boundAddresses: [RelayAddress] { life.withLock { $0.addresses } }

  /// Listens and serves until ``shutdown()``.
  ///
  /// - Returns: the addresses on which it listens, with the port that the system chose if the
  ///   configured one is 0.
  /// - Throws: ``RelayError``. The relay can be started again after all kinds but `alreadyStarted`.
  @discardableResult
  public func start() async throws(RelayError) -> [RelayAddress] {
    try life.withLock { life throws(RelayError) in
      guard life.phase == .new else {
        throw RelayError(.alreadyStarted, "the relay was started or shut down before")
      }
      life.phase = .starting
    }
    let wanted = RelayAddress(host: configuration.host, port: configuration.port)
    let addresses: [RelayAddress]
    do throws(RelayError) {
      let answer = OneShot<Result<RelayAddress, RelayError>>()
      guard thread.execute({ $0.listen(on: wanted) { answer.fulfil($0) } }) else {
        throw RelayError(.alreadyStarted, "the relay was shut down while it started")
      }
      addresses = [try await answer.certainValue().get()]
    } catch {
      life.withLock { if $0.phase == .starting { $0.phase = .new } }
      throw error
    }
    let isRunning = life.withLock { life in
      guard life.phase == .starting else { return false }
      life.phase = .running
      life.addresses = addresses
      return true
    }
    guard isRunning else {
      throw RelayError(.alreadyStarted, "the relay was shut down while it started")
    }
    logger.info(
      "relay listening",
      metadata: ["addresses": "\(addresses.map(\.description).joined(separator: ", "))"])
    return addresses
  }

  /// Serves new connections with another certificate from now on. Those that are open keep theirs.
  public func use(_ certificate: RelayCertificate) {
    thread.execute { $0.certificate = certificate }
  }

  /// Returns a member's connection without a socket, for the process that the relay runs in.
  ///
  /// - Parameter admissionPublicKey: the party's key, `AdmissionKey.publicKey`. Connecting is
  ///   refused unless the relay admits it.
  public func attach(as admissionPublicKey: [UInt8]) -> LoopbackTransport {
    LoopbackTransport(relay: self, admissionPublicKey: admissionPublicKey)
  }

  /// Returns the counts since the relay was made; all zero after ``shutdown()``.
  public func statistics() async -> RelayStatistics {
    await onLoop { $0.broker.statistics } ?? RelayStatistics()
  }

  /// Runs `body` on the relay's thread; returns nil if the thread has stopped.
  func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (BrokerHost) -> Value
  ) async -> Value? {
    guard life.withLock({ $0.phase != .stopped }) else { return nil }
    return await thread.submit(body)
  }

  /// Stops listening, announces to clients that this server is about to stop, and waits until all have left for another
  /// one, or until the time limit. Then call ``shutdown()``.
  public func retire(within limit: Duration) async {
    guard await onLoop({ $0.announceDeparture() }) != nil else { return }
    let deadline = HostTime.now() + limit
    while HostTime.now() < deadline, await onLoop({ $0.clientCount }) ?? 0 > 0 {
      guard (try? await Task.sleep(for: Self.retirementPace)) != nil else { return }
    }
  }

  private static let retirementPace = Duration.milliseconds(50)

  /// The number of clients that are connected over a socket and have proved the party's key.
  public func clientCount() async -> Int { await onLoop { $0.clientCount } ?? 0 }

  /// The subjects to which clients over a socket are subscribed, without patterns.
  public func clientSubjects() async -> Set<String> { await onLoop { $0.clientSubjects } ?? [] }

  /// Stops listening, announces to clients that this server is about to stop, waits until they have
  /// read what is queued for them (``RelayConfiguration/Limits/drain`` at most) and closes.
  /// Idempotent.
  public func shutdown() async {
    let isFirst = life.withLock { life in
      defer {
        life.phase = .stopped
        life.addresses = []
      }
      return life.phase != .stopped
    }
    guard isFirst else { return }
    let drain = configuration.limits.drain
    let drained = OneShot<Bool>()
    let isTaken = thread.execute { host in host.shutDown(drain: drain) { drained.fulfil($0) } }
    let isDrained = isTaken ? await drained.certainValue() : false
    logger.info("relay stopped", metadata: ["drained": "\(isDrained)"])
    thread.stop()
  }
}

/// An address on which a relay listens.
public struct RelayAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or a literal address, without brackets.
  public var host: String
  /// The port, 1 to 65535.
  public var port: Int

  /// Creates an address. A host's brackets are added only in ``description``.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
