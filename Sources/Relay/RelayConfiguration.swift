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
  /// What one peer may cost. Beyond a limit a peer is made to wait, or told so and cut off where
  /// `nats-server` would do so too.
  public struct Limits: Sendable, Hashable {
    /// Bytes of a protocol line after its first word; `max_control_line` of `nats-server`.
    public var controlLine = 4096
    /// Bytes of one message with its headers.
    public var payload = 65536
    /// Sockets and attachments together.
    public var connections = 1024
    /// Those of them that share an admission key, so that one party can't take all; nil is no limit
    /// besides ``connections``.
    public var connectionsPerParty: Int?
    /// The connections of one address (as in ``unprovenConnectionsPerAddress``) that have proved a key, so that one
    /// machine with many keys doesn't take all; nil is no limit besides ``connections``.
    public var connectionsPerAddress: Int?
    /// The connections that are kept for parties with a connected member, a quarter at most: the first member of
    /// a party is refused when only these are left.
    public var connectionsForKnownParties = 0
    /// The connections that have not proved a key yet. One more, and the oldest one of the address that has
    /// most of them goes.
    public var unprovenConnections = 256
    /// The connections of one address that have not proved a key yet: an IPv4 address, or the first 64 bits of an IPv6
    /// address.
    public var unprovenConnectionsPerAddress = 128
    /// Connections that have been ended and may still read why, in addition to ``connections``.
    public var closingConnections = 256
    /// File descriptors below this number are left to the rest of the process.
    public var reservedDescriptors = 0
    public var subscriptionsPerConnection = 256
    /// Tokens of a subject that is subscribed to.
    public var subjectTokens = 32
    /// Bytes that wait for a reader; one that lets more pile up is cut off.
    public var pendingBytes = 4 << 20
    /// Bytes that the relay holds for all connections together: what waits for readers, what has come
    /// in part, subscriptions. When it is more, the connection that costs most is cut off.
    public var heldBytes = 128 << 20
    /// Operations a second that one connection may ask for, and how many at once: every line is one,
    /// and every fourth copy of a message. Over it the relay stops reading from the connection for a
    /// while.
    public var operationsPerSecond = 50_000
    public var operationsBurst = 50_000
    /// Bytes a second, and at once: what comes, and a quarter of what goes out for it. A member that
    /// fetches a file asks for 64 MiB a second at most.
    public var bytesPerSecond = 96 << 20
    public var bytesBurst = 96 << 20
    /// Messages a second that one connection may publish, and how many at once: each costs the receivers more than
    /// it does the relay. A message of ``largeMessage`` bytes or more counts as ``largeMessageCost``, since the rate of
    /// bytes bounds those; a piece of a file is one. A member that serves a file publishes 640 of them a second to
    /// each of a few readers, 2,048 at most, and one that reads asks for as many.
    public var messagesPerSecond = 1000
    /// The messages that one connection may publish at once.
    public var messagesBurst = 4000
    /// Bytes from which on a message is a large one.
    static let largeMessage = 16 << 10
    static let largeMessageCost = 0.4
    /// How long a reader may take nothing of what waits for it before it is cut off.
    public var writeStall = Duration.seconds(5)
    /// How long a connection may take to prove its key.
    public var authorizationTimeout = Duration.seconds(2)
    /// The age from which on a connection that has proved a key but has no subscription makes room for another one, where
    /// there is no other room.
    public var idleTimeout = Duration.seconds(5)
    /// How long a silent connection is left alone before it is asked for a sign of life.
    public var pingInterval = Duration.seconds(5)
    /// Unanswered pings after which a connection counts as gone.
    public var pingsOutstanding = 2
    /// How long ``Relay/shutdown()`` waits for readers to take what is queued for them.
    public var drain = Duration.seconds(1)

    /// Those of a relay that a host runs for its own party.
    public init() {}

    /// Those of a relay that serves anybody's parties: more connections, none of which may take as
    /// much as the members of one's own party.
    public static var ofPublicRelay: Limits {
      var limits = Limits()
      limits.connections = 8192
      limits.connectionsPerParty = 1024
      limits.connectionsPerAddress = 1024
      limits.connectionsForKnownParties = 512
      limits.unprovenConnections = 1024
      limits.unprovenConnectionsPerAddress = 256
      limits.bytesBurst = 64 << 20
      limits.heldBytes = 256 << 20
      return limits
    }

    /// Leaves a part of the process's file descriptors to the rest of it: its films, its library, its sockets.
    ///
    /// - Parameter limit: the number of descriptors that the process may have (`RLIMIT_NOFILE`).
    public mutating func leaveDescriptors(of limit: Int) {
      reservedDescriptors = max(1, min(512, limit / 2))
      let available = max(2, limit - reservedDescriptors)
      closingConnections = max(1, min(closingConnections, available / 4))
      connections = max(1, min(connections, available - closingConnections))
      unprovenConnections = max(1, min(unprovenConnections, connections / 4))
      unprovenConnectionsPerAddress = max(
        1, min(unprovenConnectionsPerAddress, unprovenConnections / 2))
    }

    var operationRate: TokenBucket.Rate {
      TokenBucket.Rate(
        perSecond: Double(max(1, operationsPerSecond)), burst: Double(max(1, operationsBurst)))
    }
    var messageRate: TokenBucket.Rate {
      TokenBucket.Rate(
        perSecond: Double(max(1, messagesPerSecond)), burst: Double(max(1, messagesBurst)))
    }
    var byteRate: TokenBucket.Rate {
      TokenBucket.Rate(perSecond: Double(max(1, bytesPerSecond)), burst: Double(max(1, bytesBurst)))
    }
  }
}
