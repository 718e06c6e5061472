/// Which NATS servers to use, and how patiently.
public struct NATSConfiguration: Sendable {
  /// In the order in which to try them at first.
  public var servers: [ServerAddress]
  /// How long one attempt with one server may take.
  public var connectTimeout = Duration.seconds(2)
  /// How far apart attempts with the next server begin while earlier ones are still undecided, so
  /// that one address that swallows packets delays nobody.
  public var attemptStagger = Duration.milliseconds(50)
  /// Two pings without an answer end the connection: this governs how soon a silent loss shows.
  public var pingInterval = Duration.seconds(1)
  /// Between rounds of attempts after a loss, plus up to ``reconnectJitter``. The first round
  /// waits for the jitter only.
  public var reconnectWait = Duration.milliseconds(150)
  /// Spreads out the clients of a server that came back.
  public var reconnectJitter = Duration.milliseconds(100)
  /// The wait once ``patientRounds`` have failed, or the servers refuse the key.
  public var patientReconnectWait = Duration.seconds(2)
  /// About half a minute's worth of rounds.
  public var patientRounds = 120
  /// How long one write may take before the connection counts as lost.
  public var writeDeadline = Duration.seconds(2)

  public init(servers: [ServerAddress]) { self.servers = servers }
}
