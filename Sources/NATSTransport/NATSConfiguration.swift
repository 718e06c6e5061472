/// The NATS servers to use, and the time limits for them.
public struct NATSConfiguration: Sendable {
  /// The servers in the order in which to try them at first.
  public var servers: [ServerAddress]
  /// The authorities that may vouch for a server; nil for the system's certificate authorities, and
  /// for servers without TLS.
  public var trustedCertificates: TrustedCertificates?
  /// The credentials to use with servers where the party's own key doesn't count.
  public var credentials: BrokerCredentials?
  /// The time limit for each step of an attempt with one server.
  public var connectTimeout = Duration.seconds(2)
  /// The time between the beginnings of two attempts while earlier ones are undecided, so that an
  /// address that swallows packets delays no other attempt.
  public var attemptStagger = Duration.milliseconds(50)
  /// The time between two pings. A connection ends when the third ping is due and the two before it
  /// are unanswered: a server that falls silent is left two to three intervals later.
  public var pingInterval = Duration.seconds(1)
  /// The wait before the second round of attempts after a loss. Each further wait is longer, up to
  /// ``patientReconnectWait``. The first round waits for the jitter only.
  public var reconnectWait = Duration.milliseconds(150)
  /// The longest random wait before the first round, which spreads the clients of a lost server
  /// over the others.
  public var reconnectJitter = Duration.milliseconds(100)
  /// The longest wait between rounds; used at once if the servers refuse the key.
  public var patientReconnectWait = Duration.seconds(2)
  /// The time that a server may take to read a part of what was sent before the connection counts as lost.
  public var writeDeadline = Duration.seconds(2)
  /// The time over which the clients of a server leave after it announced that it is about to stop.
  public var departureSpread = Duration.seconds(2)

  /// Creates a configuration with the default time limits, without credentials or certificates.
  ///
  /// - Parameter servers: at least one; ``NATSTransport/connect()`` fails without any.
  public init(servers: [ServerAddress]) { self.servers = servers }
}
