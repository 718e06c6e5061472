import Foundation
import GroupActivities
import Logging
import NATSTransport
import Relay

/// What a host runs for its party: a relay of its own, or somebody's NATS server.
struct PartyHosting: Sendable {
  struct Options: Sendable {
    /// Where the relay listens; nil port for the usual one, or the next that is free.
    var host = "0.0.0.0"
    var port: Int?
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

  var addresses: [Invite.Address]
  private var relay: Relay?

  static func start(
    _ options: Options, founding: Party.Founding
  ) async throws -> (PartyHosting, any GroupTransport) {
    let admission = founding.keys.admission
    let logger = Logger.ofTransport
    guard options.brokers.servers.isEmpty else {
      let transport = NATSTransport(
        configuration: options.brokers.configuration(), admission: admission, logger: logger)
      let addresses = options.brokers.servers.compactMap { Invite.Address($0.description) }
      return (PartyHosting(addresses: addresses, relay: nil), transport)
    }
    let (relay, port) = try await listen(options, key: admission.publicKey, logger: logger)
    let hosts = NetworkAddresses.reachable(listeningOn: options.host)
    return (
      PartyHosting(
        addresses: hosts.compactMap { Invite.Address(host: $0, port: port) }, relay: relay),
      relay.attach(as: admission.publicKey)
    )
  }

  func stop() async { await relay?.shutdown() }

  private static func listen(
    _ options: Options, key: [UInt8], logger: Logger
  ) async throws -> (Relay, Int) {
    let first = options.port ?? usualPort
    let last = options.port ?? usualPort + portsToTry - 1
    for port in first...last {
      let relay = Relay(
        configuration: RelayConfiguration(admission: .only([key]), host: options.host, port: port),
        logger: logger)
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
