import Doors
import Foundation
import GroupActivities
import Logging
import NATSTransport
import Relay
import Screening

/// The servers of a host's party: the program's own relay, or external NATS servers.
package struct PartyHosting: Sendable {
  package struct Options: Sendable {
    /// The address on which the relay listens, `*` for all addresses. A nil port means the usual one, or the next free
    /// one.
    package var host = "*"
    package var port: Int?
    /// The certificate with which the relay requires TLS; nil for a relay without TLS.
    package var certificate: RelayCertificate?
    /// A Boolean value that indicates whether the router is asked to map the port.
    package var mapsPort = true
    /// A Boolean value that indicates whether the party is announced on the local network.
    package var announces = true
    /// The external NATS servers to use instead of the program's own relay, if there are any.
    package var brokers = Brokers()
    /// The participants whose commands control playback in the new party.
    package var control = PartyRules.Control.everyone
    /// The new party's rule for starts: wait for trailers and for participants who aren't ready, or don't wait.
    package var waiting = PartyRules.Waiting.everyone
    /// A Boolean value that indicates whether a guest's program offers a relay too, for the case that the host's ends.
    package var standsBy = true
    /// The address on which clients of Syncplay's protocol find this program; nil for none.
    package var syncplay: ListenAddress?
    /// A Boolean value that indicates whether this participant shares its films.
    package var shares = false
    /// The picture of the copies that it shares; nil for its files themselves.
    package var shareQuality: ShareQuality?

    package init() {}

    /// A Boolean value that indicates whether the party can't be found from elsewhere.
    fileprivate(set) var isPrivate = false

    /// The options of a party that can't be found from elsewhere.
    static var privately: Options {
      var options = Options()
      options.isPrivate = true
      (options.host, options.port) = ("127.0.0.1", 0)
      (options.mapsPort, options.announces, options.standsBy) = (false, false, false)
      return options
    }
  }

  /// External NATS servers, with the certificates and credentials for a connection.
  package struct Brokers: Sendable {
    var servers: [ServerAddress] = []
    var trustedCertificates: TrustedCertificates?
    package var credentials: BrokerCredentials?

    package init(
      servers: [ServerAddress] = [], trustedCertificates: TrustedCertificates? = nil,
      credentials: BrokerCredentials? = nil
    ) {
      self.servers = servers
      self.trustedCertificates = trustedCertificates
      self.credentials = credentials
    }

    /// The servers and the settings for a connection.
    var configuration: NATSConfiguration {
      var configuration = NATSConfiguration(servers: servers)
      configuration.trustedCertificates = trustedCertificates
      configuration.credentials = credentials
      return configuration
    }
  }

  package static let usualPort = 62846
  private static let portsToTry = 10

  /// The addresses of the party that are known at once.
  package let reach: Reach
  /// The source of later changes of ``reach``; nil with external servers.
  package let watch: ReachWatch?
  private let relay: Relay?
  /// The port of this program's own relay; nil without one.
  package let port: Int?
  /// The address on which the relay listens.
  let listensOn: String
  /// A Boolean value that indicates whether the party can't be found from elsewhere.
  let isPrivate: Bool

  /// A Boolean value that indicates whether the party's relay ends with this program.
  var isRelay: Bool { relay != nil }

  package var addresses: [Invite.Address] { reach.places.map(\.address) }

  /// Returns the proof of identity that a relay gives with its certificate; nil without TLS.
  private static func security(
    by certificate: RelayCertificate?
  ) -> Invite.Address.Security? {
    certificate.map { .certificate($0.fingerprint) }
  }

  /// The IP addresses on which this program's own relay listens, for a relay that is known by a name: others don't look
  /// up the names that a participant offers.
  var boundAddresses: [Invite.Address] {
    let security = Self.security(by: relay?.configuration.certificate)
    return relay?.boundAddresses.compactMap {
      Invite.Address(host: $0.host, port: $0.port, security: security)
    } ?? []
  }

  package static func start(
    _ options: Options, founding: Party.Founding
  ) async throws -> (PartyHosting, any GroupTransport) {
    let admission = founding.keys.admission
    let logger = Logger.ofTransport
    guard options.brokers.servers.isEmpty else {
      let transport = NATSTransport(
        configuration: options.brokers.configuration, admission: admission, logger: logger)
      let places = options.brokers.servers.compactMap { server in
        server.inInvite.map { Reach.Place(kind: .relay, address: $0) }
      }
      return (
        PartyHosting(
          reach: Reach(places: places), watch: nil, relay: nil, port: nil, listensOn: "",
          isPrivate: false),
        transport
      )
    }
    let (hosting, relay) = try await openRelay(
      options, of: founding.party, keys: admittedKeys(founding.secret, founding.party))
    return (hosting, relay.attach(as: admission.publicKey))
  }

  /// Returns the public parts of the keys that a party's relay admits: those of its members and of its pages.
  static func admittedKeys(_ secret: PartySecret, _ party: Participant.ID) -> [[UInt8]] {
    [
      PartyKeys(secret: secret, party: party).admission, PageLink.admission(secret, party),
    ].map(\.publicKey)
  }

  /// Opens a relay for a party, without a participant of this program.
  ///
  /// - Parameter keys: the public parts of the keys that it admits.
  package static func openRelay(
    _ options: Options, of party: Participant.ID, keys: [[UInt8]]
  ) async throws -> (PartyHosting, Relay) {
    let (relay, port) = try await listen(options, keys: keys, logger: .ofTransport)
    let security = security(by: options.certificate)
    let watch = ReachWatch(
      host: options.host, port: port, security: security, mapsPort: options.mapsPort,
      announcement: options.announces
        ? LocalParty.announcement(of: party, port: port, security: security) : nil)
    let hosting = PartyHosting(
      reach: watch.initial, watch: watch, relay: relay, port: port, listensOn: options.host,
      isPrivate: options.isPrivate)
    return (hosting, relay)
  }

  /// Returns a new transport to this program's own relay, after the first one was closed.
  func anotherTransport(
    _ founding: Party.Founding, _ closed: any GroupTransport
  ) -> any GroupTransport {
    relay?.attach(as: founding.keys.admission.publicKey) ?? closed
  }

  /// Returns a connection to this program's own relay; nil without one.
  func transport(for key: AdmissionKey) -> (any GroupTransport)? {
    relay?.attach(as: key.publicKey)
  }

  /// Announces that the relay is about to stop, and waits until all others have moved to another one, some seconds at
  /// most.
  func retire() async { await relay?.retire(within: Self.retirementLimit) }

  static let retirementLimit = Duration.seconds(3)

  /// Withdraws the router's mapping and the announcement, and stops the relay. It takes some seconds at most.
  package func stop() async {
    async let isTakenBack: Void? = watch?.stop()
    await relay?.shutdown()
    _ = await isTakenBack
  }

  static func listen(
    _ options: Options, keys: [[UInt8]], logger: Logger
  ) async throws -> (Relay, Int) {
    let first = options.port ?? usualPort
    let last = options.port ?? usualPort + portsToTry - 1
    for port in first...last {
      var configuration = RelayConfiguration(
        admission: .only(keys), host: options.host, port: port)
      configuration.page = PageFile.served
      configuration.certificate = options.certificate
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
