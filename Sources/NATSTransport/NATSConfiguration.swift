import Timekeeping

/// Which NATS servers to use, and how patiently.
public struct NATSConfiguration: Sendable {
  /// In the order in which to try them at first.
  public var servers: [ServerAddress]
  /// Who may vouch for a server; nil for the system's certificate authorities, and for servers that
  /// have no TLS.
  public var trustedCertificates: TrustedCertificates?
  /// Who to be, where the party's own key doesn't count.
  public var credentials: BrokerCredentials?
  /// How long each step of an attempt with one server may take.
  public var connectTimeout = Duration.seconds(2)
  /// How far apart attempts with the next server begin while earlier ones are still undecided, so
  /// that one address that swallows packets delays nobody.
  public var attemptStagger = Duration.milliseconds(50)
  /// A connection ends when the third ping is due and the two before it are unanswered: a server that
  /// falls silent is left two to three intervals later.
  public var pingInterval = Duration.seconds(1)
  /// Before the second round of attempts after a loss; each further wait is longer, up to
  /// ``patientReconnectWait``. The first round waits for the jitter only.
  public var reconnectWait = Duration.milliseconds(150)
  /// Spreads out the clients of a server that was lost, over the others.
  public var reconnectJitter = Duration.milliseconds(100)
  /// The longest wait between rounds; at once, when the servers refuse the key.
  public var patientReconnectWait = Duration.seconds(2)
  /// How long one write may take before the connection counts as lost.
  public var writeDeadline = Duration.seconds(2)
  /// Spreads out the clients of a server that says that it is about to go.
  public var departureSpread = Duration.seconds(2)

  public init(servers: [ServerAddress]) { self.servers = servers }

  /// How long an attempt may take in all. libnats has no limit of its own for a TLS handshake, nor for
  /// the resolution of a name.
  var attemptLimit: Duration { connectTimeout * 2 + .seconds(1) }
}
