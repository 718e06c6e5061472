import Foundation
import GroupActivities
import Logging
import NATSTransport
import Relay

/// What a host runs for its party: a relay of its own, or somebody's NATS server.
struct PartyHosting: Sendable {
  struct Options: Sendable {
    /// Where the relay listens, `*` for all addresses; nil port for the usual one, or the next that is
    /// free.
    var host = "*"
    var port: Int?
    /// Whether the router is asked to map the port.
    var mapsPort = true
    /// Whether the local network is told of the party.
    var announces = true
    /// NATS servers to use instead of a relay of our own, if there are any.
    var brokers = Brokers()
    /// Whose commands move everybody in the new party.
    var control = PartyRules.Control.everyone
    /// Whether starts in the new party wait for trailers and for those who aren't ready.
    var waiting = PartyRules.Waiting.everyone
  }

  /// Somebody's NATS servers, and how to come in there.
  struct Brokers: Sendable {
    var servers: [ServerAddress] = []
    var trustedCertificates: TrustedCertificates?
    var credentials: BrokerCredentials?

    /// - Parameter others: to be used when none were named.
    func configuration(orElse others: [ServerAddress] = []) -> NATSConfiguration {
      var configuration = NATSConfiguration(servers: servers.isEmpty ? others : servers)
      configuration.trustedCertificates = trustedCertificates
      configuration.credentials = credentials
      return configuration
    }
  }

  static let usualPort = 62846
  private static let portsToTry = 10

  /// Where it can be reached as far as is known at once.
  let reach: Reach
  /// What may become known later; nil when somebody else's servers are used.
  let watch: ReachWatch?
  private let relay: Relay?
  /// Where this program's own relay listens.
  let port: Int?

  /// A Boolean value that indicates whether the party's relay ends with this program.
  var isRelay: Bool { relay != nil }

  var addresses: [Invite.Address] { reach.places.map(\.address) }

  static func start(
    _ options: Options, founding: Party.Founding
  ) async throws -> (PartyHosting, any GroupTransport) {
    let admission = founding.keys.admission
    let logger = Logger.ofTransport
    guard options.brokers.servers.isEmpty else {
      let transport = NATSTransport(
        configuration: options.brokers.configuration(), admission: admission, logger: logger)
      let places = options.brokers.servers.compactMap { server in
        Invite.Address(server.description).map { Reach.Place(kind: .relay, address: $0) }
      }
      return (
        PartyHosting(reach: Reach(places: places), watch: nil, relay: nil, port: nil), transport
      )
    }
    let (relay, port) = try await listen(options, key: admission.publicKey, logger: logger)
    let watch = ReachWatch(
      host: options.host, port: port, mapsPort: options.mapsPort,
      announcement: options.announces
        ? LocalParty.announcement(of: founding.party, port: port) : nil)
    return (
      PartyHosting(reach: watch.initial, watch: watch, relay: relay, port: port),
      relay.attach(as: admission.publicKey)
    )
  }

  /// To this program's own relay, after the first one was closed.
  func anotherTransport(
    _ founding: Party.Founding, _ closed: any GroupTransport
  ) -> any GroupTransport {
    relay?.attach(as: founding.keys.admission.publicKey) ?? closed
  }

  /// Takes back what the router and the local network were told, and stops the relay. Some seconds at
  /// most.
  func stop() async {
    async let isTakenBack: Void? = watch?.stop()
    await relay?.shutdown()
    _ = await isTakenBack
  }

  private static func listen(
    _ options: Options, key: [UInt8], logger: Logger
  ) async throws -> (Relay, Int) {
    let first = options.port ?? usualPort
    let last = options.port ?? usualPort + portsToTry - 1
    for port in first...last {
      var configuration = RelayConfiguration(
        admission: .only([key]), host: options.host, port: port)
      configuration.limits.leaveDescriptors(of: OpenFiles.limit)
      let relay = Relay(configuration: configuration, logger: logger)
      do {
        _ = try await relay.start()
        return (relay, relay.boundPort ?? port)
      } catch {
        await relay.shutdown()
        if error.kind == .addressInUse, port < last { continue }
        throw error
      }
    }
    preconditionFailure("the last port either works or throws")
  }
}
