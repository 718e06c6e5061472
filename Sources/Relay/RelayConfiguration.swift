/// The configuration of a relay: its admission keys, its address and its limits.
public struct RelayConfiguration: Sendable {
  /// The admission keys that a relay accepts.
  public enum Admission: Sendable, Hashable {
    /// The members of these parties, each named by the 32 bytes of its admission key's public half.
    case only([[UInt8]])
    /// Every client that signs with some key, confined to that key's party.
    case anyKey
  }

  /// The admission keys that the relay accepts.
  public var admission: Admission
  /// A host name or a literal address; `*` is every address, IPv6 and IPv4, of this machine.
  public var host: String
  /// The port to listen on; 0 lets the system choose one (see ``Relay/boundPort``).
  public var port: Int
  /// The certificate with which the relay serves TLS, and requires it; nil for a relay without TLS.
  public var certificate: RelayCertificate?
  /// The page in HTML that the relay answers to a browser at its port's root; nil for none.
  public var page: String?
  /// The limits on the resources that one peer may use.
  public var limits = Limits()

  /// Creates a configuration with the limits of a host's own relay.
  ///
  /// - Parameters:
  /// - host: a host name or a literal address; `*` for every address of this machine.
  /// - port: 0 to 65535; 0 lets the system choose.
  public init(admission: Admission, host: String = "*", port: Int = 0) {
    self.admission = admission
    self.host = host
    self.port = port
  }
}

extension RelayConfiguration {
  /// The limits on the resources that one peer may use. A peer beyond a limit has to wait, or receives an error and is
  /// cut off where `nats-server` would do that too.
  public struct Limits: Sendable, Hashable {
    /// Bytes of a protocol line without its end.
    public var controlLine = 4096
    /// Bytes of one message.
    public var payload = 65536
    /// Sockets and attachments together.
    public var connections = 1024
    /// The connections that may share an admission key, so that one party can't take all; nil for no limit besides
    /// ``connections``.
    public var connectionsPerParty: Int?
    /// The connections of one address (as in ``unprovenConnectionsPerAddress``) that have proved a key, so that one
    /// machine with many keys doesn't take all; nil for no limit besides ``connections``.
    public var connectionsPerAddress: Int?
    /// The connections that are kept for parties with a connected member, a quarter at most: the first member of
    /// a party is refused when only these are left.
    public var connectionsForKnownParties = 0
    /// The connections that have not proved a key yet. Beyond that, the oldest one of the address that has most of them
    /// is ended.
    public var unprovenConnections = 256
    /// The connections of one address that have not proved a key yet: an IPv4 address, or the first 64 bits of an IPv6
    /// address.
    public var unprovenConnectionsPerAddress = 128
    /// The ended connections that may still read the reason, in addition to ``connections``.
    public var closingConnections = 256
    /// File descriptors below this number are left to the rest of the process.
    public var reservedDescriptors = 0
    /// The subscriptions of one connection; a further one is refused.
    public var subscriptionsPerConnection = 256
    /// The tokens of a subscription's subject.
    public var subjectTokens = 32
    /// The bytes that may wait for a reader; a reader with more is cut off.
    public var pendingBytes = 4 << 20
    /// The bytes that the relay may hold for all connections together: waiting output, incomplete input, subscriptions.
    /// Beyond that, the connection that costs most is cut off.
    public var heldBytes = 128 << 20
    /// The operations a second that one connection may request, and how many at once: every line is one, and every
    /// fourth copy of a message. Beyond that the relay stops reading from the connection for a while.
    public var operations = Rate(perSecond: 50_000, burst: 50_000)
    /// The bytes a second, and at once: all input, and a quarter of the output that it causes. A member that fetches a
    /// file requests 64 MiB a second at most.
    public var bytes = Rate(perSecond: 96 << 20, burst: 96 << 20)
    /// The messages a second that one connection may publish, and how many at once: each costs the receivers more than
    /// it costs the relay. A message of `largeMessage` bytes or more counts as `largeMessageCost`, since the rate
    /// of bytes bounds those; a piece of a file is one. A member that serves a file publishes 640 of them a second to
    /// each of a few readers, 2,048 at most, and a member that reads requests as many.
    public var messages = Rate(perSecond: 1000, burst: 4000)
    /// The operations a second, and in a burst, that are performed for one party as they come; 4,096 bytes count as one
    /// operation more. Beyond that, parties take turns, as fast as the relay can.
    public var promptWork = Rate(perSecond: 500, burst: 1000)
    /// The work of one turn. A thousand copies of a message take about 12 ms.
    static let turn = 250.0
    static let bytesPerOperation = 4096.0
    /// The number of bytes from which on a message is a large one.
    static let largeMessage = 16 << 10
    static let largeMessageCost = 0.4
    /// The longest time in which a reader may take none of its waiting bytes before it is cut off.
    public var writeStall = Duration.seconds(5)
    /// The time in which a client that speaks first shows that it does. The others are greeted after it. A browser whose
    /// first bytes are lost sends them again after one second, and then after two more.
    public var greetingDelay = Duration.seconds(4)
    /// The same at a relay with a certificate, where Matinee's own clients wait for the greeting. The shorter time counts.
    public var securedGreetingDelay = Duration.milliseconds(1500)
    /// The longest time that a connection may take to prove its key.
    public var authorizationTimeout = Duration.seconds(6)
    /// The age from which on a connection that has proved a key but has no subscription makes room for another one, if
    /// there is no other room.
    public var idleTimeout = Duration.seconds(5)
    /// The time that a connection may be silent before the relay sends it a ping.
    public var pingInterval = Duration.seconds(5)
    /// Unanswered pings after which a connection counts as gone.
    public var pingsOutstanding = 2
    /// The longest time that ``Relay/shutdown()`` waits for readers to take their queued output.
    public var drain = Duration.seconds(1)

    /// A number of units in the long run, and how many at once.
    public struct Rate: Sendable, Hashable {
      /// The units a second in the long run.
      public var perSecond: Int
      /// The units at once.
      public var burst: Int

      /// - Parameters:
      ///   - perSecond: the units a second in the long run.
      ///   - burst: the units at once.
      public init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
      }
    }

    /// Creates the limits of a relay that a host runs for its own party.
    public init() {}

    /// The limits of a relay that serves any party: more connections, none of which may take as much as the members of
    /// a host's own party.
    public static var ofPublicRelay: Limits {
      var limits = Limits()
      limits.connections = 8192
      limits.connectionsPerParty = 1024
      limits.connectionsPerAddress = 1024
      limits.connectionsForKnownParties = 512
      limits.unprovenConnections = 1024
      limits.unprovenConnectionsPerAddress = 256
      limits.bytes.burst = 64 << 20
      limits.heldBytes = 256 << 20
      return limits
    }

    /// Reserves a part of the process's file descriptors for the rest of the process: its films, its library, its
    /// sockets.
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
  }
}
