/// Whom a relay admits, where it listens, and what it allows.
public struct RelayConfiguration: Sendable {
  /// Which admission keys open the door.
  public enum Admission: Sendable, Hashable {
    /// The members of these parties, each named by the 32 bytes of its admission key's public half.
    case only([[UInt8]])
    /// Whoever signs with any key, confined to that key's party.
    case anyKey
  }

  public var admission: Admission
  /// A host name or a literal address; `*` is every address, IPv6 and IPv4, of this machine.
  public var host: String
  /// 0 lets the system choose one: see ``Relay/boundPort``.
  public var port: Int
  public var limits = Limits()

  public init(admission: Admission, host: String = "*", port: Int = 0) {
    self.admission = admission
    self.host = host
    self.port = port
  }
}

extension RelayConfiguration {
  /// What one peer may cost. Beyond a limit a peer is told so, and cut off where `nats-server`
  /// would do so too.
  public struct Limits: Sendable, Hashable {
    /// Bytes of a protocol line after its first word; `max_control_line` of `nats-server`.
    public var controlLine = 4096
    /// Bytes of one message with its headers.
    public var payload = 65536
    /// Sockets and attachments together.
    public var connections = 1024
    public var subscriptionsPerConnection = 256
    /// Tokens of a subject that is subscribed to.
    public var subjectTokens = 32
    /// Bytes that wait for a reader; one that lets more pile up is cut off.
    public var pendingBytes = 4 << 20
    /// How long a reader may take nothing of what waits for it before it is cut off.
    public var writeStall = Duration.seconds(5)
    /// How long a connection may take to prove its key.
    public var authorizationTimeout = Duration.seconds(2)
    /// How long a silent connection is left alone before it is asked for a sign of life.
    public var pingInterval = Duration.seconds(5)
    /// Unanswered pings after which a connection counts as gone.
    public var pingsOutstanding = 2
    /// How long ``Relay/shutdown()`` waits for readers to take what is queued for them.
    public var drain = Duration.seconds(1)

    public init() {}
  }
}
